// The crawler as `erace up` starts it, without scheduler, annotation engine and server, in its own process.
import { url as inspectorUrl, open } from 'node:inspector'
import pino from 'pino'
import { watchableSchemes } from '../../src/app/protocols.ts'
import { openForCrawling, startShardThreads } from '../../src/app/threads/sqlite-shards.ts'
import { configOf } from '../../src/config/load-config.ts'
import type { CheckOrder, CheckResult } from '../../src/core/check-order.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createRetries } from '../../src/core/work/retries.ts'
import { settingsForWatching } from '../../src/crawl/crawl-settings.ts'
import { createCounterMemory, openSharedCounters } from '../../src/crawl/worker/shared-counters.ts'
import { createLocalFetcher } from '../../src/fetchers/local/local-fetcher.ts'
import { answerCalls, childData } from '../deliver/child.ts'

export type FeedCrawlerData = { folder: string; feeds: string[]; fetchers: number; perHost: number; threads: number }
export type Poll = {
  seconds: number
  changed: number
  unchanged: number
  failed: number
  /** Resident memory before any forced garbage collection. */
  rssBytes: number
}
export type FeedCrawler = {
  /** Address of its inspector, for measuring the live objects of all threads. */
  inspector(): string
  rss(): number
  /** Checks every feed once. */
  poll(): Promise<Poll>
  end(): Promise<void>
}

/** Batch size, as in the scheduler. */
const ordersAtOnce = 1000

const { folder, feeds, fetchers, perHost, threads } = await childData<FeedCrawlerData>()
const log = pino({ level: 'warn' }, pino.destination(2))
const config = configOf({
  'crawl.threads': threads,
  'crawl.fetchers': fetchers,
  'crawl.perHost': perHost,
  'crawl.delay': '0ms',
  'crawl.delayFactor': 0,
  'network.allow': '127.0.0.0/8',
})
const settings = await settingsForWatching(folder, config)
const opened = openForCrawling(settings, log)
const memory = createCounterMemory(opened.facts.shards, null)
const counters = openSharedCounters(memory)
let deliver: (results: readonly CheckResult[]) => void = () => {}
const shards = startShardThreads({
  ...{ settings, opened, run: 1, looksBack: true, memory, log, retries: createRetries(systemClock) },
  onResults: (results) => deliver(results),
})
const fetcher = createLocalFetcher({
  schemes: watchableSchemes(),
  ...{ shards: shards.handles, stop: () => void counters.stop(), throttle() {} },
  onResults(listener) {
    deliver = listener
  },
})
await fetcher.start([])

async function poll(): Promise<Poll> {
  const sum = { changed: 0, unchanged: 0, failed: 0 }
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let begun = 0
  let queued = 0
  const check = (): void => {
    if (begun === feeds.length && queued === 0) resolve()
  }
  fetcher.onResults((results) => {
    for (const result of results) {
      queued += result.queued
      sum.changed += result.changed
      sum.unchanged += result.unchanged
      sum.failed += result.failed
    }
    check()
  })
  const round = Date.now()
  const startedAt = performance.now()
  const orders = feeds.map((url, at) => orderOf(url, at + 1, round))
  for (let at = 0; at < orders.length; at += ordersAtOnce)
    await fetcher.check(orders.slice(at, at + ordersAtOnce), (_, accepted) => {
      begun++
      queued += accepted
      check()
    })
  await Promise.race([over, fetcher.failed])
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, ...sum, rssBytes: process.memoryUsage.rss() }
}

function orderOf(url: string, watch: number, round: number): CheckOrder {
  const check = { watch, round, freshFrom: round, since: 0, first: false }
  const crawlScope = { watch, sources: [{ uri: url, scope: { kind: 'page' as const } }] }
  return { url, depth: 0, urgency: 1, check, crawlScope }
}

answerCalls<FeedCrawler>({
  inspector() {
    open(0, '127.0.0.1')
    return inspectorUrl()!
  },
  rss: () => process.memoryUsage.rss(),
  poll,
  async end() {
    await fetcher.stop()
    await shards.end()
    await opened.close()
  },
})
