import type { Scorer } from './scorer.ts'

/** The sum of the weights of the keywords present, however often they occur. */
export const keywordsScorer: Scorer = {
  name: 'keywords',
  isBoundedByWeight: true,
  needsCounts: false,
  worth: ({ weight }) => weight,
}
