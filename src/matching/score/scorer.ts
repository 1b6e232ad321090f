import type { WordsLeaf } from '../interests/condition.ts'

/**
 * How much a keyword that a document has is worth. Relevance is the sum over all keywords that are present, each
 * rounded to three decimals, so that it is the same in whatever order it is added up, and an explanation can show its parts.
 */
export type Scorer = {
  readonly name: string
  /**
   * No keyword is ever worth more than its weight. The match index then leaves out, unseen, what cannot reach its threshold.
   */
  readonly isBoundedByWeight: boolean
  /** Whether `count` is used. Where it is not, 1 is given for everything that is there, and phrases are found faster. */
  readonly needsCounts: boolean
  /** Not negative. */
  worth(hit: KeywordHit, document: DocumentStats): number
}

export type KeywordHit = {
  readonly leaf: WordsLeaf
  readonly weight: number
  /** Occurrences, at least 1. */
  readonly count: number
  readonly stemming: string
}

export type DocumentStats = { readonly tokens: number }

/** In thousandths; what a plug-in should not have said counts as nothing. */
export function worthOf(scorer: Scorer, hit: KeywordHit, document: DocumentStats): number {
  const worth = Math.round(scorer.worth(hit, document) * 1000)
  return worth > 0 && worth < Number.MAX_SAFE_INTEGER ? worth : 0
}
