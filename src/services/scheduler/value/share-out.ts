/**
 * Shares a budget of requests out among sources so that changes are noticed early where they matter. If a source changes at rate r, d
 * people want to know, and it is checked with frequency f, a change waits 1/2f on average: the sum of r·d/2f is least, for a given sum
 * of c·f (c requests each), when f is proportional to √(r·d/c). Each frequency stays within its source's bounds.
 */
export type Claim = {
  /** √(rate × demand / cost): the frequency is proportional to it. */
  weight: number
  /** Changes per millisecond. */
  rate: number
  /** Requests per check. */
  cost: number
  /** Bounds of its frequency, in checks per millisecond. */
  least: number
  most: number
  level: number
}

export type ShareOut = {
  /** Factor applied to the weights, by level; infinite if every source gets its upper bound. */
  scales: readonly number[]
  /** Whether every source can be checked as often as promised. */
  holds: boolean
}

/** Minimum frequency if promises can't be kept. */
const RAREST = 1 / (30 * 86_400_000)

/** Checks per millisecond. `factor` (0 to 1) applies the limits of its host and users. */
export function frequencyOf(claim: Claim, { scales, holds }: ShareOut, factor = 1): number {
  const { least, most } = holds ? claim : broken(claim)
  const wished = factor * within(scales[claim.level]! * claim.weight, least, most)
  return Math.max(wished, Math.min(claim.least, RAREST))
}

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** Bounds if promises can't be kept: no source is checked more often than promised. */
const broken = (claim: Claim): Claim => ({ ...claim, least: Math.min(claim.least, RAREST), most: claim.least })

const STEPS = 50

/**
 * `budget` is in requests per millisecond. If it can't keep all promises, each level gets its share, with what one level doesn't need
 * going to the others; within a level the most valuable promises are kept best.
 */
export function shareOut(claims: readonly Claim[], budget: number, shares: readonly number[]): ShareOut {
  const needs = shares.map(() => 0)
  for (const { level, cost, least } of claims) needs[level] = needs[level]! + cost * least
  const holds = needs.reduce((sum, need) => sum + need, 0) <= budget
  if (holds) {
    const scale = scaleFor(claims, budget)
    return { scales: shares.map(() => scale), holds }
  }
  const budgets = fairParts(needs, budget, shares)
  const scales = shares.map((_, level) =>
    scaleFor(
      claims.flatMap((claim) => (claim.level === level ? broken(claim) : [])),
      budgets[level]!,
    ),
  )
  return { scales, holds }
}

/** The factor on all weights at which the frequencies use up the budget, by bisection. */
export function scaleFor(claims: readonly Claim[], budget: number): number {
  const used = (scale: number): number =>
    claims.reduce((sum, { cost, weight, least, most }) => sum + cost * within(scale * weight, least, most), 0)
  if (claims.reduce((sum, { cost, most }) => sum + cost * most, 0) <= budget) return Number.POSITIVE_INFINITY
  let low = Number.POSITIVE_INFINITY
  let high = 0
  for (const { weight, most } of claims) {
    if (weight <= 0) continue
    low = Math.min(low, most / weight)
    high = Math.max(high, most / weight)
  }
  low /= 1e9
  for (let step = 0; step < STEPS && high / low > 1.0001; step++) {
    const middle = Math.sqrt(low * high)
    if (used(middle) > budget) high = middle
    else low = middle
  }
  return low
}

/** Weighted fair parts of a budget, none larger than its need. */
export function fairParts(needs: readonly number[], budget: number, shares: readonly number[]): number[] {
  const parts = needs.map(() => 0)
  const open = new Set(needs.keys())
  for (let left = budget; open.size > 0; ) {
    const total = [...open].reduce((sum, at) => sum + shares[at]!, 0)
    const full = [...open].filter((at) => needs[at]! <= (left * shares[at]!) / total)
    if (full.length === 0) {
      for (const at of open) parts[at] = (left * shares[at]!) / total
      return parts
    }
    for (const at of full) {
      parts[at] = needs[at]!
      left -= needs[at]!
      open.delete(at)
    }
  }
  return parts
}
