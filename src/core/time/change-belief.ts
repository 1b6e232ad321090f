/**
 * What is believed about how often a source changes: a gamma distribution over its rate, `shape / spanMs` changes per millisecond on
 * average. It starts from what is known of similar sources (`services/scheduler/value/priors.ts`) and takes in every check.
 *
 * A check says only whether something changed since the last one, not how often. If changes come at random with rate r, a check after
 * time t finds none with probability exp(-rt). "None" keeps the distribution a gamma: the span grows by t. "Some" does not, so the gamma
 * with the same mean and variance takes its place (assumed density filtering). Two numbers hold the whole history, checks may be
 * unequally far apart, and a source that changes faster than it is checked isn't underestimated as by changes divided by time.
 */
export type Belief = { shape: number; spanMs: number }

/** Sources of one kind differ a hundredfold and more: what is known of others weighs a third of a change. */
const PRIOR_SHAPE = 0.35

const DAY_MS = 86_400_000
/** More than this many changes, or this long a silence, isn't remembered: sources wake up, fall asleep and move. */
const MAX_SHAPE = 50
const MAX_SPAN_MS = 120 * DAY_MS

/** Changes per millisecond, on average. */
export const rateOf = ({ shape, spanMs }: Belief): number => shape / spanMs

export const priorBelief = (ratePerMs: number): Belief => ({ shape: PRIOR_SHAPE, spanMs: PRIOR_SHAPE / ratePerMs })

/** After a check that came `elapsedMs` after the last one. */
export function believe(belief: Belief, elapsedMs: number, changed: boolean): Belief {
  if (!(elapsedMs > 0)) return belief
  return changed ? afterChange(belief, elapsedMs) : remembered({ ...belief, spanMs: belief.spanMs + elapsedMs })
}

/** After changes whose number is known, as from the dates of a feed's entries or a Last-Modified header. */
export const believeCount = ({ shape, spanMs }: Belief, changes: number, elapsedMs: number): Belief =>
  remembered({ shape: shape + changes, spanMs: spanMs + elapsedMs })

function afterChange({ shape, spanMs }: Belief, elapsedMs: number): Belief {
  // The density is the gamma's times 1 - exp(-rt): the difference of two gammas, whose moments are known.
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

/** The more changes were seen, the longer the time they were seen in. */
const longest = (shape: number): number => (MAX_SPAN_MS * Math.max(shape, PRIOR_SHAPE)) / PRIOR_SHAPE
