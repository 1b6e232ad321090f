import type { ServiceLevel } from '../../../core/profile.ts'
import { serviceLevels } from '../watch.ts'
import { type Claim, frequencyOf, type ShareOut } from './share-out.ts'

/** How a budget is spent, and the freshness it buys. */
export type ValueReport = {
  /** Requests per day; null for no budget. */
  budgetPerDay: number | null
  /** Requests of the last day, extrapolated if running for less. */
  usedPerDay: number
  plannedPerDay: number
  /** Whether every source can be checked as often as promised. */
  holds: boolean
  now: Freshness
  /** With twice the budget. */
  doubled: Freshness
}

/** `fresh`: the expected share of sources unchanged since their last check. Delays run from a change to the check that finds it. */
export type Freshness = { fresh: number; delayMs: number; levels: Record<ServiceLevel, LevelDelay> }
export type LevelDelay = { sources: number; delayMs: number }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Expected share of time that a regularly checked source is unchanged since its last check, given the changes per interval. */
export const freshShare = (changes: number): number => (changes < 1e-9 ? 1 : -Math.expm1(-changes) / changes)

export type Spending = ReturnType<typeof createSpending>

/** Requests per hour over the last day. */
export function createSpending() {
  const hours = new Map<number, number>()
  let firstAt: number | null = null
  return {
    note(requests: number, now: number): void {
      firstAt ??= now
      const hour = Math.floor(now / HOUR_MS)
      hours.set(hour, (hours.get(hour) ?? 0) + requests)
      for (const each of hours.keys()) if (each <= hour - 24) hours.delete(each)
    },
    perDay(now: number): number {
      const since = Math.max(firstAt ?? now, (Math.floor(now / HOUR_MS) - 23) * HOUR_MS)
      let requests = 0
      for (const [hour, count] of hours) if (hour > now / HOUR_MS - 24) requests += count
      // The first hour is full of first checks: don't extrapolate from less.
      return (requests * DAY_MS) / Math.max(now - since, HOUR_MS)
    },
  }
}

export type ValueFacts = {
  sample: readonly Claim[]
  /** Sources represented by each sample. */
  each: number
  shared: ShareOut
  doubled: ShareOut
  spending: Spending
  now: number
  budget: number
}

export function valueReport({ sample, each, shared, doubled, spending, now, budget }: ValueFacts): ValueReport {
  const planned = sample.reduce((sum, claim) => sum + claim.cost * frequencyOf(claim, shared), 0) * each
  return {
    budgetPerDay: Number.isFinite(budget) ? budget * DAY_MS : null,
    usedPerDay: spending.perDay(now),
    plannedPerDay: planned * DAY_MS,
    holds: shared.holds,
    now: freshnessOf(sample, each, shared),
    doubled: freshnessOf(sample, each, doubled),
  }
}

function freshnessOf(sample: readonly Claim[], each: number, shared: ShareOut): Freshness {
  const levels = serviceLevels.map(() => ({ weight: 0, delay: 0, sources: 0 }))
  let fresh = 0
  for (const claim of sample) {
    const everyMs = 1 / frequencyOf(claim, shared)
    // Rate × demand.
    const waited = claim.weight ** 2 * claim.cost
    const level = levels[claim.level]!
    level.weight += waited
    level.delay += (waited * everyMs) / 2
    level.sources += each
    fresh += freshShare(claim.rate * everyMs)
  }
  const mean = (delay: number, weight: number): number => (weight === 0 ? 0 : delay / weight)
  const sum = (key: 'weight' | 'delay'): number => levels.reduce((total, level) => total + level[key], 0)
  return {
    fresh: sample.length === 0 ? 1 : fresh / sample.length,
    delayMs: mean(sum('delay'), sum('weight')),
    levels: Object.fromEntries(
      serviceLevels.map((name, at) => {
        const { weight, delay, sources } = levels[at]!
        return [name, { sources: Math.round(sources), delayMs: mean(delay, weight) }]
      }),
    ) as Freshness['levels'],
  }
}
