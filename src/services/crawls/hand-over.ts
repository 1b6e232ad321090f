import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { type CrawlResult, type CrawlSnapshot, noDetails } from '../../core/reports/crawl-report.ts'
import { peakRssBytes } from '../../core/work/process.ts'
import type { Wait } from '../../core/work/retry.ts'
import type { CrawlRow, CrawlStore } from '../../store/contracts/crawls.ts'
import { crawlCountsOf } from './crawl-report.ts'
import { MAX_OPEN_CRAWLS } from './crawl-service.ts'
import { type CrawlRequest, checkCrawl } from './read-crawl.ts'

export type HandOverDeps = {
  crawls: Pick<CrawlStore, 'add' | 'find'>
  config: Pick<Config, 'crawl'>
  clock: Pick<Clock, 'now'>
  wait: Wait
  /** Whether the service that took the crawl is still running. */
  isServed(): boolean
}

export type HandOverHooks = {
  signal: AbortSignal
  onHandedOver(id: number): void
  onProgress(snapshot: CrawlSnapshot): void
  /** The service has ended; it continues the crawl when it is started again. */
  onServiceEnded(id: number): void
}

const LOOK_EVERY_MS = 200
/** The service applies its own network limits. */
const anywhere = { allow: ['0.0.0.0/0', '::/0'] }

/**
 * Hands a crawl to the service that runs on the same store, and follows it to its end. When the signal aborts, returns early; the
 * service continues the crawl.
 */
export async function handOverCrawl(
  request: CrawlRequest,
  { crawls, config, clock, wait, isServed }: HandOverDeps,
  hooks: HandOverHooks,
): Promise<CrawlResult> {
  checkCrawl(request, { ...config, network: anywhere })
  const { seeds, depth, restrict, maxPages } = request
  const draft = { seeds, depth, restrict, maxPages, askedBy: 'erace crawl', askedAt: clock.now() }
  const id = await crawls.add(draft, MAX_OPEN_CRAWLS)
  if (id === null)
    throw new AppError('too-many-crawls', `the service has ${MAX_OPEN_CRAWLS} crawls that wait or run; try again later`)
  hooks.onHandedOver(id)
  for (;;) {
    const row = await crawls.find(id)
    if (row === null) throw new AppError('not-found', `crawl ${id} is not known any more`)
    if (row.state === 'refused') throw new AppError('usage-wrong', `the service refused the crawl: ${row.reason}`)
    hooks.onProgress(snapshotOf(row, clock.now()))
    if (row.endedAt > 0) return resultOf(row, clock.now(), row.state === 'stopped')
    if (hooks.signal.aborted) return resultOf(row, clock.now(), true)
    if (!isServed()) {
      hooks.onServiceEnded(id)
      return resultOf(row, clock.now(), true)
    }
    await wait(LOOK_EVERY_MS, hooks.signal)
  }
}

function snapshotOf(row: CrawlRow, now: number): CrawlSnapshot {
  const { fetched, stored, failed, queued, bytes } = crawlCountsOf(row, now)
  return { fetched, stored, failed, queued, bytes, hostsActive: 0, hostsResting: 0 }
}

function resultOf(row: CrawlRow, now: number, interrupted: boolean): CrawlResult {
  return { ...crawlCountsOf(row, now), peakRssBytes: peakRssBytes(), interrupted, details: noDetails }
}
