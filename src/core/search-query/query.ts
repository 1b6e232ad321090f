/** A parsed search query, independent of any engine's syntax. */
export type SearchQuery = {
  /** Null: everything that lies within the times. */
  match: QueryNode | null
  /** First seen before this moment; null for no limit. */
  beforeMs: number | null
  /** First seen at this moment or later; null for no limit. */
  afterMs: number | null
}

export type QueryNode =
  | WordsNode
  /** The host, and all hosts below it. */
  | { kind: 'site'; host: string }
  | { kind: 'and'; nodes: readonly QueryNode[] }
  | { kind: 'or'; nodes: readonly QueryNode[] }
  | { kind: 'not'; node: QueryNode }

/** One or more consecutive words, of letters, digits and marks only. */
export type WordsNode = {
  kind: 'words'
  words: readonly string[]
  /** The last word may go on. */
  prefix: boolean
  where: 'title' | 'anywhere'
}

/** From (inclusive) and to (exclusive), in UTF-16 units of the text that it belongs to. */
export type Mark = readonly [from: number, to: number]
