import type { Scorer } from './scorer.ts'
import type { TermStatistics } from './term-statistics.ts'

/** How fast further occurrences lose their worth, and how much long documents are held back. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/**
 * Okapi BM25: rare words count more than common ones, many occurrences more than one but with less and less gain, and
 * long documents must say more. The weight multiplies. A phrase is as rare as the rarest of its words.
 */
export function createBm25Scorer(statistics: TermStatistics): Scorer {
  return {
    name: 'bm25',
    isBoundedByWeight: false,
    needsCounts: true,
    worth({ leaf, weight, count, stemming }, { tokens }) {
      const documents = statistics.documents()
      let seenIn = documents
      for (const word of leaf.words) seenIn = Math.min(seenIn, statistics.documentsWith(word, stemming))
      const rarity = Math.log(1 + (documents - seenIn + 0.5) / (seenIn + 0.5))
      const lengths = 1 - LENGTH_SHARE + (LENGTH_SHARE * tokens) / Math.max(1, statistics.averageTokens())
      return (weight * rarity * count * (SATURATION + 1)) / (count + SATURATION * lengths)
    },
  }
}
