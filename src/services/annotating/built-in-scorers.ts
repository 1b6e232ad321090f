import { createBm25Scorer } from '../../matching/score/bm25-scorer.ts'
import { createScorers, type Scorers } from '../../matching/score/scorers.ts'
import { createTermStatistics } from '../../matching/score/term-statistics.ts'
import type { DocumentTerms } from '../../matching/terms/document-terms.ts'

/** The scorers that every profile may name: `keywords` as in the papers, and `bm25`, which learns how common words are. */
export function createBuiltInScorers(): { scorers: Scorers; learn(document: DocumentTerms): void } {
  const statistics = createTermStatistics()
  return { scorers: createScorers([createBm25Scorer(statistics)]), learn: statistics.learn }
}
