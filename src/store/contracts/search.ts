import type { PassedOver } from '../../core/reports/search-report.ts'
import type { Mark, SearchQuery } from '../../core/search-query/query.ts'

/**
 * Full-text index of the kept versions. It follows the catalogue: versions are added by id, and the watermark is the id up to
 * which they have been processed, whether they had a text or not. It is derived from catalogue and archive, stores no text
 * itself, and can be deleted and rebuilt at any time.
 */
export type SearchIndex = {
  /** The last version processed; 0 for none. */
  watermark(): Promise<number>
  /**
   * Adds texts and moves the watermark atomically. If another process moved it in the meantime, nothing changes and
   * the current watermark is returned; so two may index at once and no version is counted twice. Nothing changes either
   * if others write to the index for longer than `maxWaitMs` (default: the store's own timeout).
   */
  add(batch: IndexBatch, maxWaitMs?: number): Promise<AddOutcome>
  /** Removes versions, such as those whose bodies were dropped. Unknown ones are ignored. Returns how many were removed. */
  remove(versionIds: readonly number[]): Promise<number>
  /**
   * Documents with a matching version, best first, each with its newest match. Never returns versions that the catalogue no
   * longer keeps, though `total` may count those not yet removed from the index.
   */
  query(query: SearchQuery, page: HitPage): Promise<FoundPage>
  /** Positions of a query's words in these texts, tokenized as in the index. */
  marks(query: SearchQuery, texts: readonly TitledText[]): Promise<TextMarks[]>
  counts(): Promise<IndexCounts>
  close(): Promise<void>
}

export type TitledText = { title: string; text: string }

export type IndexedText = TitledText & {
  versionId: number
  documentId: number
  host: string
  /** When the version was first seen. */
  at: number
}

export type IndexBatch = {
  /** The watermark that the caller started from. */
  after: number
  /** The watermark to set: at least the last id of `texts`. */
  upTo: number
  texts: readonly IndexedText[]
  /** Number of versions in between that were skipped, by reason. */
  passedOver: Readonly<Record<PassedOver, number>>
}

export type AddOutcome = { kind: 'added' } | { kind: 'overtaken'; watermark: number } | { kind: 'busy' }

export type HitPage = { offset: number; limit: number }

export type FoundPage = {
  hits: Hit[]
  /** Number of matching documents. */
  total: number
  totalIsLowerBound: boolean
  /** Too many versions match: only the newest of them were ranked. */
  approximate: boolean
  /** Versions found in the index that are not kept now: a caller that knows they won't come back can remove them. */
  stale: number[]
}

export type Hit = {
  versionId: number
  documentId: number
  /** Score of the document's best version. Higher is better; 0 if the query has only filters. */
  score: number
}

export type TextMarks = { title: Mark[]; text: Mark[] }

export type IndexCounts = { versions: number; passedOver: Record<PassedOver, number> }
