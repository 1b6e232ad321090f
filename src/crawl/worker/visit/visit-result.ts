import type { AppError, ErrorCode } from '../../../core/errors.ts'
import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import type { DocumentKey, KnownDocument } from '../../../store/contracts/documents.ts'
import type { FetchResponse } from '../../fetch/fetch-result.ts'
import type { Item, ItemBody, List } from '../../fetch/protocol.ts'
import type { HostSignal } from '../../frontier/politeness.ts'

/** One request, from the robots.txt check to the answer, with what it tells about the host. Nothing is stored here. */
export type VisitResult =
  | {
      kind: 'answered'
      response: FetchResponse
      known: KnownDocument | null
      signal: HostSignal
      /** Ids of the volatile parts that came, where the rest is the version that was kept. */
      completed?: string
    }
  /** Not modified since it was stored. */
  | { kind: 'unchanged'; response: FetchResponse; known: KnownDocument; signal: HostSignal }
  | { kind: 'redirected'; response: FetchResponse; signal: HostSignal }
  /** The server says that there is no such page (any more). */
  | { kind: 'gone'; response: FetchResponse; signal: HostSignal }
  /** Read by another protocol than the web's. */
  | {
      kind: 'read'
      reading: ProtocolReading
      known: KnownDocument | null
      status: number
      address: string
      signal: HostSignal
    }
  /** The same: there is no such thing (any more). */
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
   * robots.txt was fetched first, or the host may get no request any more, or not before `until` (monotonic ms); the request itself
   * comes later.
   */
  | { kind: 'postponed'; signal: HostSignal; until?: number }

/** One item of a visit: its body, or that it is the one that is kept, or why it could not be read. */
export type ReadItem = {
  item: Item
  /** With access. */
  url: string
  key: DocumentKey
  known: KnownDocument | null
  result: { kind: 'body'; body: ItemBody } | { kind: 'kept' } | { kind: 'failed'; error: AppError }
}

/** What was read at a URL. Nothing is stored here. */
export type ProtocolReading = {
  address: string
  startedAt: number
  totalMs: number
  bytes: number
  /** Null where the URL is an item itself, which is then the only one of `items`; and where not all of the list could be read. */
  list: List | null
  items: readonly ReadItem[]
  /** Links of the last list that was kept which are not in this one. */
  missing: readonly string[]
  /** There is more to read at once. */
  hasMore: boolean
  /** What ended it early. */
  failure: AppError | null
}
