import type { Markdown, MarkdownSource } from '../archive/markdown/to-markdown.ts'
import type { ConfigInput } from '../config/config-input.ts'
import type { CrawlResult } from '../core/reports/crawl-report.ts'
import type {
  Archive,
  ArchivedPage,
  CrawlHandlers,
  CrawlOptions,
  LibraryCrawlResult,
  Service,
  ServiceOptions,
  Watching,
} from './surface.ts'

/**
 * The library: `import … from 'erace'`. Parts of the crawler import it in their own threads, so modules are loaded only when called.
 */

/** Crawls until nothing is left to fetch, and passes each new or changed page to `onPage`. */
export async function crawl(options: CrawlOptions, handlers?: CrawlHandlers): Promise<LibraryCrawlResult> {
  return (await import('./crawl.ts')).crawl(options, handlers)
}

/** The same as an iterator. Leaving the loop stops the crawl; stored pages are kept, and the next call resumes. */
export async function* crawlPages(
  options: CrawlOptions,
  watching?: Watching,
): AsyncGenerator<ArchivedPage, CrawlResult, undefined> {
  return yield* (await import('./crawl.ts')).crawlPages(options, watching)
}

/** Opens a data folder, or a shared store by its `postgres://` address, for reading. */
export async function openArchive(place: string, options?: { config?: ConfigInput }): Promise<Archive> {
  return (await import('./archive.ts')).openArchive(place, options)
}

/** Runs the whole service in this process. Resolves when it is ready. */
export async function startService(options?: ServiceOptions): Promise<Service> {
  return (await import('./service.ts')).startService(options)
}

/** Converts a page, feed or text to Markdown without any HTML, for parts of the crawler. Null if the media type has no text. */
export async function toMarkdown(source: MarkdownSource): Promise<Markdown | null> {
  return (await import('../archive/markdown/to-markdown.ts')).toMarkdown(source)
}

/** The type of `erace.config.ts`: `export default defineConfig({ crawl: { delay: '2s' } })`. */
export const defineConfig = (config: ConfigInput): ConfigInput => config

export type { Markdown, MarkdownSource } from '../archive/markdown/to-markdown.ts'
export type { ConfigInput } from '../config/config-input.ts'
export { AppError, type ErrorCode, isAppError } from '../core/errors.ts'
export type { CrawlResult, CrawlSnapshot } from '../core/reports/crawl-report.ts'
export type { DiffReport, HistoryReport } from '../core/reports/history-report.ts'
export type { SearchHit, SearchReport } from '../core/reports/search-report.ts'
export type { ModuleTools, Page, ProcessingModule } from '../crawl/parts/module.ts'
export {
  defineDocumentSet,
  defineFetcher,
  defineFilter,
  defineFrontier,
  defineModule,
  defineResolver,
  defineScorer,
  defineStorage,
  defineUrlSet,
} from '../crawl/parts/part.ts'
export type { Storage, StoredVersion } from '../crawl/parts/storage.ts'
export type {
  Archive,
  ArchivedPage,
  CrawlHandlers,
  CrawlOptions,
  LibraryCrawlResult,
  LogEntry,
  Place,
  Service,
  ServiceOptions,
  Watching,
} from './surface.ts'
