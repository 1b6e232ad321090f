import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { Budget } from './buckets.ts'
import { createHeapArena } from './heap-arena.ts'
import { type CheckOutcome, createLearning } from './learning.ts'
import { createPlanner } from './planner.ts'
import type { Policy } from './policy.ts'
import { createQueues } from './queues.ts'
import { createReport, type SchedulerStats, type WatchSnapshot } from './scheduler-report.ts'
import { createServiceRecord } from './service-record.ts'
import { createSlotTable } from './slot-table.ts'
import { checkedDuration, createRate, createWatchTiming, defaultTiming, type Timing } from './timing.ts'
import { serviceLevels, type Watch, type WatchState } from './watch.ts'
import { createColumns, flags, growColumns, states } from './watch-columns.ts'

/**
 * The Request Scheduler: which source is to be checked now.
 *
 * A watch is `waiting` for its time; when that comes it is `ready`, on a lane of the policy, unless its time window is
 * `closed` (or `shut`: it never opens). From the lanes the policy takes one after the other; a watch whose user or
 * host has nothing left of its budget is `held` until there is, then it is ready again. Handed out it is `out`, until
 * `done` says how it went, and then waits again. One that is not reported back in time is lost: it is ready at once, and the
 * second time in a row counts as failed. `asked` are those that somebody wants now: they pass windows, budgets, back-off and
 * the rate, but not the limit of what is out. `paused` ones stand aside and keep what was learnt.
 *
 *     waiting ──> ready ──> out ──> waiting          closed, held, asked, paused on the way
 *
 * There is no storm, whatever happened: after a long stop everything overdue is ready at once, but leaves at the rate of
 * the budget, the most urgent first, and is spread over time from then on. All waiting is by the monotonic clock, so a
 * jump of the wall clock makes nothing due; it only makes time windows be asked again. Wall time from the store is believed
 * as far as it says "long ago": a check in the future counts as one just made.
 *
 * Nothing here waits or writes. The owner calls `take` at `nextDueAt`, after `done` and after each change, and
 * saves what `takeUnsaved` hands over; what is lost of that makes a check come early, nothing worse.
 */
export type Scheduler = {
  /** Adds a watch, or changes it in place. `saved` is what an earlier run knew; it counts only for a new one. */
  set(watch: Watch, saved?: WatchState): void
  remove(id: number): void
  /** Puts a watch before all others. */
  checkNow(id: number): 'asked' | 'out-already' | 'paused' | 'unknown'
  /** What is to be fetched now, at most `max`, the most pressing first. */
  take(max: number): Dispatch[]
  /** A check of it that somebody handed out before goes on: it is out, and due again when it is done. */
  resume(id: number): void
  /** False where the check was not handed out, or is reported a second time. */
  done(id: number, outcome: CheckOutcome): boolean
  /** Monotonic time at which `take` has something to do; undefined while nothing is to come but `done`. */
  nextDueAt(): number | undefined
  snapshot(id: number): WatchSnapshot | undefined
  stats(): SchedulerStats
  state(id: number): WatchState | undefined
  /** States that changed since they were last handed over here. */
  takeUnsaved(max: number): WatchState[]
}

export type Dispatch = {
  id: number
  level: ServiceLevel
  why: 'due' | 'asked' | 'lost'
  /** Monotonic, both. */
  dueAt: number
  deadlineAt: number
}

/** For all together, for each user and for each host; null for no limit. */
export type Budgets = Budget & { perUser: Budget | null; perHost: Budget | null }

export type SchedulerOptions = {
  clock: Clock
  policy: Policy
  budgets: Budgets
  timing?: Partial<Timing>
  /** Watches that room is made for at once; more are taken in all the same. */
  capacity?: number
}

/** Moves between heaps in one call, so that a million overdue watches do not stop the process: the rest follows. */
const MAX_MOVES = 10_000
const MIN_URGENCY = 0.1
const MAX_URGENCY = 100

