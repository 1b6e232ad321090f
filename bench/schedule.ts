import { createManualClock, type ManualClock } from '../src/core/clock.ts'
import { createPolicy, defaultShares, type PolicyName } from '../src/services/scheduler/queues/policy.ts'
import { createScheduler, type Scheduler } from '../src/services/scheduler/scheduler.ts'
import type { SchedulerStats } from '../src/services/scheduler/scheduler-report.ts'
import { type Coalescer, createCoalescer, forwardTouched } from '../src/services/scheduler/urds/coalesce.ts'
import type { Urd } from '../src/services/scheduler/urds/urd.ts'
import { serviceLevels, type Watch, type WatchState } from '../src/services/scheduler/watch.ts'
import { memoryAfterGc } from './measure.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['watches']

const MINUTE = 60_000
const HOSTS = 100_000
const USERS = 100_000
const TICK_MS = 100
const OVERLOADED = 30_000
const BASELINE = 100_000
const SORTED = 10_000
const none = Number.POSITIVE_INFINITY
const generous = { perSecond: 20, burst: 100, maxInFlight: 100 }

/** A deterministic pseudo-random number for n. */
function scattered(n: number, below: number): number {
  let h = Math.imul(n + 1, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  return ((h ^ (h >>> 13)) >>> 0) % below
}

/** Check interval: from five minutes to an hour. */
const everyOf = (n: number): number => 5 * MINUTE + scattered(n, 55 * MINUTE)

function urdOf(n: number, watches: number): Urd {
  // URDs beyond the number of watches are further owners of a watch.
  const watch = n < watches ? n : scattered(n, watches)
  return {
    id: n,
    watch,
    owner: `user-${scattered(n, USERS)}`,
    level: serviceLevels[n % 3]!,
    host: `www.site-${scattered(watch, HOSTS)}.example`,
    everyMs: everyOf(watch),
    everyMaxMs: everyOf(watch) * 2,
    depth: n % 4,
    scope: { kind: 'host' },
    urgency: 1,
    window: null,
    paused: false,
  }
}

/** Last checked within the last interval, as after a short downtime. */
function savedOf(id: number, everyMs: number, now: number): WatchState {
  const lastAt = now - scattered(id * 7, everyMs)
  return {
    id,
    lastAt,
    lastOutcome: 'unchanged',
    failures: 0,
    intervalMs: everyMs,
    checks: 1,
    changes: 0,
    observedMs: 1,
  }
}

function heapBytesAfterGc(): number {
  const { heapUsed, external } = memoryAfterGc()
  return heapUsed + external
}

type Timed = { take(max: number): { id: number }[]; done(id: number, changed: boolean): void }

/** Advances time in small steps until this many checks are done. */
function runChecks(subject: Timed, clock: ManualClock, checks: number): { perSecond: number; longestMs: number } {
  let done = 0
  let spentMs = 0
  let longestMs = 0
  while (done < checks) {
    clock.advance(TICK_MS)
    const startedAt = performance.now()
    const taken = subject.take(10_000)
    for (const { id } of taken) subject.done(id, id % 5 === 0)
    const tookMs = performance.now() - startedAt
    spentMs += tookMs
    longestMs = Math.max(longestMs, tookMs)
    done += taken.length
  }
  return { perSecond: done / (spentMs / 1000), longestMs }
}

function timedScheduler(scheduler: Scheduler, clock: ManualClock): Timed {
  return {
    take: scheduler.take,
    done(id, changed) {
      scheduler.done(id, { changed, failed: false, at: clock.now() })
      if (id % 1_000 === 0) scheduler.takeUnsaved(none)
    },
  }
}

function openScheduler(clock: ManualClock): Scheduler {
  const budgets = { perSecond: none, burst: none, maxInFlight: 10_000, perUser: generous, perHost: generous }
  return createScheduler({ clock, policy: createPolicy('weighted-fair'), budgets })
}

type Filled = { coalescer: Coalescer; scheduler: Scheduler; clock: ManualClock; putMs: number; setMs: number }

function fill(watches: number): Filled & { urdBytes: number; watchBytes: number } {
  const clock = createManualClock()
  const urds = watches + Math.floor(watches / 4)
  const empty = heapBytesAfterGc()
  const coalescer = createCoalescer()
  let startedAt = performance.now()
  for (let n = 0; n < urds; n++) coalescer.put(urdOf(n, watches))
  const putMs = performance.now() - startedAt
  const scheduler = openScheduler(clock)
  startedAt = performance.now()
  forwardTouched(coalescer, {
    set: (watch: Watch) => scheduler.set(watch, savedOf(watch.id, watch.everyMs, clock.now())),
    remove: scheduler.remove,
  })
  const setMs = performance.now() - startedAt
  const both = heapBytesAfterGc()
  const alone = fillAlone(watches)
  return { coalescer, scheduler, clock, putMs, setMs, watchBytes: alone, urdBytes: both - empty - alone }
}

/** Memory of the scheduler without the URDs. */
function fillAlone(watches: number): number {
  const clock = createManualClock()
  const empty = heapBytesAfterGc()
  const scheduler = openScheduler(clock)
  for (let n = 0; n < watches; n++) {
    const { watch: id, owner, ...rest } = urdOf(n, watches)
    scheduler.set({ ...rest, id, payers: [owner], windows: null }, savedOf(id, rest.everyMs, clock.now()))
  }
  const bytes = heapBytesAfterGc() - empty
  return scheduler.stats().watches === watches ? bytes : Number.NaN
}

/** Equal numbers of each level, every five, ten or twenty minutes, with capacity for half of the demand, for six hours. */
function overload(policy: PolicyName): { stats: SchedulerStats; longestWaitMs: number[] } {
  const clock = createManualClock()
  const everyFor = (id: number): number => [5, 10, 20][Math.floor(id / 3) % 3]! * MINUTE
  let demand = 0
  for (let id = 0; id < OVERLOADED; id++) demand += 1000 / everyFor(id)
  const budgets = { perSecond: demand / 2, burst: 50, maxInFlight: 5_000, perUser: null, perHost: null }
  const value = { budget: none, shares: defaultShares, hostLimit: none, userLimit: () => none }
  const scheduler = createScheduler({
    ...{ clock, policy: createPolicy(policy), budgets },
    ...(policy === 'value' && { value }),
  })
  for (let id = 0; id < OVERLOADED; id++) {
    const everyMs = everyFor(id)
    const level = serviceLevels[id % 3]!
    const watch = { id, level, host: '', payers: [], everyMs, everyMaxMs: everyMs, urgency: 1, windows: null }
    scheduler.set({ ...watch, paused: false }, savedOf(id, everyMs, clock.now()))
  }
  const longestWaitMs = serviceLevels.map(() => 0)
  for (let at = 0; at < 6 * 60 * MINUTE; at += 1_000) {
    clock.advance(1_000)
    for (const { id, dueAt } of scheduler.take(5_000)) {
      longestWaitMs[id % 3] = Math.max(longestWaitMs[id % 3]!, clock.monotonic() - dueAt)
      scheduler.done(id, { changed: false, failed: false, at: clock.now() })
    }
  }
  return { stats: scheduler.stats(), longestWaitMs }
}

/** The same data as the scheduler has for a watch. */
type Item = Omit<WatchState, 'id'> & Watch & { dueAt: number; checkedAt: number }

function itemOf(n: number): Item {
  const { watch: id, owner, ...rest } = urdOf(n, BASELINE)
  const everyMs = rest.everyMs
  const dueAt = everyMs - scattered(id * 7, everyMs)
  return { ...savedOf(id, everyMs, 0), ...rest, id, payers: [owner], windows: null, dueAt, checkedAt: dueAt - everyMs }
}

/** A binary heap of objects by due time and a map to find them: no policy, no budgets, no deadlines. */
function createObjectHeap(clock: ManualClock, count: number): Timed {
  const heap: Item[] = []
  const out = new Map<number, Item>()

  function push(item: Item): void {
    let at = heap.length
    heap.push(item)
    for (; at > 0; ) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.dueAt <= item.dueAt) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = item
  }

  function pop(): Item {
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.dueAt < heap[child]!.dueAt) child++
      if (heap[child]!.dueAt >= last.dueAt) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }

  for (let id = 0; id < count; id++) push(itemOf(id))
  return {
    take(max) {
      const taken: Item[] = []
      while (taken.length < max && heap.length > 0 && heap[0]!.dueAt <= clock.monotonic()) {
        const item = pop()
        out.set(item.id, item)
        taken.push(item)
      }
      return taken
    },
    done(id, changed) {
      const item = out.get(id)!
      out.delete(id)
      item.lastOutcome = changed ? 'changed' : 'unchanged'
      item.checks++
      if (changed) item.changes++
      item.lastAt = clock.now()
      item.checkedAt = clock.monotonic()
      item.dueAt = clock.monotonic() + item.everyMs
      push(item)
    },
  }
}

