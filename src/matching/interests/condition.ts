import type { Word } from '../terms/term-view.ts'
import type { TextPattern } from './text-pattern.ts'

/** Something a document has or doesn't have. */
export type Leaf = WordsLeaf | SiteLeaf | PatternLeaf

/** A word or a phrase. */
export type WordsLeaf = {
  readonly kind: 'words'
  /** As the user wrote it. */
  readonly text: string
  /** At least one; stems if the interests are compared by stems. */
  readonly words: readonly Word[]
  /** By word: whether it directly follows the one before, as in scripts without spaces. Null if none does. */
  readonly joined: readonly boolean[] | null
  /** The last word is a prefix, and then never a stem. */
  readonly prefix: boolean
  readonly where: 'anywhere' | 'title'
}

/** The host and all its subdomains. */
export type SiteLeaf = { readonly kind: 'site'; readonly text: string; readonly host: Word }

export type PatternLeaf = {
  readonly kind: 'pattern'
  readonly text: string
  readonly pattern: TextPattern
  readonly where: 'anywhere' | 'title'
}

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
