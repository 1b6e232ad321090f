import type { ConfigInput } from '../config/config-input.ts'
import type { CrawlResult, CrawlSnapshot } from '../core/reports/crawl-report.ts'
import type { CompareRequest, DiffReport, HistoryReport } from '../core/reports/history-report.ts'
import type { SearchReport } from '../core/reports/search-report.ts'

/** The types of the library, apart from its code: their declarations are published, those of the program aren't. */

/** Where the archive is. */
export type Place = {
  /** A data folder, made if it is missing; `./erace-data` if nothing is said. */
  data?: string
  /** Or the shared store of a cluster: `postgres://USER:PASSWORD@HOST/DATABASE`. */
  store?: string
  /** Settings as in `erace.config.ts`. Neither such a file nor the environment is read. */
  config?: ConfigInput
}

export type CrawlOptions = Place & {
  /** Absolute URLs, or `@FILE` with one per line; `crawl.seeds` of the configuration if left out. */
  seeds?: string | readonly string[]
  /** Links to follow from a seed; no limit if left out. */
  depth?: number
  /** Crawl only URLs that match; the hosts of the seeds if left out. */
  restrict?: RegExp | string
  /** Stop after this many pages; the same call later goes on. */
  maxPages?: number
}

/** A line of the log. */
export type LogEntry = { level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'; message: string } & Record<
  string,
  unknown
>
export type OnLog = (entry: LogEntry) => void

export type CrawlHandlers = {
  /**
   * Called for each page that is new or has changed, once it is in the archive. The crawl pauses when it is far ahead of this.
   * If it throws, the page counts as failed and the crawl goes on.
   */
  onPage?(page: ArchivedPage): unknown
  /** Calls of `onPage` at the same time; 1 if nothing is said. */
  concurrency?: number
  /** A call of `onPage` that takes longer counts as failed, and the crawl goes on without it; 60,000 if nothing is said. */
  pageTimeoutMs?: number
  onPageError?(error: unknown, page: ArchivedPage): void
} & Watching

export type Watching = {
  /** Pages of versions after this id come first: those that an interrupted program had not dealt with. */
  after?: number
  /** About five times a second. */
  onProgress?(snapshot: CrawlSnapshot): void
  onLog?: OnLog
  /** When it is aborted, requests in flight are finished and everything is saved. */
  signal?: AbortSignal
}

/** What `erace crawl --json` prints, and what came of the calls of `onPage`. */
export type LibraryCrawlResult = CrawlResult & {
  pages: { handled: number; failed: number /** The first 100. */; errors: { url: string; message: string }[] }
}

/** A version of a page in the archive. What isn't in the catalogue is read when it is asked for, while the archive is open. */
export type ArchivedPage = {
  /** Later versions have higher ids, over all pages. */
  readonly id: number
  readonly url: string
  /** Counts the versions of this page from 1. */
  readonly version: number
  /** Why there is this version. `links`: the text is the same, the links aren't; `back`: it was gone. */
  readonly reason: 'new' | 'changed' | 'links' | 'gone' | 'back'
  readonly fetchedAt: Date
  /** HTTP status; 0 where the protocol has none. */
  readonly status: number
  /** Media type without parameters. */
  readonly type: string
  readonly title: string
  /** Bytes of the body, without content encoding. */
  readonly size: number
  /** What a reader sees, a line for each block; null for media types without text. */
  text(): Promise<string | null>
  /** The source as text, such as HTML; null if it isn't text. */
  source(): Promise<string | null>
  bytes(): Promise<Uint8Array>
  /** Response headers as `[name, value]`, in their order. */
  headers(): Promise<[name: string, value: string][]>
  /** Absolute URLs, in page order. */
  links(): Promise<string[]>
}

/** What is kept. Others may write to it meanwhile. */
export type Archive = {
  /** A version by its address: `URL`, `URL@3`, `URL@2026-11-01T12:00`, `URL@first`. Throws `not-found`. */
  page(address: string): Promise<ArchivedPage>
  /** All versions in the order they were stored, those after an id if one is given. Pages that are gone have no body. */
  versions(from?: { after?: number }): AsyncGenerator<ArchivedPage, void, undefined>
  /** As `erace history --json`; `changes` reads the bodies to count the changes. */
  history(url: string, options?: { limit?: number; changes?: boolean }): Promise<HistoryReport>
  /** As `erace diff --json`: the last change, or between two versions (`3`, `2026-11-01`, `first`). */
  diff(url: string, options?: Partial<CompareRequest>): Promise<DiffReport>
  /** As `erace search --json`. New versions are indexed first, unless `update` is false. */
  search(query: string, options?: { limit?: number; offset?: number; update?: boolean }): Promise<SearchReport>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type ServiceOptions = Place & {
  /** Created at the first start, when there is no account yet. */
  administrator?: { email: string; password: string }
  onLog?: OnLog
}

export type Service = {
  /** Where the pages and the API are. */
  readonly url: string
  /** Creates the first account; null when there is one. */
  readonly setupUrl: string | null
  /** Resolves when the service has ended; rejects with the failure that ended it. */
  readonly ended: Promise<void>
  /** Finishes requests in flight, saves and ends. */
  stop(): Promise<void>
}
