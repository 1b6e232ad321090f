import { AppError } from '../../core/errors.ts'
import type { WordsLeaf } from '../interests/condition.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'
import { createTermStatistics, type TermStatistics } from './term-statistics.ts'

/**
 * How much a keyword found in a document is worth. Relevance is the sum over all keywords found, each rounded to three decimals,
 * so that the sum doesn't depend on the order, and an explanation can show its parts.
 */
export type Scorer = {
  readonly name: string
  /**
   * No keyword is ever worth more than its weight. The match index can then skip profiles that can't reach their threshold.
   */
  readonly isBoundedByWeight: boolean
  /** Whether `count` is used. If not, it is always 1, and phrases are found faster. */
  readonly needsCounts: boolean
  /** Not negative. */
  worth(hit: KeywordHit, document: DocumentStats): number
}

type KeywordHit = {
  readonly leaf: WordsLeaf
  readonly weight: number
  /** Occurrences, at least 1. */
  readonly count: number
  readonly stemming: string
}

type DocumentStats = { readonly tokens: number }

/** In thousandths. Invalid values of a plug-in count as 0. */
export function worthOf(scorer: Scorer, hit: KeywordHit, document: DocumentStats): number {
  const worth = Math.round(scorer.worth(hit, document) * 1000)
  return worth > 0 && worth < Number.MAX_SAFE_INTEGER ? worth : 0
}

/** The sum of the weights of the keywords found, however often they occur. */
export const keywordsScorer: Scorer = {
  name: 'keywords',
  isBoundedByWeight: true,
  needsCounts: false,
  worth: ({ weight }) => weight,
}

/** The scorers that profiles may name. */
export type Scorers = {
  find(name: string): Scorer | undefined
  names(): string[]
}

/** The scorer of the papers is always included; others, BM25 and plug-ins, are given. Duplicate names are rejected. */
export function createScorers(others: readonly Scorer[] = []): Scorers {
  const known = new Map<string, Scorer>()
  for (const scorer of [keywordsScorer, ...others]) {
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(scorer.name))
      throw new AppError(
        'config-invalid',
        `a scorer's name is made of small letters, digits and hyphens: ${scorer.name}`,
      )
    if (known.has(scorer.name)) throw new AppError('config-invalid', `there are two scorers named ${scorer.name}`)
    known.set(scorer.name, scorer)
  }
  return { find: (name) => known.get(name), names: () => [...known.keys()] }
}

export const defaultScorers: Scorers = createScorers()

/** How fast further occurrences lose value, and how strongly long documents are penalised. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/**
 * Okapi BM25: rare words count more than common ones, many occurrences more than one but with diminishing returns, and long
 * documents need more occurrences. The weight is a factor. A phrase is as rare as the rarest of its words.
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

/** The scorers available to every profile: `keywords` as in the papers, `bm25`, which learns how common words are, and others. */
export function createBuiltInScorers(others: readonly Scorer[] = []): {
  scorers: Scorers
  learn(document: DocumentTerms): void
} {
  const statistics = createTermStatistics()
  return { scorers: createScorers([createBm25Scorer(statistics), ...others]), learn: statistics.learn }
}
