import type { Word } from '../terms/term-view.ts'
import type { TextPattern } from './text-pattern.ts'

/** Something that a document has or has not. */
export type Leaf = WordsLeaf | SiteLeaf | PatternLeaf

/** A word, or several that stand behind each other. */
export type WordsLeaf = {
  readonly kind: 'words'
  /** As the user wrote it. */
  readonly text: string
  /** At least one; stems where the interests are compared by stems. */
  readonly words: readonly Word[]
  /** For each word whether it follows the one before without anything between, as in scripts without spaces. Null where none does. */
  readonly joined: readonly boolean[] | null
  /** The last word may go on; it is then never a stem. */
  readonly prefix: boolean
  readonly where: 'anywhere' | 'title'
}

/** The host, and all hosts below it. */
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
