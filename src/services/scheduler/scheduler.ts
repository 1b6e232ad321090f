import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { type CheckOutcome, createLearning, stateOf } from './learning.ts'
import { createPlanner } from './planner.ts'
import type { Policy } from './queues/policy.ts'
import { createQueues } from './queues/queues.ts'
import type { Budget } from './queues/throttles.ts'
import { fullTokens, isFull, type Rate, spendToken, tokenAt } from './queues/token-bucket.ts'
import { createReport, type SchedulerStats, type WatchSnapshot } from './scheduler-report.ts'
import { createServiceRecord } from './service-record.ts'
import { checkedDuration, checkId, createWatchTiming, defaultTiming, type Timing } from './timing.ts'
import { createValuation, type ValueOptions } from './value/valuation.ts'
import type { Watch, WatchState } from './watch.ts'
import { createEntry, type WatchEntry } from './watch-entry.ts'
import type { OpenHours } from './windows/time-window.ts'

/**
 * The scheduler decides which source to check now. A watch is always in one of these states:
 *
 *     waiting   for its interval to pass
 *     closed    for its time window to open
 *     shut      its window never opens
 *     ready     due, in a queue of the policy
 *     held      due, but its user's or its host's budget is used up
 *     asked     a user wants it now
 *     out       handed out, being checked
 *     paused    by all its owners; keeps what was learnt
 *
 *     waiting ──due──> ready ──take──> out ──done──> waiting
 *
 * - waiting → ready when its time comes, or → closed if its window is closed then; closed → ready when it opens.
 * - ready → out in the order of the policy. ready → held if a budget has nothing left, and back when it has.
 * - any but out and paused → asked by `checkNow`: such a check ignores windows, budgets, back-off and rate, but not the
 *   limit on checks in flight.
 * - out → waiting when `done` reports the result. Without a report in time the check is lost: out → ready at once; the
 *   second time in a row counts as a failure.
 * - any → paused and back by `set`.
 *
 * There are no storms: after a long stop everything overdue is ready at once, but leaves at the configured rate, most
 * urgent first, and is spread over time from then on. All waiting uses the monotonic clock, so a jump of the wall clock
 * makes nothing due; it only makes the scheduler re-evaluate time windows. A stored wall time in the future is not
 * trusted: that check counts as just made.
 *
 * The scheduler itself never waits and never writes. The caller calls `take` at `nextDueAt`, after `done` and after each
 * change, and saves what `takeUnsaved` returns; losing some of that only makes a check come early.
 */
export type Scheduler = {
  /** Adds a watch, or changes it in place. `saved` is its state from an earlier run, used only when adding. */
  set(watch: Watch, saved?: WatchState): void
  remove(id: number): void
  /** Moves a watch ahead of all others. */
  checkNow(id: number): 'asked' | 'out-already' | 'paused' | 'unknown'
  /** Hands out the checks to make now, at most `max`, the most urgent first. */
  take(max: number): Dispatch[]
  /** Marks a watch as out, as a check handed out by an earlier owner is still running. */
  resume(id: number): void
  /** Returns false if the check was not handed out, or was already reported. */
  done(id: number, outcome: CheckOutcome): boolean
  /** Monotonic time at which `take` has something to do; undefined if only `done` can change that. */
  nextDueAt(): number | undefined
  snapshot(id: number): WatchSnapshot | undefined
  stats(): SchedulerStats
  state(id: number): WatchState | undefined
  /** Pace of the pages below a source: see `Valuation.paceOf`. */
  pace(id: number): number
  /** States that changed since this last returned them. */
  takeUnsaved(max: number): WatchState[]
}

export type Dispatch = {
  id: number
  level: ServiceLevel
  why: 'due' | 'asked' | 'lost'
  /** Both monotonic. */
  dueAt: number
  deadlineAt: number
}

/** Overall, per user and per host; null for no limit. */
export type Budgets = Budget & { perUser: Budget | null; perHost: Budget | null }

export type SchedulerOptions = {
  clock: Clock
  policy: Policy
  budgets: Budgets
  timing?: Partial<Timing>
  /** Derives intervals from the value of checks (`valuation.ts`); if omitted, from each source alone (`change-rate.ts`). */
  value?: ValueOptions
}

/** Maximum moves between queues per call, so that a million overdue watches do not block the event loop. */
const MAX_MOVES = 10_000
const MIN_URGENCY = 0.1
const MAX_URGENCY = 100
const MIN_DEMAND = 0.01

/** Rate for a budget in requests per millisecond. Bursts are limited to two minutes' worth; a large source may run up a day's debt. */
function requestRateOf(budget: number): Rate {
  const perSecond = budget * 1000
  return { perSecond, burst: Math.max(10, perSecond * 120), debt: Math.max(10, perSecond * 86_400) }
}

