/** A parsed search query, independent of any engine's syntax. */
export type SearchQuery = {
  /** Null: everything within the times. */
  match: QueryNode | null
  /** First seen before this moment; null for no limit. */
  beforeMs: number | null
  /** First seen at this moment or later; null for no limit. */
  afterMs: number | null
}

export type QueryNode =
  | WordsNode
  /** The host and all its subdomains. */
  | { kind: 'site'; host: string }
  | { kind: 'and'; nodes: readonly QueryNode[] }
  | { kind: 'or'; nodes: readonly QueryNode[] }
  | { kind: 'not'; node: QueryNode }

/** One or more consecutive words, of letters, digits and marks only. */
export type WordsNode = {
  kind: 'words'
  words: readonly string[]
  /** The last word is a prefix. */
  prefix: boolean
  where: 'title' | 'anywhere'
}

/** Start (inclusive) and end (exclusive), in UTF-16 code units of its text. */
export type Mark = readonly [from: number, to: number]
