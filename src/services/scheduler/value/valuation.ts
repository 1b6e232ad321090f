import type { ServiceLevel } from '../../../core/profile.ts'
import { type Belief, priorBelief, rateOf } from '../../../core/time/change-belief.ts'
import { phaseOf } from '../timing.ts'
import { serviceLevels } from '../watch.ts'
import type { Bucket, WatchEntry } from '../watch-entry.ts'
import { createPriors } from './priors.ts'
import { type Claim, frequencyOf, type ShareOut, shareOut } from './share-out.ts'
import { createSpending, type ValueReport, valueReport } from './value-report.ts'

/**
 * The policy `value`: sets check intervals from each source's estimated change rate, the demand for it and the budget.
 *
 * `sweep` goes through all sources continuously, a few per call, once an hour. It gathers each source's claim (of many sources, a sample);
 * at its end the budget is shared out anew, and the next sweep applies the new intervals. So new estimates, owners and limits take effect
 * within two hours and never all at once. A source that was just checked gets its new interval at once.
 *
 * Hosts and users with limits of their own have a factor from 0 to 1 for all their sources. Each time one of these is planned, the factor
 * moves a little towards the value at which the planned requests meet the limit.
 */
export type Valuation = {
  /** Sets the interval of a watch from current estimates. */
  plan(entry: WatchEntry): void
  /** The current belief, or the prior before the first check. */
  beliefOf(entry: WatchEntry): Belief
  learn(entry: WatchEntry, belief: Belief): void
  /** Call before its owners change and before it is removed. */
  release(entry: WatchEntry): void
  forget(entry: WatchEntry): void
  /** Continues the sweep; calls `moved` for watches whose interval changed noticeably. */
  sweep(now: number, moved: (entry: WatchEntry) => void): void
  /** Whether more checks are worth making than the budget allows. */
  isShort(): boolean
  spend(requests: number, now: number): void
  /** Pace of the pages below the source, in √ms: a page with change rate r has the interval pace/√r. 0 for no wait. */
  paceOf(entry: WatchEntry): number
  report(now: number): ValueReport
}

export type ValueOptions = {
  /** Requests per millisecond; infinite for no budget. */
  budget: number
  shares: Readonly<Record<ServiceLevel, number>>
  /** Limits of one host and of one user, in requests per millisecond. */
  hostLimit: number
  userLimit(owner: string): number
}

const SWEEP_MS = 3_600_000
const MAX_SAMPLE = 10_000
const MAX_STEP = 10_000
/** Plans slightly more than the budget: every check is a little late, and no budget stays unused. */
const OVERCOMMIT = 1.06
/** Target number of changes per interval if there is no budget. */
const CHANGES_PER_CHECK = 0.5
const SMALLEST_FACTOR = 1e-6
/** Relative difference from which a new interval is applied. */
const CLEARLY = 0.05

