import type { CheckOrder, CrawlScope } from '../core/check-order.ts'
import type { Clock } from '../core/clock.ts'
import {
  type CrawlDetails,
  type CrawlResult,
  type CrawlSnapshot,
  mergeDetails,
  type SkipReason,
  skipReasons,
} from '../core/reports/crawl-report.ts'
import { peakRssBytes } from '../core/work/process.ts'
import { createWhileAlive, firstFailure } from '../core/work/race.ts'
import type { Track } from '../core/work/retries.ts'
import { retry } from '../core/work/retry.ts'
import { createSeeding } from './seeding.ts'
import type { SharedCounters } from './worker/shared-counters.ts'

export type AcceptedOrders = { orders: number; queued: number }

/** A shard as the crawl sees it, in any thread. */
export type ShardHandle = {
  /** Number of queued requests by watch. Called on all shards before any of them starts, so that nothing is counted twice. */
  queued(): Promise<Map<number, number>>
  /** Opens its store and counts the requests that are queued. */
  start(): Promise<void>
  /**
   * Sets the scope of watches. Sent to all shards before a watch's requests are offered. Callers need not wait: a shard starts no request
   * before it has received every message sent by then.
   */
  crawlScope(crawlScopes: readonly CrawlScope[]): Promise<void>
  /** Starts the checks whose hosts belong to this shard. Returns, by watch, the number of orders and of requests queued for them. */
  checks(orders: readonly CheckOrder[]): Promise<ReadonlyMap<number, AcceptedOrders>>
  /** Drops the requests of these watches. Like with `crawlScope`, callers need not wait. */
  forget(watches: readonly number[]): Promise<void>
  /** Offers the seeds; resolves when their owners have accepted them. */
  seed(urls: readonly string[]): Promise<void>
  /** Finishes requests in flight and commits them. */
  stop(): Promise<CrawlDetails>
  close(): Promise<void>
  /** Rejects when the shard can't go on. */
  readonly failed: Promise<never>
}

export type CrawlOptions = {
  shards: readonly ShardHandle[]
  counters: SharedCounters
  seeds: readonly string[]
  clock: Clock
  signal: AbortSignal
  onProgress(snapshot: CrawlSnapshot): void
  /** While true, no request is started. */
  isBehind?: ((stored: number) => boolean) | undefined
  /** Waits for modules; called before `finish`. */
  settle?(): Promise<void>
  /** Records that the crawl is complete. Retried while the store can't write. */
  finish(): Promise<void>
  track: Track
}

const WATCH_MS = 20
const PROGRESS_MS = 200

/** Runs the shards until no requests are left, the page limit is reached or the crawl is interrupted. */
export async function runCrawl({
  shards,
  counters,
  seeds,
  clock,
  signal,
  onProgress,
  isBehind = () => false,
  settle,
  finish,
  track,
}: CrawlOptions): Promise<CrawlResult> {
  const startedAt = clock.monotonic()
  const { promise: seedingFailed, reject: failSeeding } = Promise.withResolvers<never>()
  const whileAlive = createWhileAlive(firstFailure([...shards.map((shard) => shard.failed), seedingFailed]))
  await whileAlive(Promise.all(shards.map((shard) => shard.start())))
  let isOver = false
  const seeding = createSeeding(seeds)
  const seeded = seeding
    .run(shards[0]!.seed, () => isOver || signal.aborted)
    .catch((error: unknown) => {
      if (!isOver) failSeeding(error)
    })
  const progress = setInterval(() => onProgress(snapshotOf(counters)), PROGRESS_MS)
  try {
    await whileAlive(untilDone(counters, { isSeeded: seeding.isComplete, isBehind, signal }))
    isOver = true
    counters.stop()
    const [details] = await whileAlive(Promise.all([Promise.all(shards.map((shard) => shard.stop())), seeded]))
    await whileAlive(Promise.all(shards.map((shard) => shard.close())))
    onProgress(snapshotOf(counters))
    const result = resultOf(counters, (clock.monotonic() - startedAt) / 1000, mergeDetails(details), signal.aborted)
    const finished = result.finished && seeding.isComplete()
    if (finished) await settle?.()
    if (finished) await retry(finish, { firstMs: 100, lastMs: 1_000, signal, track })
    return { ...result, finished }
  } finally {
    clearInterval(progress)
  }
}

type Ending = { isSeeded(): boolean; isBehind(stored: number): boolean; signal: AbortSignal }

function untilDone(counters: SharedCounters, { isSeeded, isBehind, signal }: Ending): Promise<void> {
  return new Promise((resolve) => {
    const watch = setInterval(() => {
      counters.throttle(isBehind(counters.total('stored')))
      const spent = counters.isBudgetSpent() && counters.total('inFlight') === 0
      const isLeft = counters.outstanding() > 0 || !isSeeded()
      if (isLeft && !spent && !signal.aborted) return
      clearInterval(watch)
      resolve()
    }, WATCH_MS)
  })
}

function snapshotOf(counters: SharedCounters): CrawlSnapshot {
  return {
    fetched: counters.total('fetched'),
    stored: counters.total('stored'),
    failed: counters.total('failed'),
    queued: counters.outstanding(),
    bytes: counters.total('bytes'),
    hostsActive: counters.total('activeHosts'),
    hostsResting: counters.total('restingHosts'),
    paused: counters.total('paused') > 0 ? 'the store takes no writes, see the log' : undefined,
  }
}

function resultOf(counters: SharedCounters, seconds: number, details: CrawlDetails, interrupted: boolean): CrawlResult {
  const fetched = counters.total('fetched')
  const skipped = Object.fromEntries(
    skipReasons.map((reason) => [reason, counters.total(`skipped.${reason}`)]),
  ) as Record<SkipReason, number>
  const queued = counters.outstanding()
  return {
    fetched,
    stored: counters.total('stored'),
    unchanged: counters.total('unchanged'),
    duplicates: counters.total('duplicates'),
    failed: counters.total('failed'),
    redirects: counters.total('redirects'),
    skipped,
    links: counters.total('links'),
    seen: counters.total('seen'),
    queued,
    bytes: counters.total('bytes'),
    seconds: Math.round(seconds * 1000) / 1000,
    perSecond: Math.round((fetched / seconds) * 10) / 10,
    peakRssBytes: peakRssBytes(),
    finished: queued === 0,
    interrupted,
    details,
  }
}
