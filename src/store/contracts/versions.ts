import type { NoiseState } from '../../core/change/noise/learned-block.ts'
import type { Availability } from '../../core/price/offer.ts'
import type { BodyState, DocumentKey } from './documents.ts'
import type { RecordPointer } from './objects.ts'

/** Reads documents and their versions. Safe during writes. */
export type VersionStore = {
  document(key: DocumentKey): Promise<CataloguedDocument | null>
  /** By the very spelling that was fetched, where the key can't be told. */
  documentOfUrl(host: string, url: string): Promise<CataloguedDocument | null>
  documentOfId(documentId: number): Promise<CataloguedDocument | null>
  /** All documents in the order of their ids, a page at a time. */
  documents(page: Page): Promise<CataloguedDocument[]>
  /** The same, only those that can't be fetched: the last request failed or was skipped. */
  badDocuments(page: Page): Promise<CataloguedDocument[]>
  version(versionId: number): Promise<Version | null>
  /** The versions of a document, oldest first, from `n` (exclusive) on. */
  history(documentId: number, page: Page): Promise<Version[]>
  /** The same, the newest first: those with an `n` below `before`. */
  newest(documentId: number, page: { before: number; limit: number }): Promise<Version[]>
  /** The version that was current at that moment; null before the first. */
  versionAt(documentId: number, at: number): Promise<Version | null>
  /**
   * All versions in the order of their ids, a page at a time. A reader that remembers its position misses none: versions after
   * one that may still appear are withheld. A reader that won't come back sets `mayMiss` and gets them at once.
   */
  versions(page: Page & { mayMiss?: boolean }): Promise<Version[]>
  /** The current versions of documents, `gone` ones too, the newest first, a page at a time: ids below `before`. */
  current(page: { before: number; limit: number }): Promise<Version[]>
  /** Those of the documents that a crawl has met, which fetches for everybody, and not only watches of somebody's sources. */
  crawledForAll(documentIds: readonly number[]): Promise<Set<number>>
  /** Which of these watches have reached which of these documents, over how many links at least. */
  reached(asked: { documents: readonly number[]; watches: readonly number[] }): Promise<Reached[]>
  /** The last prices that were read of a document, or of one part of it, oldest first. */
  prices(documentId: number, asked: { part?: string; limit: number }): Promise<PriceRow[]>
  /** What is known of a document's noise, and whose mutings were undone, by whom ('' for everybody), the oldest first. */
  noise(documentId: number): Promise<KeptNoise>
  /** Outgoing links of a version, in page order. */
  links(versionId: number): Promise<string[]>
}

export type KeptNoise = { state: NoiseState; undone: readonly { block: string; owner: string; at: number }[] }

/** `noise`: nothing else changed for those who watch the page, so nobody was notified. */
export type Notice = 'notified' | 'noise'

/** A price, a stock or another number that a version shows. */
export type PriceReading = {
  amount: number | null
  /** ISO 4217, or as it is written; '' where it isn't named. */
  currency: string
  availability: Availability
}

/** `part` is '' for what the page declares, else the key of the part that a source watches. */
export type PriceRow = PriceReading & { documentId: number; versionId: number; part: string; at: number }

/** `known` is the last version of the document that was matched for the watch; 0 for none. */
export type Reached = { document: number; watch: number; hops: number; known: number }

/** What comes behind `after`, at most `limit` of it. */
export type Page = { after: number; limit: number }

export type CataloguedDocument = DocumentKey & {
  id: number
  url: string
  parent: string
  firstAt: number
  checkedAt: number
  /** When the current version was last seen to be current; 0 when there is none. */
  seenAt: number
  status: number
  outcome: string
  /** Why the last request failed or was skipped: an error code or a skip reason. Empty where it did neither, or is not known. */
  reason: string
  /** Requests in a row that failed or were skipped, without the retries of each. */
  failures: number
  location: string
  /** Current version, possibly a `gone` one; 0 when there is none. */
  versionId: number
  /** Until when the server called its last answer fresh; 0 when it said nothing. */
  freshUntil: number
}

/** Why a version came to be. `links`: it has the same text as the version before it, and other links. */
export type VersionReason = 'new' | 'changed' | 'links' | 'gone' | 'back'

export type Version = {
  id: number
  documentId: number
  /** Numbers a document's versions from 1; those of collected versions are not used again. */
  n: number
  url: string
  reason: VersionReason
  firstSeenAt: number
  lastSeenAt: number
  status: number
  type: string
  /** Bytes of the decoded body. */
  size: number
  /** SHA-256 of the decoded body; empty for `gone`. */
  digest: Buffer
  /** Fingerprint of the visible text; null where the type has none. */
  textDigest: Buffer | null
  etag: string
  lastModified: string
  truncated: string
  /** Ids of the volatile parts that came from a table, with spaces between them; empty for a page that came whole. */
  completed: string
  title: string
  address: string
  /** Where a redirect led that made the document `gone`. */
  location: string
  body: BodyState
  /** Null where no one watches the document, or has not been asked yet. */
  notice: Notice | null
  /** The version whose record holds the body: another one where the body was known already. */
  originalId: number
  /** Response header, kept here once the record is gone; else it is in the record. */
  header: string
  /** Where the version's own record lies; null when there is none. */
  record: RecordPointer | null
}