/** A list that is sorted by due time before each read. */
function createSortedArray(clock: ManualClock, count: number): Timed {
  const items = Array.from({ length: count }, (_, id) => itemOf(id))
  const byId = new Map(items.map((item) => [item.id, item]))
  return {
    take(max) {
      items.sort((a, b) => a.dueAt - b.dueAt)
      const taken: Item[] = []
      for (const item of items) {
        if (item.dueAt > clock.monotonic() || taken.length >= max) break
        taken.push(item)
      }
      return taken
    },
    done(id) {
      const item = byId.get(id)!
      item.dueAt = clock.monotonic() + item.everyMs
    },
  }
}

function measureBaselines() {
  const clocks = [0, 1, 2].map(() => createManualClock())
  const empty = heapBytesAfterGc()
  const heap = createObjectHeap(clocks[0]!, BASELINE)
  const heapBytes = (heapBytesAfterGc() - empty) / BASELINE
  const scheduler = openScheduler(clocks[1]!)
  for (let n = 0; n < BASELINE; n++) {
    const { watch: id, owner, ...rest } = urdOf(n, BASELINE)
    scheduler.set({ ...rest, id, payers: [owner], windows: null }, savedOf(id, rest.everyMs, clocks[1]!.now()))
  }
  return {
    heapBytes,
    heap: runChecks(heap, clocks[0]!, 3 * BASELINE).perSecond,
    ours: runChecks(timedScheduler(scheduler, clocks[1]!), clocks[1]!, 3 * BASELINE).perSecond,
    sorted: runChecks(createSortedArray(clocks[2]!, SORTED), clocks[2]!, SORTED).perSecond,
  }
}

