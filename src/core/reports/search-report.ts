import type { SearchQuery } from '../search-query/query.ts'
import type { Snippet } from '../search-query/snippet.ts'

export type SearchRequest = {
  /** Null where only the index is to be made anew. */
  query: SearchQuery | null
  limit: number
  offset: number
  /** Whether new versions are indexed first. */
  update: boolean
  /** Whether the index is thrown away and made anew. */
  rebuild: boolean
}

export type SearchHit = {
  url: string
  /** Which version of the document. */
  n: number
  /** When it was first seen, ISO 8601 UTC. */
  at: string
  title: string
  /** Positions of the words in the title. */
  titleMarks: Snippet['marks']
  /** Greater is better; comparable within one answer alone. */
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
  /** Time of the answer alone, without that for new versions. */
  tookMs: number
  index: IndexReport
}

export type IndexReport = {
  /** Versions that can be found. */
  versions: number
  /** Versions indexed for this answer. */
  added: number
  /** Versions passed over, ever, by why. */
  passedOver: Record<PassedOver, number>
}

/** No text in this media type; body no longer or never there; record damaged. */
export type PassedOver = 'textless' | 'bodiless' | 'damaged'

export type IndexProgress = { looked: number; total: number }
