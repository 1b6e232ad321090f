import type { PassedOver } from '../../core/reports/search-report.ts'
import type { Mark, SearchQuery } from '../../core/search-query/query.ts'

/**
 * Full text over the versions that are kept. The index follows the catalogue: versions are added in the order of their
 * ids, and the watermark says up to which id they were looked at, whether they had a text or not. It is derived
 * from catalogue and archive, holds no text itself, and can be thrown away and made again at any time.
 */
export type SearchIndex = {
  /** The last version that was looked at; 0 for none. */
  watermark(): Promise<number>
  /**
   * Adds texts and moves the watermark, both or neither. If another process moved it meanwhile, nothing changes and
   * the current watermark is returned; so two may index at once and no version is counted twice. Nothing changes either
   * where others write to the index for longer than `maxWaitMs`; without it, the store's own patience decides.
   */
  add(batch: IndexBatch, maxWaitMs?: number): Promise<AddOutcome>
  /** Forgets versions, as when their bodies were dropped. Those that are not there are passed over. Returns how many went. */
  remove(versionIds: readonly number[]): Promise<number>
  /**
   * Each document of which a version matches, the best first, with its newest version that does. Versions that the catalogue
   * no longer keeps are never among them, though an index that was not told may count them in `total`.
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
  /** The watermark that the caller began from. */
  after: number
  /** The watermark to set: at least the last id of `texts`. */
  upTo: number
  texts: readonly IndexedText[]
  /** How many versions in between were passed over, and why. */
  passedOver: Readonly<Record<PassedOver, number>>
}

export type AddOutcome = { kind: 'added' } | { kind: 'overtaken'; watermark: number } | { kind: 'busy' }

export type HitPage = { offset: number; limit: number }

export type FoundPage = {
  hits: Hit[]
  /** Documents that match. */
  total: number
  totalIsLowerBound: boolean
  /** Too many versions match: only the newest of them were ranked. */
  approximate: boolean
  /** Versions that were met and are not kept now: who knows that they won't come back can remove them. */
  stale: number[]
}

export type Hit = {
  versionId: number
  documentId: number
  /** That of the document's best version. Greater is better; 0 where nothing but filters was asked for. */
  score: number
}

export type TextMarks = { title: Mark[]; text: Mark[] }

export type IndexCounts = { versions: number; passedOver: Record<PassedOver, number> }
