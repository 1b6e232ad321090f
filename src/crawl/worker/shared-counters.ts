import { type SkipReason, skipReasons } from '../../core/reports/crawl-report.ts'
import type { BrowserPages } from '../fetch/protocol.ts'

/**
 * Counters of the shards of one crawl, in shared memory: shards write without waiting, the main thread
 * reads without asking. Five of them control the crawl:
 * - `outstanding`: requests queued or in flight over all shards. The links of a page are added before the page is
 *   removed, so zero means finished, and stays zero;
 * - `budget`: pages that may still be fetched (`--max-pages`); taken before a fetch, given back when none came of it;
 * - `stop`: set once, when the crawl is to end early;
 * - `throttle`: set while the next stage has more than it can take;
 * - `told`: how often each shard was told of watches, so that it knows when it hasn't heard everything yet.
 */
export const counterNames = [
  'fetched',
  'stored',
  'unchanged',
  'duplicates',
  'failed',
  'redirects',
  'links',
  'bytes',
  'queued',
  'seen',
  'inFlight',
  'activeHosts',
  'restingHosts',
  'unparsable',
  'paused',
  /** Results that were thrown away, since their partition belonged to another worker by then. */
  'refused',
  /** What was sent to a shared store, roughly. */
  'statements',
  'sentBytes',
  /** How much of its time a shard has work, 0 to 1. */
  'busy',
  ...skipReasons.map((reason) => `skipped.${reason}` as const),
] as const

export type CounterName = (typeof counterNames)[number] | `skipped.${SkipReason}`

const indexes = new Map<string, number>(counterNames.map((name, index) => [name, index]))
const OUTSTANDING = 0
const BUDGET = 1
const STOP = 2
const THROTTLE = 3
const WANTED = 4
const FIRST_BUDGET = 5
/** Crawls of the service that run at the same time, each with a budget of its own. */
export const CRAWL_BUDGETS = 8
const FIRST_ADDRESS = FIRST_BUDGET + CRAWL_BUDGETS
/** Connections per address, by a hash of it: two addresses that share a slot share its limit, which is only stricter. */
const ADDRESS_SLOTS = 4096
const FIRST_TOLD = FIRST_ADDRESS + ADDRESS_SLOTS
const NO_BUDGET = 0x7fffffff

export type CounterMemory = {
  control: SharedArrayBuffer
  stats: SharedArrayBuffer
  /** Of the whole process. */
  browsers: SharedArrayBuffer
  shards: number
}

/** Where this process counts pages that are open in browsers, whatever crawl they are for. Threads get it with the memory of their crawl. */
const browsersOfProcess = new SharedArrayBuffer(4)

export function createBrowserPages(memory = browsersOfProcess): BrowserPages {
  const open = new Int32Array(memory)
  return {
    take(limit) {
      if (Atomics.add(open, 0, 1) < limit) return true
      Atomics.sub(open, 0, 1)
      return false
    },
    giveBack: () => void Atomics.sub(open, 0, 1),
  }
}

export function createCounterMemory(shards: number, maxPages: number | null): CounterMemory {
  const control = new SharedArrayBuffer(4 * (FIRST_TOLD + shards))
  new Int32Array(control)[BUDGET] = maxPages ?? NO_BUDGET
  const stats = new SharedArrayBuffer(8 * counterNames.length * shards)
  return { control, stats, browsers: browsersOfProcess, shards }
}

export type SharedCounters = ReturnType<typeof openSharedCounters>

