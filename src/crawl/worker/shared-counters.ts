import { type SkipReason, skipReasons } from '../../core/reports/crawl-report.ts'

/**
 * Figures that the shards of one crawl share with whoever watches it, in shared memory: shards write without waiting, the
 * watcher reads without asking. Four of them steer the crawl:
 * - `outstanding`: requests queued or in hand over all shards. Links are added before the page they stand on is taken
 *   off, so zero means finished, and stays zero;
 * - `budget`: pages that may still be fetched (`--max-pages`); taken before a fetch, given back when none came of it;
 * - `stop`: set once, when the crawl is to end early;
 * - `hold`: set while whoever comes next in the way of the data has more than it can take.
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

const place = new Map<string, number>(counterNames.map((name, index) => [name, index]))
const OUTSTANDING = 0
const BUDGET = 1
const STOP = 2
const HOLD = 3
const WANTED = 4
const FIRST_ADDRESS = 5
/** Connections per address, by a hash of it: two addresses that share a place share its limit, which is only stricter. */
const ADDRESS_PLACES = 4096
const NO_BUDGET = 0x7fffffff

export type CounterMemory = { control: SharedArrayBuffer; stats: SharedArrayBuffer; shards: number }

export function createCounterMemory(shards: number, maxPages: number | null): CounterMemory {
  const control = new SharedArrayBuffer(4 * (FIRST_ADDRESS + ADDRESS_PLACES))
  new Int32Array(control)[BUDGET] = maxPages ?? NO_BUDGET
  return { control, stats: new SharedArrayBuffer(8 * counterNames.length * shards), shards }
}

export type SharedCounters = ReturnType<typeof openSharedCounters>

export function openSharedCounters({ control, stats, shards }: CounterMemory) {
  const steer = new Int32Array(control)
  const values = new Float64Array(stats)
  const width = counterNames.length
  const addressPlace = (address: string): number => {
    let hash = 0
    for (let i = 0; i < address.length; i++) hash = (Math.imul(hash, 31) + address.charCodeAt(i)) | 0
    return FIRST_ADDRESS + ((hash >>> 0) % ADDRESS_PLACES)
  }
  return {
    outstanding: () => Atomics.load(steer, OUTSTANDING),
    addOutstanding: (n: number) => Atomics.add(steer, OUTSTANDING, n),
    isStopped: () => Atomics.load(steer, STOP) === 1,
    stop: () => Atomics.store(steer, STOP, 1),
    /** Whether no request is to be taken for the time being. */
    isThrottled: () => Atomics.load(steer, HOLD) === 1,
    throttle: (held: boolean) => Atomics.store(steer, HOLD, held ? 1 : 0),
    isBudgetSpent: () => Atomics.load(steer, BUDGET) <= 0,
    takePage(): boolean {
      const left = Atomics.load(steer, BUDGET)
      if (left === NO_BUDGET) return true
      if (left > 0 && Atomics.sub(steer, BUDGET, 1) > 0) return true
      if (left > 0) Atomics.add(steer, BUDGET, 1)
      Atomics.store(steer, WANTED, 1)
      return false
    },
    returnPage(): void {
      if (Atomics.load(steer, BUDGET) !== NO_BUDGET) Atomics.add(steer, BUDGET, 1)
    },
    /** More pages that may be fetched, where their number is limited. */
    grantPages: (n: number) => Atomics.add(steer, BUDGET, n),
    /** Pages that nobody has taken yet: they may not be fetched any more. */
    withdrawPages(): number {
      for (;;) {
        const left = Atomics.load(steer, BUDGET)
        if (left <= 0 || left === NO_BUDGET) return 0
        if (Atomics.compareExchange(steer, BUDGET, left, 0) === left) return left
      }
    },
    pagesLeft: () => Math.max(0, Atomics.load(steer, BUDGET)),
    /** Whether a page was refused since the last call. */
    wantsPages: () => Atomics.exchange(steer, WANTED, 0) === 1,
    takeAddress(address: string, limit: number): boolean {
      const at = addressPlace(address)
      if (Atomics.add(steer, at, 1) < limit) return true
      Atomics.sub(steer, at, 1)
      return false
    },
    returnAddress: (address: string) => Atomics.sub(steer, addressPlace(address), 1),
    /** One shard's own figures. */
    shard(index: number) {
      const base = index * width
      return {
        add(name: CounterName, n = 1): void {
          const at = base + place.get(name)!
          values[at] = values[at]! + n
        },
        set(name: CounterName, n: number): void {
          values[base + place.get(name)!] = n
        },
      }
    },
    /** A figure summed over all shards. */
    total(name: CounterName): number {
      let sum = 0
      for (let shard = 0; shard < shards; shard++) sum += values[shard * width + place.get(name)!]!
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
