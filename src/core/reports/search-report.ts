import type { SearchQuery } from '../search-query/query.ts'
import type { Snippet } from '../search-query/snippet.ts'

export type SearchRequest = {
  /** Null to rebuild the index only. */
  query: SearchQuery | null
  limit: number
  offset: number
  /** Whether to index new versions first. */
  update: boolean
  /** Whether to discard and rebuild the index. */
  rebuild: boolean
}

export type SearchHit = {
  url: string
  /** Number of the version within its document. */
  n: number
  /** When it was first seen, ISO 8601 UTC. */
  at: string
  title: string
  /** Positions of the query's words in the title. */
  titleMarks: Snippet['marks']
  /** Higher is better; only comparable within one answer. */
  score: number
  snippet: Snippet
}

export type SearchReport = {
  items: SearchHit[]
  /** Number of matching documents; a lower bound if `totalIsLowerBound`. */
  total: number
  totalIsLowerBound: boolean
  /** Too many versions match: only the newest were ranked. */
  approximate: boolean
  /** Search time, without the indexing of new versions. */
  tookMs: number
  index: IndexReport
}

export type IndexReport = {
  /** Versions in the index. */
  versions: number
  /** Versions indexed for this answer. */
  added: number
  /** Versions ever skipped, by reason. */
  passedOver: Record<PassedOver, number>
}

/** Why a version is not indexed: its media type has no text, its body is no longer there or never was, or its record is damaged. */
export type PassedOver = 'textless' | 'bodiless' | 'damaged'

export type IndexProgress = { looked: number; total: number }