export function openSharedCounters({ control: memory, stats, browsers, shards }: CounterMemory) {
  const control = new Int32Array(memory)
  const values = new Float64Array(stats)
  const width = counterNames.length
  const addressIndex = (address: string): number => {
    let hash = 0
    for (let i = 0; i < address.length; i++) hash = (Math.imul(hash, 31) + address.charCodeAt(i)) | 0
    return FIRST_ADDRESS + ((hash >>> 0) % ADDRESS_SLOTS)
  }
  return {
    outstanding: () => Atomics.load(control, OUTSTANDING),
    addOutstanding: (n: number) => Atomics.add(control, OUTSTANDING, n),
    isStopped: () => Atomics.load(control, STOP) === 1,
    stop: () => Atomics.store(control, STOP, 1),
    /** Whether no request is to be taken for the time being. */
    isThrottled: () => Atomics.load(control, THROTTLE) === 1,
    throttle: (throttled: boolean) => Atomics.store(control, THROTTLE, throttled ? 1 : 0),
    isBudgetSpent: () => Atomics.load(control, BUDGET) <= 0,
    takePage(): boolean {
      const left = Atomics.load(control, BUDGET)
      if (left === NO_BUDGET) return true
      if (left > 0 && Atomics.sub(control, BUDGET, 1) > 0) return true
      if (left > 0) Atomics.add(control, BUDGET, 1)
      Atomics.store(control, WANTED, 1)
      return false
    },
    returnPage(): void {
      if (Atomics.load(control, BUDGET) !== NO_BUDGET) Atomics.add(control, BUDGET, 1)
    },
    /** More pages that may be fetched, where their number is limited. */
    grantPages: (n: number) => Atomics.add(control, BUDGET, n),
    /** Takes back pages that no shard has taken yet. */
    withdrawPages(): number {
      for (;;) {
        const left = Atomics.load(control, BUDGET)
        if (left <= 0 || left === NO_BUDGET) return 0
        if (Atomics.compareExchange(control, BUDGET, left, 0) === left) return left
      }
    },
    pagesLeft: () => Math.max(0, Atomics.load(control, BUDGET)),
    /** Whether a page was refused since the last call. */
    wantsPages: () => Atomics.exchange(control, WANTED, 0) === 1,
    /** How many pages a crawl of the service may still fetch. */
    setCrawlPages: (budget: number, pages: number) => Atomics.store(control, FIRST_BUDGET + budget, pages),
    takeCrawlPage(budget: number): boolean {
      if (Atomics.sub(control, FIRST_BUDGET + budget, 1) > 0) return true
      Atomics.add(control, FIRST_BUDGET + budget, 1)
      return false
    },
    returnCrawlPage: (budget: number) => Atomics.add(control, FIRST_BUDGET + budget, 1),
    takeAddress(address: string, limit: number): boolean {
      const at = addressIndex(address)
      if (Atomics.add(control, at, 1) < limit) return true
      Atomics.sub(control, at, 1)
      return false
    },
    returnAddress: (address: string) => Atomics.sub(control, addressIndex(address), 1),
    browserPages: createBrowserPages(browsers),
    /** Before a shard is sent something about watches. */
    tell: (shard: number): void => void Atomics.add(control, FIRST_TOLD + shard, 1),
    /** How often that was, as a 32-bit number. */
    told: (shard: number): number => Atomics.load(control, FIRST_TOLD + shard),
    /** One shard's own counters. */
    shard(index: number) {
      const base = index * width
      return {
        add(name: CounterName, n = 1): void {
          const at = base + indexes.get(name)!
          values[at] = values[at]! + n
        },
        set(name: CounterName, n: number): void {
          values[base + indexes.get(name)!] = n
        },
        get: (name: CounterName): number => values[base + indexes.get(name)!]!,
      }
    },
    /** A counter summed over all shards. */
    total(name: CounterName): number {
      let sum = 0
      for (let shard = 0; shard < shards; shard++) sum += values[shard * width + indexes.get(name)!]!
      return sum
    },
  }
}

export type ShardStats = ReturnType<SharedCounters['shard']>

/** `behind`: more is new than the annotation can take. `paused`: somebody wants it so. */
export type ThrottleReason = 'behind' | 'paused'

export type ThrottleReasons = {
  set(reason: ThrottleReason, applies: boolean): void
  has(reason: ThrottleReason): boolean
}

/** The crawl is throttled while there is any reason for it: taking one back leaves the others in force. */
export function createThrottleReasons(counters: Pick<SharedCounters, 'throttle'>): ThrottleReasons {
  const reasons = new Set<ThrottleReason>()
  return {
    set(reason, applies) {
      if (applies) reasons.add(reason)
      else reasons.delete(reason)
      counters.throttle(reasons.size > 0)
    },
    has: (reason) => reasons.has(reason),
  }
}
