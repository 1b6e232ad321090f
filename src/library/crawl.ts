import { openStores } from '../app/engines/open-engine.ts'
import type { CrawlHooks, Target } from '../cli/engine.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { CrawlResult } from '../core/reports/crawl-report.ts'
import { withinLimit } from '../core/work/race.ts'
import { wait } from '../core/work/retry.ts'
import type { Version } from '../store/contracts/versions.ts'
import { createPageReader } from './page.ts'
import { crawlSettingsOf, logTo, targetOf } from './settings.ts'
import type { ArchivedPage, CrawlHandlers, CrawlOptions, LibraryCrawlResult, Watching } from './surface.ts'

const ERRORS_KEPT = 100
/** Stored pages that may wait for `onPage` before no new requests are started. */
const MAX_BEHIND = 500
/** A handler that never returns would stop the crawl for good. */
const PAGE_TIMEOUT_MS = 60_000
const READ_AT_ONCE = 100
const LOOK_EVERY_MS = 50

/** Crawls until nothing is left to fetch, and passes each new or changed page to `onPage`. */
export async function crawl(options: CrawlOptions, handlers: CrawlHandlers = {}): Promise<LibraryCrawlResult> {
  const { onPage, onPageError, concurrency = 1, pageTimeoutMs = PAGE_TIMEOUT_MS } = handlers
  const handling = new Set<Promise<void>>()
  const pages = storedPages(options, handlers, () => Promise.allSettled(handling))
  const outcome: LibraryCrawlResult['pages'] = { handled: 0, failed: 0, errors: [] }
  let result: CrawlResult | null = null
  async function handle(page: ArchivedPage): Promise<void> {
    try {
      const work = (async () => onPage?.(page))()
      await withinLimit(work, pageTimeoutMs, () => {
        throw new Error(`onPage took longer than ${pageTimeoutMs / 1000} s`)
      })
      outcome.handled++
    } catch (error) {
      outcome.failed++
      const message = error instanceof Error ? error.message : String(error)
      if (outcome.errors.length < ERRORS_KEPT) outcome.errors.push({ url: page.url, message })
      onPageError?.(error, page)
    }
  }
  async function handleAll(): Promise<void> {
    for (;;) {
      const next = await pages.next()
      if (next.done === true) {
        result ??= next.value
        return
      }
      const work = handle(next.value)
      handling.add(work)
      await work.finally(() => handling.delete(work))
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.max(1, concurrency) }, handleAll))
  } finally {
    // Ends the crawl if `onPageError` has thrown.
    await pages.return(null as never)
  }
  return { ...result!, pages: outcome }
}

/** The same as an iterator. Leaving the loop stops the crawl; stored pages are kept, and the next call resumes. */
export function crawlPages(
  options: CrawlOptions,
  watching: Watching = {},
): AsyncGenerator<ArchivedPage, CrawlResult, undefined> {
  return storedPages(options, watching, async () => {})
}

/** `untilHandled` waits for handlers that still read pages, before the archive is closed. */
async function* storedPages(
  options: CrawlOptions,
  watching: Watching,
  untilHandled: () => Promise<unknown>,
): AsyncGenerator<ArchivedPage, CrawlResult, undefined> {
  const target = await targetOf(options)
  const settings = await crawlSettingsOf(options, target)
  if (target.store !== null) await (await import('../app/commands/cluster.ts')).migrate(target)
  const stores = await openStores(target, 'create')
  const leaving = new AbortController()
  let running: RunningCrawl | null = null
  try {
    const pageOf = createPageReader(stores)
    let after = watching.after ?? (await stores.newestVersion())
    running = startCrawl(settings, target, watching, leaving.signal)
    for (;;) {
      // Read before the query, so that the query finds everything stored until the crawl ended.
      const isOver = running.isOver()
      const found = await stores.versions.versions({ after, limit: READ_AT_ONCE, mayMiss: isOver })
      for (const version of found) {
        after = version.id
        running.seen()
        if (hasPage(version)) yield pageOf(version)
      }
      if (found.length === 0 && isOver) return await running.result
      if (found.length === 0) await wait(LOOK_EVERY_MS, running.over)
    }
  } finally {
    leaving.abort()
    await running?.result.catch(() => {}) // thrown above, unless the caller has left
    await untilHandled()
    await stores.close()
  }
}

const hasPage = ({ reason, body }: Version): boolean => reason !== 'gone' && body === 'kept'

type RunningCrawl = {
  result: Promise<CrawlResult>
  isOver(): boolean
  /** Aborted when it is over. */
  over: AbortSignal
  /** Counts one more version as read. */
  seen(): void
}

function startCrawl(settings: CrawlSettings, target: Target, watching: Watching, leaving: AbortSignal): RunningCrawl {
  const stopping = new AbortController()
  const over = new AbortController()
  const stop = (): void => stopping.abort()
  for (const signal of [leaving, watching.signal])
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  let seen = 0
  const hooks: CrawlHooks = {
    onProgress: (snapshot) => watching.onProgress?.(snapshot),
    isBehind: (stored) => stored - seen > MAX_BEHIND,
    signal: stopping.signal,
    log: logTo(watching.onLog, target),
    inService: { refused: [], ignored: [], onHandedOver() {} },
  }
  const result = run(settings, hooks, target).finally(() => {
    watching.signal?.removeEventListener('abort', stop)
    over.abort()
  })
  result.catch(() => {}) // handled when it is awaited after the last page
  return { result, over: over.signal, isOver: () => over.signal.aborted, seen: () => void seen++ }
}

async function run(settings: CrawlSettings, hooks: CrawlHooks, { store }: Target): Promise<CrawlResult> {
  if (store === null) return (await import('../app/roles/crawl.ts')).crawl(settings, hooks)
  return (await import('../app/roles/crawl-cluster.ts')).crawl(store, settings, hooks)
}
