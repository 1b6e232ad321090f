import type { NoiseState } from '../../core/change/noise/learned-block.ts'
import type { Availability } from '../../core/price/offer.ts'
import type { BodyState, DocumentKey } from './documents.ts'
import type { RecordPointer } from './objects.ts'

/** Reads documents and their versions. Safe during writes. */
export type VersionStore = {
  document(key: DocumentKey): Promise<CataloguedDocument | null>
  /** By the exact URL that was fetched, if the key can't be computed. */
  documentOfUrl(host: string, url: string): Promise<CataloguedDocument | null>
  documentOfId(documentId: number): Promise<CataloguedDocument | null>
  /** All documents by id, a page at a time. */
  documents(page: Page): Promise<CataloguedDocument[]>
  /** As `documents`, but only those whose last request failed or was skipped. */
  badDocuments(page: Page): Promise<CataloguedDocument[]>
  version(versionId: number): Promise<Version | null>
  /** The versions of a document, oldest first. `after` is a version number `n`. */
  history(documentId: number, page: Page): Promise<Version[]>
  /** The versions of a document with an `n` below `before`, newest first. */
  newest(documentId: number, page: { before: number; limit: number }): Promise<Version[]>
  /** The version that was current at that moment; null before the first. */
  versionAt(documentId: number, at: number): Promise<Version | null>
  /**
   * All versions by id, a page at a time. A reader that remembers its position misses none: versions after one that may still
   * appear are withheld. A reader that won't come back sets `mayMiss` and gets them at once.
   */
  versions(page: Page & { mayMiss?: boolean }): Promise<Version[]>
  /** The current versions of documents, including `gone` ones, newest first, a page at a time: ids below `before`. */
  current(page: { before: number; limit: number }): Promise<Version[]>
  /** Those of the documents that were fetched by a crawl, which fetches for everyone, and not only by watches of users' sources. */
  crawledForAll(documentIds: readonly number[]): Promise<Set<number>>
  /** Which of these watches have reached which of these documents, and over how few links. */
  reached(asked: { documents: readonly number[]; watches: readonly number[] }): Promise<Reached[]>
  /** The latest prices read from a document, or from one part of it, oldest first. */
  prices(documentId: number, asked: { part?: string; limit: number }): Promise<PriceRow[]>
  /** A document's noise state, and the blocks whose muting was undone, with the owner ('' for everyone), oldest first. */
  noise(documentId: number): Promise<KeptNoise>
  /** Outgoing links of a version, in page order. */
  links(versionId: number): Promise<string[]>
}

export type KeptNoise = { state: NoiseState; undone: readonly { block: string; owner: string; at: number }[] }

/** `noise`: nothing else changed for the watchers of the page, so none was notified. */
export type Notice = 'notified' | 'noise'

/** A price, stock level or other number shown by a version. */
export type PriceReading = {
  amount: number | null
  /** ISO 4217, or as written on the page; '' if not given. */
  currency: string
  availability: Availability
}

/** `part` is '' for what the page declares, otherwise the key of the part that a source watches. */
export type PriceRow = PriceReading & { documentId: number; versionId: number; part: string; at: number }

/** `known` is the last version of the document matched for the watch; 0 for none. */
export type Reached = { document: number; watch: number; hops: number; known: number }

/** At most `limit` items after `after` (exclusive). */
export type Page = { after: number; limit: number }

export type CataloguedDocument = DocumentKey & {
  id: number
  url: string
  parent: string
  firstAt: number
  checkedAt: number
  /** When the current version was last confirmed; 0 if there is none. */
  seenAt: number
  status: number
  outcome: string
  /** Why the last request failed or was skipped: an error code or a skip reason. Empty if it did neither, or if unknown. */
  reason: string
  /** Consecutive requests that failed or were skipped, not counting retries. */
  failures: number
  location: string
  /** Current version, possibly a `gone` one; 0 if there is none. */
  versionId: number
  /** Until when the server declared its last answer fresh; 0 if it didn't say. */
  freshUntil: number
}

/** Why a version was added. `links`: same text as the previous version, different links. */
export type VersionReason = 'new' | 'changed' | 'links' | 'gone' | 'back'

export type Version = {
  id: number
  documentId: number
  /** Number of the version within its document, from 1; numbers of collected versions are not reused. */
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
  /** Fingerprint of the visible text; null if the type has none. */
  textDigest: Buffer | null
  etag: string
  lastModified: string
  truncated: string
  /** Ids of the volatile parts that came from a table, separated by spaces; empty for a page that was fetched whole. */
  completed: string
  title: string
  address: string
  /** Target of the redirect that made the document `gone`. */
  location: string
  body: BodyState
  /** Null if no one watches the document, or the version has not been matched yet. */
  notice: Notice | null
  /** The version whose record holds the body: another one if the body was already known. */
  originalId: number
  /** Response header, kept here once the record is gone; until then it is in the record. */
  header: string
  /** Location of the version's own record; null if there is none. */
  record: RecordPointer | null
}
