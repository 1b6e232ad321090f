import { type SkipReason, skipReasons } from '../../core/reports/crawl-report.ts'
import type { BrowserPages } from '../fetch/protocol.ts'

/**
 * Counters of the shards of one crawl, in shared memory: shards write without waiting, the main thread
 * reads without messages. Five of them control the crawl:
 * - `outstanding`: requests queued or in flight over all shards. The links of a page are added before the page is
 *   removed, so zero means finished, and stays zero;
 * - `budget`: pages that may still be fetched (`--max-pages`); taken before a fetch, given back if nothing was fetched;
 * - `stop`: set once, when the crawl is to end early;
 * - `throttle`: set while the next stage can't keep up;
 * - `told`: number of messages about watches sent to each shard, so that it knows whether it has received all of them.
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
  /** Results discarded because their partition belonged to another worker by then. */
  'refused',
  /** Approximate traffic to a shared store: `statements` and `sentBytes`. */
  'statements',
  'sentBytes',
  /** Event-loop utilisation of a shard, 0 to 1. */
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
/** Page budgets for concurrent crawls of the service, one per crawl. */
const CRAWL_BUDGETS = 8
const FIRST_ADDRESS = FIRST_BUDGET + CRAWL_BUDGETS
/** Slots for connections per address, by hash. Addresses that share a slot share its limit, which only makes it stricter. */
const ADDRESS_SLOTS = 4096
const FIRST_TOLD = FIRST_ADDRESS + ADDRESS_SLOTS
const NO_BUDGET = 0x7fffffff

export type CounterMemory = {
  control: SharedArrayBuffer
  stats: SharedArrayBuffer
  /** Shared by the whole process. */
  browsers: SharedArrayBuffer
  shards: number
}

/** Number of pages open in browsers, over all crawls of this process. Threads get it with the memory of their crawl. */
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
    /** Whether no requests may be taken for now. */
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
    /** Adds pages to a limited budget. */
    grantPages: (n: number) => Atomics.add(control, BUDGET, n),
    /** Takes back the pages that no shard has taken yet; returns their number. */
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
    /** Sets how many pages a crawl of the service may still fetch. */
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
    /** Call before sending a shard a message about watches. */
    tell: (shard: number): void => void Atomics.add(control, FIRST_TOLD + shard, 1),
    /** Number of messages sent to a shard, as a 32-bit number. */
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

/** `behind`: annotation can't keep up with new versions. `paused`: paused on request. */
export type ThrottleReason = 'behind' | 'paused'

export type ThrottleReasons = {
  set(reason: ThrottleReason, applies: boolean): void
  has(reason: ThrottleReason): boolean
}

/** Throttles the crawl while at least one reason applies: removing one leaves the others in force. */
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