const share = ({ met, missed, overdue }: SchedulerStats['levels']['gold']): number => met / (met + missed + overdue)

export const run: Benchmark = async ({ values }) => {
  const watches = numbersOf(values)('watches', 1_000_000)
  const base = measureBaselines()
  const { coalescer, scheduler, clock, putMs, setMs, urdBytes, watchBytes } = fill(watches)
  const urds = coalescer.size().urds
  runChecks(timedScheduler(scheduler, clock), clock, watches / 10) // warm-up: compiles the code
  const { perSecond, longestMs } = runChecks(timedScheduler(scheduler, clock), clock, watches)
  const late = scheduler.stats().levels.gold
  const policies = (['first-in', 'earliest-deadline', 'weighted-fair', 'value'] as const).map((name) => ({
    name,
    ...overload(name),
  }))
  const fair = policies[3]!
  return {
    name: 'schedule',
    columns: ['what', 'value', 'unit'],
    rows: [
      ['URDs', urds, ''],
      ['watches', coalescer.size().watches, ''],
      ['URDs put', urds / (putMs / 1000), 'per second'],
      ['watches merged and set', watches / (setMs / 1000), 'per second'],
      ['memory of the URDs', urdBytes / 1e6, 'MB'],
      ['memory of the scheduler', watchBytes / 1e6, 'MB'],
      ['decisions (take and done)', perSecond, 'per second'],
      [`longest step of ${TICK_MS} ms`, longestMs, 'ms'],
      ['late, p50', late.lateP50Ms, 'ms'],
      ['late, p95', late.lateP95Ms, 'ms'],
      [`decisions, ${BASELINE} watches`, base.ours, 'per second'],
      [`decisions, ${BASELINE} objects in a heap`, base.heap, 'per second'],
      [`decisions, ${SORTED} objects sorted each time`, base.sorted, 'per second'],
      ['memory of a watch', watchBytes / watches, 'bytes'],
      ['memory of an object in the heap', base.heapBytes, 'bytes'],
      ...policies.flatMap(({ name, stats, longestWaitMs }) =>
        serviceLevels.flatMap((level, index) => [
          [`${name}: ${level} deadlines met`, 100 * share(stats.levels[level]), '%'],
          [`${name}: ${level} waited at most`, longestWaitMs[index]! / MINUTE, 'minutes'],
        ]),
      ),
    ],
    stats: {
      ofObjectHeap: base.ours / base.heap,
      ofSortedArray: base.ours / base.sorted,
      bytesOfObjectHeap: watchBytes / watches / base.heapBytes,
      goldMet: share(fair.stats.levels.gold),
      silverMet: share(fair.stats.levels.silver),
      bronzeMet: share(fair.stats.levels.bronze),
      bronzeWaitMinutes: fair.longestWaitMs[2]! / MINUTE,
      decisionsPerSecond: perSecond,
      longestStepMs: longestMs,
      urdMb: urdBytes / 1e6,
      watchMb: watchBytes / 1e6,
    },
    notes: [
      `Intervals from five minutes to an hour, ${HOSTS} hosts and ${USERS} users with budgets; time advances in steps of ${TICK_MS} ms, so lateness is at least half of that.`,
      'The objects have the same fields, but the heap and the list use only due times: no policy, budgets, deadlines, windows or change rates.',
      `Overload: ${OVERLOADED} watches of three levels are due every five, ten or twenty minutes, with capacity for half of the checks, for six hours. Overdue checks at the end count as missed.`,
    ],
  }
}