type Checked = { everyMs: number; everyMaxMs: number; window: number }

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, policy, budgets } = options
  const timing = { ...defaultTiming, ...options.timing }
  const capacity = Math.max(16, options.capacity ?? 1024)
  const columns = createColumns(capacity)
  const slots = createSlotTable({
    capacity,
    onGrow(room) {
      growColumns(columns, room)
      heap.grow(room)
    },
  })
  const heap = createHeapArena({ capacity, breaksTie: (a, b) => slots.idOf(a) < slots.idOf(b) })
  const watchTiming = createWatchTiming(columns, slots, timing)
  const { perUser, perHost } = budgets
  const { deadlineAt } = watchTiming
  const queues = createQueues({ columns, heap, policy, perUser, perHost, deadlineAt, now: clock.monotonic() })
  const { holds } = queues
  const planner = createPlanner({ clock, columns, slots, queues, timing: watchTiming })
  const learning = createLearning(columns, slots)
  const record = createServiceRecord()
  const rate = createRate(budgets)
  const report = createReport({ clock, columns, slots, queues, timing: watchTiming, record })
  let out = 0
  let lost = 0

  const has = (slot: number, flag: number): boolean => (columns.flags[slot]! & flag) !== 0

  function wake(now: number): void {
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      const slot = queues.time.due(now)
      if (slot === -1) return
      const wasOut = columns.state[slot] === states.out
      queues.leave(slot, now)
      if (wasOut) lose(slot, now)
      else if (planner.isClosed(slot)) planner.plan(slot, now)
      else queues.enterReady(slot)
    }
  }

  function lose(slot: number, now: number): void {
    out--
    lost++
    const again = has(slot, flags.lost)
    if (again) learning.learn(slot, { changed: false, failed: true, at: clock.now() }, now)
    else columns.flags[slot] = columns.flags[slot]! | flags.lost
    if (again || has(slot, flags.paused)) planner.plan(slot, now)
    else if (has(slot, flags.asked)) queues.enterAsked(slot, now)
    else queues.enterReady(slot)
  }

  function dispatch(slot: number, now: number): Dispatch {
    holds.charge(slot, now)
    rate.charge(now)
    out++
    queues.enterTime(slot, 'out', now + timing.lostAfterMs)
    // It has left its lane: what its budgets hold may go there, if they have something left.
    holds.lookAgain(slot, now)
    return {
      id: slots.idOf(slot),
      level: serviceLevels[columns.level[slot]!]!,
      why: has(slot, flags.lost) ? 'lost' : has(slot, flags.asked) ? 'asked' : 'due',
      dueAt: columns.dueAt[slot]!,
      deadlineAt: watchTiming.deadlineAt(slot),
    }
  }

  /** The next watch that may go, or -1; those that may not are put where they wait. */
  function next(now: number, moves: { left: number }): number {
    while (moves.left > 0) {
      const slot = queues.popReady()
      if (slot === -1) return -1
      const closed = planner.isClosed(slot)
      const blocker = closed ? -1 : holds.blockerOf(slot, now)
      if (!closed && blocker === -1) {
        queues.tookTurn(slot)
        return slot
      }
      moves.left--
      if (closed) {
        record.noteSkipped(columns.level[slot]!)
        holds.giveUp(slot, now)
        planner.plan(slot, now)
      } else queues.enterHold(slot, blocker, now)
      holds.lookAgain(slot, now)
    }
    return -1
  }

  function takeAsked(now: number): number {
    const slot = queues.firstAsked()
    if (slot !== -1) queues.leave(slot, now)
    return slot
  }

  /** Writes what a watch shall be into its columns. It refers to no budget and no window, and is out or nowhere. */
  function write(slot: number, watch: Watch, { everyMs, everyMaxMs, window }: Checked): void {
    // Somebody wants it more often than anybody did: the interval is found again from there.
    const known = everyMs < columns.everyMs[slot]! ? 0 : columns.intervalMs[slot]!
    columns.everyMs[slot] = everyMs
    columns.everyMaxMs[slot] = everyMaxMs
    columns.intervalMs[slot] = Math.min(Math.max(known, everyMs), everyMaxMs)
    columns.urgency[slot] = Math.min(Math.max(watch.urgency || 1, MIN_URGENCY), MAX_URGENCY)
    columns.flags[slot] = watch.paused ? columns.flags[slot]! | flags.paused : columns.flags[slot]! & ~flags.paused
    columns.window[slot] = window
    holds.assign(slot, watch.host, watch.payers)
  }

  /** What can be wrong is looked at before anything is changed. */
  function check(watch: Watch): Checked {
    const everyMs = checkedDuration(watch.everyMs, timing.minEveryMs)
    const everyMaxMs = checkedDuration(watch.everyMaxMs, everyMs)
    return { everyMs, everyMaxMs, window: planner.acquireWindows(watch.windows) }
  }

  function erase(slot: number): void {
    holds.unassign(slot)
    planner.releaseWindows(columns.window[slot]!)
  }

  function add(watch: Watch, saved: WatchState | undefined, now: number): void {
    const checked = check(watch)
    const slot = slots.add(watch.id)
    learning.begin(slot)
    if (saved !== undefined) learning.restore(slot, saved, { now: clock.now(), monotonic: now })
    columns.everyMs[slot] = 0
    columns.level[slot] = serviceLevels.indexOf(watch.level)
    write(slot, watch, checked)
    planner.plan(slot, now)
  }

  function change(slot: number, watch: Watch, now: number): void {
    const checked = check(watch)
    const state = columns.state[slot]
    const level = serviceLevels.indexOf(watch.level)
    if (state === states.out) queues.changeLevel(slot, level)
    else queues.leave(slot, now)
    erase(slot)
    write(slot, watch, checked)
    if (state === states.out) return
    columns.level[slot] = level
    const wasDue = state === states.ready || state === states.held
    if (state === states.asked && !watch.paused) queues.enterAsked(slot, now)
    // It keeps its place in time: a profile that is changed again and again is not put off.
    else if (wasDue && !watch.paused && planner.isDue(slot, now)) queues.enterReady(slot)
    else planner.plan(slot, now)
  }

  return {
    set(watch, saved) {
      const now = clock.monotonic()
      const slot = slots.find(watch.id)
      if (slot === -1) add(watch, saved, now)
      else change(slot, watch, now)
    },
    remove(id) {
      const slot = slots.find(id)
      if (slot === -1) return
      if (columns.state[slot] === states.out) out--
      queues.leave(slot, clock.monotonic())
      erase(slot)
      columns.flags[slot] = 0
      slots.remove(slot)
    },
    checkNow(id) {
      const slot = slots.find(id)
      if (slot === -1) return 'unknown'
      const state = columns.state[slot]
      if (state === states.out) return 'out-already'
      if (state === states.paused) return 'paused'
      if (state === states.asked) return 'asked'
      const now = clock.monotonic()
      queues.leave(slot, now)
      queues.enterAsked(slot, now)
      return 'asked'
    },
    take(max) {
      const now = clock.monotonic()
      planner.noticeJump(now)
      wake(now)
      holds.wake(now)
      const taken: Dispatch[] = []
      const moves = { left: MAX_MOVES }
      while (taken.length < max && out < budgets.maxInFlight) {
        let slot = takeAsked(now)
        if (slot === -1 && rate.freeAt(now) <= now) slot = next(now, moves)
        if (slot === -1) break
        taken.push(dispatch(slot, now))
      }
      return taken
    },
    resume(id) {
      const slot = slots.find(id)
      const state = columns.state[slot]
      if (slot === -1 || state === states.out || state === states.paused) return
      const now = clock.monotonic()
      queues.leave(slot, now)
      holds.charge(slot, now)
      out++
      queues.enterTime(slot, 'out', now + timing.lostAfterMs)
    },
    done(id, outcome) {
      const slot = slots.find(id)
      if (slot === -1) return false
      const now = clock.monotonic()
      const isOut = columns.state[slot] === states.out
      // One that was given up may come back after all, as long as it was not handed out again and reported.
      if (!isOut && !has(slot, flags.lost)) return false
      const handedOutAt = isOut ? heap.keyOf(slot) - timing.lostAfterMs : now
      const dueAt = columns.dueAt[slot]!
      if (!has(slot, flags.asked) || dueAt <= now)
        record.note(columns.level[slot]!, Math.max(0, now - dueAt), now <= watchTiming.deadlineAt(slot))
      if (isOut) out--
      queues.leave(slot, now)
      learning.learn(slot, outcome, handedOutAt)
      planner.plan(slot, now)
      return true
    },
    nextDueAt() {
      const now = clock.monotonic()
      let at = Math.min(queues.time.nextAt(), holds.nextAwakeAt())
      if (out < budgets.maxInFlight) {
        if (queues.firstAsked() !== -1) at = Math.min(at, now)
        else if (queues.total('ready') > 0) at = Math.min(at, rate.freeAt(now))
      }
      return at === Number.POSITIVE_INFINITY ? undefined : at
    },
    snapshot(id) {
      const slot = slots.find(id)
      return slot === -1 ? undefined : report.snapshot(slot)
    },
    stats: () => report.stats(lost),
    state(id) {
      const slot = slots.find(id)
      return slot === -1 ? undefined : learning.stateOf(slot)
    },
    takeUnsaved: learning.takeUnsaved,
  }
}
