import type { ConfigInput } from '../config/config-input.ts'
import type { CrawlResult, CrawlSnapshot } from '../core/reports/crawl-report.ts'
import type { CompareRequest, DiffReport, HistoryReport } from '../core/reports/history-report.ts'
import type { SearchReport } from '../core/reports/search-report.ts'

/** Types of the library, separate from its code: only these declarations are published, not those of the program. */

/** Where the archive is. */
export type Place = {
  /** Data folder, created if missing; default `./erace-data`. */
  data?: string
  /** Or the shared store of a cluster: `postgres://USER:PASSWORD@HOST/DATABASE`. */
  store?: string
  /** Settings as in `erace.config.ts`. Neither that file nor the environment is read. */
  config?: ConfigInput
}

export type CrawlOptions = Place & {
  /** Absolute URLs, or `@FILE` with one per line; default: `crawl.seeds` of the configuration. */
  seeds?: string | readonly string[]
  /** Link depth from a seed; unlimited by default. */
  depth?: number
  /** Crawl only matching URLs; by default those on the hosts of the seeds. */
  restrict?: RegExp | string
  /** Stop after this many pages; the same call later resumes the crawl. */
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
   * Called for each new or changed page, once it is in the archive. The crawl pauses when the handler falls far behind.
   * If it throws, the page counts as failed and the crawl goes on.
   */
  onPage?(page: ArchivedPage): unknown
  /** Concurrent calls of `onPage`; default 1. */
  concurrency?: number
  /** Timeout of an `onPage` call, default 60,000. The page then counts as failed and the crawl goes on without it. */
  pageTimeoutMs?: number
  onPageError?(error: unknown, page: ArchivedPage): void
} & Watching

export type Watching = {
  /** Starts with the versions stored after this id: those an interrupted program had not handled. */
  after?: number
  /** Called about five times a second. */
  onProgress?(snapshot: CrawlSnapshot): void
  onLog?: OnLog
  /** On abort, requests in flight are finished and everything is saved. */
  signal?: AbortSignal
}

/** The output of `erace crawl --json`, plus the outcome of the `onPage` calls. */
export type LibraryCrawlResult = CrawlResult & {
  pages: { handled: number; failed: number /** The first 100. */; errors: { url: string; message: string }[] }
}

/** A version of a page in the archive. Anything outside the catalogue is read on demand, while the archive is open. */
export type ArchivedPage = {
  /** Later versions have higher ids, across all pages. */
  readonly id: number
  readonly url: string
  /** Version number of this page, from 1. */
  readonly version: number
  /** Why this version exists. `links`: same text, other links; `back`: the page was gone before. */
  readonly reason: 'new' | 'changed' | 'links' | 'gone' | 'back'
  readonly fetchedAt: Date
  /** HTTP status; 0 where the protocol has none. */
  readonly status: number
  /** Media type without parameters. */
  readonly type: string
  readonly title: string
  /** Bytes of the body, without content encoding. */
  readonly size: number
  /** Visible text, one line per block; null for media types without text. */
  text(): Promise<string | null>
  /** The source as text, such as HTML; null if it isn't text. */
  source(): Promise<string | null>
  bytes(): Promise<Uint8Array>
  /** Response headers as `[name, value]`, in their original order. */
  headers(): Promise<[name: string, value: string][]>
  /** Absolute URLs, in page order. */
  links(): Promise<string[]>
}

/** An open archive. Others may write to it at the same time. */
export type Archive = {
  /** A version by its address: `URL`, `URL@3`, `URL@2026-11-01T12:00`, `URL@first`. Throws `not-found`. */
  page(address: string): Promise<ArchivedPage>
  /** All versions in the order they were stored, or only those after an id. Pages that are gone have no body. */
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
  /** URL of the web pages and the API. */
  readonly url: string
  /** Page for creating the first account; null if there is an account already. */
  readonly setupUrl: string | null
  /** Resolves when the service has ended; rejects with the failure that ended it. */
  readonly ended: Promise<void>
  /** Finishes requests in flight, saves and ends. */
  stop(): Promise<void>
}
