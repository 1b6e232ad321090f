/**
 * The belief about how often a source changes: a gamma distribution over its rate, with a mean of `shape / spanMs` changes per millisecond.
 * It starts from what is known of similar sources (`services/scheduler/value/priors.ts`) and is updated by every check.
 *
 * A check shows only whether something changed since the last one, not how often. If changes are a Poisson process of rate r, a check after
 * time t finds none with probability exp(-rt). "None" keeps the distribution a gamma: the span grows by t. "Some" doesn't, so it is
 * replaced by the gamma with the same mean and variance (assumed density filtering). Two numbers hold the whole history, checks may be
 * unevenly spaced, and a source that changes faster than it is checked isn't underestimated, as it would be by changes divided by time.
 */
export type Belief = { shape: number; spanMs: number }

/** Sources of one kind differ a hundredfold and more, so the prior weighs only a third of a change. */
const PRIOR_SHAPE = 0.35

const DAY_MS = 86_400_000
/** Limits of memory, in changes and in time without any: sources wake up, fall asleep and move. */
const MAX_SHAPE = 50
const MAX_SPAN_MS = 120 * DAY_MS

/** Mean rate, in changes per millisecond. */
export const rateOf = ({ shape, spanMs }: Belief): number => shape / spanMs

export const priorBelief = (ratePerMs: number): Belief => ({ shape: PRIOR_SHAPE, spanMs: PRIOR_SHAPE / ratePerMs })

/** Updates the belief after a check that came `elapsedMs` after the last one. */
export function believe(belief: Belief, elapsedMs: number, changed: boolean): Belief {
  if (!(elapsedMs > 0)) return belief
  return changed ? afterChange(belief, elapsedMs) : remembered({ ...belief, spanMs: belief.spanMs + elapsedMs })
}

/** Updates the belief after a known number of changes, as from the dates of a feed's entries or a Last-Modified header. */
export const believeCount = ({ shape, spanMs }: Belief, changes: number, elapsedMs: number): Belief =>
  remembered({ shape: shape + changes, spanMs: spanMs + elapsedMs })

function afterChange({ shape, spanMs }: Belief, elapsedMs: number): Belief {
  // The posterior density is the gamma's times 1 - exp(-rt): the difference of two gammas, whose moments are known.
  const log = Math.log1p(elapsedMs / spanMs)
  const found = -Math.expm1(-shape * log)
  const mean = ((shape / spanMs) * -Math.expm1(-(shape + 1) * log)) / found
  const square = (((shape * (shape + 1)) / spanMs ** 2) * -Math.expm1(-(shape + 2) * log)) / found
  const variance = Math.max(square - mean ** 2, mean ** 2 / MAX_SHAPE)
  return remembered({ shape: mean ** 2 / variance, spanMs: mean / variance })
}

function remembered({ shape, spanMs }: Belief): Belief {
  const over = shape / MAX_SHAPE
  return over > 1 ? { shape: MAX_SHAPE, spanMs: spanMs / over } : { shape, spanMs: Math.min(spanMs, longest(shape)) }
}

/** The more changes were seen, the longer the time they may span. */
const longest = (shape: number): number => (MAX_SPAN_MS * Math.max(shape, PRIOR_SHAPE)) / PRIOR_SHAPE