/** `capacity`: maximum checks per millisecond. */
export function createValuation(
  options: ValueOptions,
  entries: ReadonlyMap<number, WatchEntry>,
  capacity: number,
): Valuation {
  const { budget, hostLimit } = options
  const priors = createPriors()
  const spending = createSpending()
  const shares = serviceLevels.map((level) => options.shares[level])
  const hasBudget = budget !== Number.POSITIVE_INFINITY
  let shared: ShareOut = { scales: shares.map(() => Number.POSITIVE_INFINITY), holds: true }
  let sample: Claim[] = []
  let gathered: Claim[] = []
  /** Claims represented by each sample. */
  let each = 1
  let seen = 0
  let sweeping: MapIterator<WatchEntry> | null = null
  let sweptAt = Number.NEGATIVE_INFINITY
  let sizeThen = 0

  const beliefOf = ({ belief, groups }: WatchEntry): Belief => belief ?? priorBelief(priors.expect(groups))

  function claimOf(entry: WatchEntry): Claim {
    const { demand, cost, everyMs, everyMaxMs, observedMs } = entry
    const rate = rateOf(beliefOf(entry))
    const least = 1 / everyMaxMs
    // Without a budget, trust a source to stay quiet only for as long as it has been observed.
    const trusted = 1 / (everyMs + observedMs)
    const most = hasBudget ? 1 / everyMs : Math.min(Math.max(rate / CHANGES_PER_CHECK, least, trusted), 1 / everyMs)
    const weight = Math.sqrt((rate * demand) / cost)
    return { weight, rate, cost, least, most, level: serviceLevels.indexOf(entry.level) }
  }

  /** The smaller of its host's factor and its best user's. */
  function factorOf({ host, payers }: WatchEntry): number {
    let user = payers.length === 0 ? 1 : 0
    for (const { factor } of payers) user = Math.max(user, factor)
    return Math.min(host?.factor ?? 1, user)
  }

  /** Updates the planned requests of a watch, and with it the load of its host and users. */
  function load(entry: WatchEntry, requests: number): void {
    const more = requests - entry.load
    entry.load = requests
    if (entry.host !== null) settle(entry.host, more, hostLimit)
    for (const user of entry.payers) settle(user, more / entry.payers.length, options.userLimit(user.name))
  }

  function settle(bucket: Bucket, more: number, limit: number): void {
    bucket.load = Math.max(0, bucket.load + more)
    if (limit === Number.POSITIVE_INFINITY || bucket.load === 0) return
    // Each source applies a part of the correction; together they apply all of it.
    const step = (limit / bucket.load) ** (1 / Math.max(1, bucket.references))
    bucket.factor = Math.min(1, Math.max(SMALLEST_FACTOR, bucket.factor * step))
  }

  function gather(entry: WatchEntry): void {
    if (entry.paused || entry.state === 'shut') return
    seen++
    if (entries.size <= MAX_SAMPLE || phaseOf(entry.id) < MAX_SAMPLE / entries.size) gathered.push(claimOf(entry))
  }

  const perSample = (requests: number): number => (requests * (hasBudget ? OVERCOMMIT : 1)) / each

  function endSweep(): void {
    each = gathered.length === 0 ? 1 : seen / gathered.length
    sample = gathered
    gathered = []
    seen = 0
    sweeping = null
    shared = shareOut(sample, perSample(Math.min(budget, capacity)), shares)
  }

  function plan(entry: WatchEntry): void {
    const claim = claimOf(entry)
    const frequency = frequencyOf(claim, shared, factorOf(entry))
    entry.intervalMs = 1 / frequency
    load(entry, entry.paused ? 0 : frequency * claim.cost)
  }

  return {
    plan,
    beliefOf,
    learn(entry, belief) {
      const before = entry.belief === null ? 0 : rateOf(entry.belief)
      entry.belief = belief
      priors.move(entry.groups, before, rateOf(belief))
    },
    release: (entry) => load(entry, 0),
    forget(entry) {
      if (entry.belief !== null) priors.move(entry.groups, rateOf(entry.belief), 0)
    },
    sweep(now, moved) {
      // After many additions, sweep at full speed.
      const isHasty = entries.size > 1.2 * sizeThen
      if (!isHasty && sweeping === null && now - sweptAt < SWEEP_MS / 100) return
      const due = isHasty ? MAX_STEP : Math.ceil((entries.size * (now - sweptAt)) / SWEEP_MS)
      sweptAt = now
      for (let left = Math.min(due, MAX_STEP); left > 0; left--) {
        sweeping ??= entries.values()
        const { value: entry, done } = sweeping.next()
        if (done === true) {
          endSweep()
          sizeThen = entries.size
          break
        }
        gather(entry)
        const before = entry.intervalMs
        plan(entry)
        if (Math.abs(entry.intervalMs - before) > CLEARLY * before) moved(entry)
      }
    },
    isShort: () => hasBudget && shared.scales.some(Number.isFinite),
    spend: spending.note,
    paceOf(entry) {
      const scale = shared.scales[serviceLevels.indexOf(entry.level)]! * factorOf(entry)
      return scale === Number.POSITIVE_INFINITY ? 0 : 1 / (scale * Math.sqrt(entry.demand))
    },
    report: (now) =>
      valueReport({
        ...{ sample, each, shared, spending, now, budget },
        doubled: shareOut(sample, perSample(Math.min(2 * budget, capacity)), shares),
      }),
  }
}
