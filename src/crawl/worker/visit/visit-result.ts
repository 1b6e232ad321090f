import type { AppError, ErrorCode } from '../../../core/errors.ts'
import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import type { DocumentKey, KnownDocument } from '../../../store/contracts/documents.ts'
import type { FetchResponse } from '../../fetch/fetch-result.ts'
import type { Item, ItemBody, List } from '../../fetch/protocol.ts'
import type { HostSignal } from '../../frontier/politeness.ts'

/** The result of one request, from the robots.txt check to the answer, with a signal about the host. Nothing is stored yet. */
export type VisitResult =
  | {
      kind: 'answered'
      response: FetchResponse
      known: KnownDocument | null
      signal: HostSignal
      /** Ids of the volatile parts received, if the rest is the kept version. */
      completed?: string
    }
  /** Not modified since it was stored. */
  | { kind: 'unchanged'; response: FetchResponse; known: KnownDocument; signal: HostSignal }
  | { kind: 'redirected'; response: FetchResponse; signal: HostSignal }
  /** The server says that there is no such page (any more). */
  | { kind: 'gone'; response: FetchResponse; signal: HostSignal }
  /** Read by a protocol other than plain HTTP. */
  | {
      kind: 'read'
      reading: ProtocolReading
      known: KnownDocument | null
      status: number
      address: string
      signal: HostSignal
    }
  /** Like `gone`, for such a protocol: there is nothing at the URL (any more). */
  | { kind: 'vanished'; message: string; known: KnownDocument | null; signal: HostSignal }
  /** Done in this run already: its links are in the store. */
  | { kind: 'done-before'; known: KnownDocument }
  | { kind: 'skipped'; reason: SkipReason; status: number; address: string; signal: HostSignal }
  | {
      kind: 'failed'
      code: ErrorCode
      message: string
      retry: boolean
      status: number
      address: string
      signal: HostSignal
    }
  /**
   * robots.txt was fetched first, or the host may get no more requests, or none before `until` (monotonic ms); the request itself
   * follows later.
   */
  | { kind: 'postponed'; signal: HostSignal; until?: number }

/** One item of a visit: its body, or that the kept version is current, or why it could not be read. */
export type ReadItem = {
  item: Item
  /** With access. */
  url: string
  key: DocumentKey
  known: KnownDocument | null
  result: { kind: 'body'; body: ItemBody } | { kind: 'kept' } | { kind: 'failed'; error: AppError }
}

/** What was read at a URL. Nothing is stored yet. */
export type ProtocolReading = {
  address: string
  startedAt: number
  totalMs: number
  bytes: number
  /** Null if the URL is itself an item, then the only one in `items`, or if not all of the list could be read. */
  list: List | null
  items: readonly ReadItem[]
  /** Links of the last kept list that are not in this one. */
  missing: readonly string[]
  /** There is more, to be read immediately. */
  hasMore: boolean
  /** The error that ended the reading early. */
  failure: AppError | null
}
