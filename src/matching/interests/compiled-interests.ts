import type { Scorer } from '../score/scorer.ts'
import type { Condition, WordsLeaf } from './condition.ts'

/** Interests made ready to be held against documents. Valid in the thread that made them: hashes and patterns are its own. */
export type CompiledInterests = {
  /** '' where words are compared as they are spelled. */
  readonly stemming: string
  readonly keywords: readonly CompiledKeyword[]
  readonly exclude: readonly WordsLeaf[]
  readonly expression: { readonly source: string; readonly condition: Condition } | null
  readonly threshold: number
  readonly scorer: Scorer
}

export type CompiledKeyword = {
  /** As the user wrote it. */
  readonly key: string
  readonly leaf: WordsLeaf
  /** With three decimals at most. */
  readonly weight: number
}
