import type { ServiceLevel } from '../../../core/profile.ts'
import { type Belief, priorBelief, rateOf } from '../../../core/time/change-belief.ts'
import { phaseOf } from '../timing.ts'
import { serviceLevels } from '../watch.ts'
import type { Bucket, WatchEntry } from '../watch-entry.ts'
import { createPriors } from './priors.ts'
import { type Claim, frequencyOf, type ShareOut, shareOut } from './share-out.ts'
import { createSpending, type ValueReport, valueReport } from './value-report.ts'

/**
 * The policy `value`: how often each source is worth a check, from what is believed about its changes, who waits for them and what the
 * budget allows.
 *
 * All sources are gone over again and again, a few with each call, an hour for all: `sweep`. On its way a sweep gathers what each source
 * claims (of many sources, a sample); at its end the budget is shared out anew, and the next sweep moves the sources to their new times.
 * So estimates that move, owners that come and limits that change take effect within two hours and never all at once. A source that
 * was just checked gets its new interval at once.
 *
 * Hosts and users with limits of their own have a factor from 0 to 1 for all their sources. Each time one of them is planned the factor
 * moves a little to where the planned requests meet the limit.
 */
export type Valuation = {
  /** Sets the interval of a watch from what is known now. */
  plan(entry: WatchEntry): void
  /** What is believed now, also before the first check. */
  beliefOf(entry: WatchEntry): Belief
  learn(entry: WatchEntry, belief: Belief): void
  /** Before its owners change, and before it is removed. */
  release(entry: WatchEntry): void
  forget(entry: WatchEntry): void
  /** Goes on with the sweep; `moved` is called for those whose interval is clearly another one. */
  sweep(now: number, moved: (entry: WatchEntry) => void): void
  /** Whether more checks are worth making than the budget has. */
  isShort(): boolean
  spend(requests: number, now: number): void
  /** How long pages below the source wait, in √ms: the interval of one with rate r is this by √r. 0 for no wait. */
  paceOf(entry: WatchEntry): number
  report(now: number): ValueReport
}

export type ValueOptions = {
  /** Requests per millisecond; infinite for no budget. */
  budget: number
  shares: Readonly<Record<ServiceLevel, number>>
  /** Requests per millisecond, both, for one host and one user. */
  hostLimit: number
  userLimit(owner: string): number
}

const SWEEP_MS = 3_600_000
const MAX_SAMPLE = 10_000
const MAX_STEP = 10_000
/** A little more is planned than can be done: all are late by a little, and the budget is never idle. */
const OVERCOMMIT = 1.06
/** Without a budget: changes that one interval shall have on average. */
const CHANGES_PER_CHECK = 0.5
const SMALLEST_FACTOR = 1e-6
/** Sources are moved when their interval differs by more than this. */
const CLEARLY = 0.05

/** `capacity`: checks per millisecond that can be made at all. */
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
  /** Claims that each of the sample stands for. */
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
    // With no need to save, a source is trusted to be quiet for as long as it has been seen to be.
    const trusted = 1 / (everyMs + observedMs)
    const most = hasBudget ? 1 / everyMs : Math.min(Math.max(rate / CHANGES_PER_CHECK, least, trusted), 1 / everyMs)
    const weight = Math.sqrt((rate * demand) / cost)
    return { weight, rate, cost, least, most, level: serviceLevels.indexOf(entry.level) }
  }

  /** What its host leaves, and the one of its users who can pay best. */
  function factorOf({ host, payers }: WatchEntry): number {
    let user = payers.length === 0 ? 1 : 0
    for (const { factor } of payers) user = Math.max(user, factor)
    return Math.min(host?.factor ?? 1, user)
  }

  /** Writes the planned requests of a watch to the accounts of its host and its users. */
  function load(entry: WatchEntry, requests: number): void {
    const more = requests - entry.load
    entry.load = requests
    if (entry.host !== null) settle(entry.host, more, hostLimit)
    for (const user of entry.payers) settle(user, more / entry.payers.length, options.userLimit(user.name))
  }

  function settle(bucket: Bucket, more: number, limit: number): void {
    bucket.load = Math.max(0, bucket.load + more)
    if (limit === Number.POSITIVE_INFINITY || bucket.load === 0) return
    // Together, all its sources have the whole effect.
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
      // Many new sources at once are shared out at once.
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