type Checked = { everyMs: number; everyMaxMs: number; hours: OpenHours | null }

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, policy, budgets } = options
  const timing = { ...defaultTiming, ...options.timing }
  const entries = new Map<number, WatchEntry>()
  const watchTiming = createWatchTiming(timing)
  const { perUser, perHost } = budgets
  const queues = createQueues({ policy, perUser, perHost, deadlineAt: watchTiming.deadlineAt })
  const { throttles } = queues
  const planner = createPlanner({ clock, entries, queues, timing: watchTiming })
  const value = options.value === undefined ? null : createValuation(options.value, entries, budgets.perSecond / 1000)
  const requestRate = requestRateOf(options.value?.budget ?? Number.POSITIVE_INFINITY)
  const requests = fullTokens(requestRate)
  const learning = createLearning(value)
  const record = createServiceRecord()
  const tokens = fullTokens(budgets)
  const report = createReport({ clock, entries, queues, timing: watchTiming, record, value })
  let out = 0
  let lost = 0

  const nextTokenAt = (now: number): number =>
    Math.max(tokenAt(tokens, budgets, now), tokenAt(requests, requestRate, now))

  /** Charges the requests actually made, less those already paid for. */
  function settle(entry: WatchEntry, made: number, now: number): void {
    spendToken(requests, requestRate, now, made - entry.paid)
    entry.paid = 0
    value?.spend(made, clock.now())
  }

  function wake(now: number): void {
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      const entry = queues.firstDue(now)
      if (entry === undefined) return
      const wasOut = entry.state === 'out'
      queues.leave(entry, now)
      if (wasOut) lose(entry, now)
      else if (planner.isClosed(entry)) planner.plan(entry, now)
      else queues.enterReady(entry)
    }
  }

  function lose(entry: WatchEntry, now: number): void {
    out--
    lost++
    const again = entry.lost
    if (again) learning.learn(entry, { changed: false, failed: true, at: clock.now() }, now)
    else entry.lost = true
    if (again || entry.paused) planner.plan(entry, now)
    else if (entry.asked) queues.enterAsked(entry, now)
    else queues.enterReady(entry)
  }

  function enterOut(entry: WatchEntry, now: number): void {
    throttles.charge(entry, now)
    out++
    queues.enterTime(entry, 'out', now + timing.lostAfterMs)
  }

  function dispatch(entry: WatchEntry, now: number): Dispatch {
    spendToken(tokens, budgets, now)
    spendToken(requests, requestRate, now, entry.cost)
    entry.paid = entry.cost
    enterOut(entry, now)
    // It has left its queue: its budgets may let another held watch go.
    throttles.recheck(entry, now)
    return {
      id: entry.id,
      level: entry.level,
      why: entry.lost ? 'lost' : entry.asked ? 'asked' : 'due',
      dueAt: entry.dueAt,
      deadlineAt: watchTiming.promisedAt(entry),
    }
  }

  /** The next watch that may go. Moves those that may not to where they wait. */
  function takeReady(now: number, moves: { left: number }): WatchEntry | undefined {
    while (moves.left > 0) {
      const entry = queues.popReady()
      if (entry === undefined) return undefined
      const closed = planner.isClosed(entry)
      const blocker = closed ? null : throttles.blockerOf(entry, now)
      if (!closed && blocker === null) {
        queues.tookTurn(entry)
        return entry
      }
      moves.left--
      if (blocker !== null) queues.enterHeld(entry, blocker, now)
      else {
        record.noteSkipped(entry.level)
        throttles.dropClaim(entry, now)
        planner.plan(entry, now)
      }
      throttles.recheck(entry, now)
    }
    return undefined
  }

  /** Checks the next waiting watch a little early rather than let budget expire. */
  function takeEarly(now: number): WatchEntry | undefined {
    if (value === null || !value.isShort() || !isFull(requests, requestRate, now)) return undefined
    const entry = queues.firstWaiting()
    if (entry === undefined || entry.failures > 0 || now - entry.checkedAt < entry.everyMs) return undefined
    if (planner.isClosed(entry) || throttles.blockerOf(entry, now) !== null) return undefined
    queues.leave(entry, now)
    entry.dueAt = now
    return entry
  }

  function takeAsked(now: number): WatchEntry | undefined {
    const entry = queues.firstAsked()
    if (entry !== undefined) queues.leave(entry, now)
    return entry
  }

  /** Validates everything before anything is changed. */
  function check(watch: Watch): Checked {
    checkId(watch.id)
    const everyMs = checkedDuration(watch.everyMs, timing.minEveryMs)
    const everyMaxMs = checkedDuration(watch.everyMaxMs, everyMs)
    return { everyMs, everyMaxMs, hours: planner.hoursOf(watch.windows) }
  }

  /** Requires that the entry has no budget assigned, and is out or in no queue. */
  function write(entry: WatchEntry, watch: Watch, { everyMs, everyMaxMs, hours }: Checked): void {
    // An owner wants it more often than before: restart learning from the shorter interval.
    const known = everyMs < entry.everyMs ? 0 : entry.intervalMs
    entry.everyMs = everyMs
    entry.everyMaxMs = everyMaxMs
    // Under the policy `value` the interval may be longer than promised.
    entry.intervalMs = entry.belief === null ? Math.min(Math.max(known, everyMs), everyMaxMs) : Math.max(known, everyMs)
    entry.urgency = Math.min(Math.max(watch.urgency || 1, MIN_URGENCY), MAX_URGENCY)
    entry.paused = watch.paused
    entry.hours = hours
    throttles.assign(entry, watch.host, watch.payers)
    entry.demand = Math.max(watch.demand ?? 1, MIN_DEMAND)
    value?.plan(entry)
  }

  function add(watch: Watch, saved: WatchState | undefined, now: number): void {
    const checked = check(watch)
    const entry = createEntry(watch.id, watch.level)
    entry.groups = watch.groups ?? []
    if (saved !== undefined) learning.restore(entry, saved, { now: clock.now(), monotonic: now })
    entries.set(watch.id, entry)
    write(entry, watch, checked)
    planner.plan(entry, now)
  }

  function change(entry: WatchEntry, watch: Watch, now: number): void {
    const checked = check(watch)
    const { state } = entry
    if (state === 'out') queues.changeLevel(entry, watch.level)
    else queues.leave(entry, now)
    value?.release(entry)
    throttles.unassign(entry)
    if (state !== 'out') entry.level = watch.level
    write(entry, watch, checked)
    if (state === 'out') return
    const wasDue = state === 'ready' || state === 'held'
    if (state === 'asked' && !watch.paused) queues.enterAsked(entry, now)
    // It stays due, so that frequent changes of a profile do not delay its checks.
    else if (wasDue && !watch.paused && planner.isDue(entry, now)) queues.enterReady(entry)
    else planner.plan(entry, now)
  }

  return {
    set(watch, saved) {
      const now = clock.monotonic()
      const entry = entries.get(watch.id)
      if (entry === undefined) add(watch, saved, now)
      else change(entry, watch, now)
    },
    remove(id) {
      const entry = entries.get(id)
      if (entry === undefined) return
      if (entry.state === 'out') out--
      queues.leave(entry, clock.monotonic())
      value?.release(entry)
      throttles.unassign(entry)
      value?.forget(entry)
      learning.forget(entry)
      entries.delete(id)
    },
    checkNow(id) {
      const entry = entries.get(id)
      if (entry === undefined) return 'unknown'
      if (entry.state === 'out') return 'out-already'
      if (entry.state === 'paused') return 'paused'
      if (entry.state === 'asked') return 'asked'
      const now = clock.monotonic()
      queues.leave(entry, now)
      queues.enterAsked(entry, now)
      return 'asked'
    },
    take(max) {
      const now = clock.monotonic()
      planner.noticeJump(now)
      value?.sweep(now, (entry) => {
        if (entry.state !== 'waiting') return
        queues.leave(entry, now)
        planner.plan(entry, now)
      })
      wake(now)
      throttles.wake(now)
      const taken: Dispatch[] = []
      const moves = { left: MAX_MOVES }
      while (taken.length < max && out < budgets.maxInFlight) {
        let entry = takeAsked(now)
        if (entry === undefined && nextTokenAt(now) <= now) entry = takeReady(now, moves) ?? takeEarly(now)
        if (entry === undefined) break
        taken.push(dispatch(entry, now))
      }
      return taken
    },
    resume(id) {
      const entry = entries.get(id)
      if (entry === undefined || entry.state === 'out' || entry.state === 'paused') return
      const now = clock.monotonic()
      queues.leave(entry, now)
      enterOut(entry, now)
    },
    done(id, outcome) {
      const entry = entries.get(id)
      if (entry === undefined) return false
      const now = clock.monotonic()
      const isOut = entry.state === 'out'
      // A lost check may still come back, unless it was handed out again and reported.
      if (!isOut && !entry.lost) return false
      const handedOutAt = isOut ? entry.key - timing.lostAfterMs : now
      if (outcome.isVisit !== true && (!entry.asked || entry.dueAt <= now))
        record.note(entry.level, Math.max(0, now - entry.dueAt), now <= watchTiming.promisedAt(entry))
      if (isOut) out--
      settle(entry, outcome.requests ?? 1, now)
      queues.leave(entry, now)
      if (outcome.isVisit === true && !outcome.failed) {
        entry.asked = false
        entry.lost = false
      } else learning.learn(entry, outcome, handedOutAt)
      planner.plan(entry, now)
      return true
    },
    nextDueAt() {
      const now = clock.monotonic()
      let at = Math.min(queues.nextDueAt(), throttles.nextAwakeAt())
      if (out < budgets.maxInFlight) {
        if (queues.firstAsked() !== undefined) at = Math.min(at, now)
        else if (queues.total('ready') > 0) at = Math.min(at, nextTokenAt(now))
      }
      return at === Number.POSITIVE_INFINITY ? undefined : at
    },
    snapshot(id) {
      const entry = entries.get(id)
      return entry === undefined ? undefined : report.snapshot(entry)
    },
    stats: () => report.stats(lost),
    state(id) {
      const entry = entries.get(id)
      return entry === undefined ? undefined : stateOf(entry)
    },
    pace(id) {
      const entry = entries.get(id)
      return entry === undefined || value === null ? 0 : value.paceOf(entry)
    },
    takeUnsaved: learning.takeUnsaved,
  }
}
