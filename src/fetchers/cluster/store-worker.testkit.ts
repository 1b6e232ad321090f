import { configOf } from '../../config/load-config.ts'
import type { CheckOrder, CheckResult } from '../../core/check-order.ts'
import { systemClock } from '../../core/clock.ts'
import { isCrawl, type QueuedRequest } from '../../core/request.ts'
import { createSeedOffers } from '../../crawl/worker/links/seed-offers.ts'
import { batchOf, pageOf, queueOf } from '../../store/conformance/samples.testkit.ts'
import { createPostgresCheckResults } from '../../store/postgres/cluster/schedule.ts'
import type { PostgresPool } from '../../store/postgres/connection/pool.ts'
import { createPostgresDocuments } from '../../store/postgres/documents/documents.ts'
import { createPostgresFrontier } from '../../store/postgres/frontier/frontier.ts'
import { takePartitions } from '../../store/postgres/testkit/store.testkit.ts'

export const seed = [1, 2] as const
export const seeds = createSeedOffers({ crawl: configOf().crawl, hostRules: null, seed })

export type TestPage = { words: string; links?: readonly string[] }

/** How far a worker gets with a request before it crashes. */
export type Stage = 'recorded' | 'reported' | 'completed'

export type TestWorker = Awaited<ReturnType<typeof openTestWorker>>

/** A worker that holds all partitions and fetches from a map of pages when a test tells it to. A second one takes them all over. */
export async function openTestWorker(pool: PostgresPool, web: ReadonlyMap<string, TestPage>) {
  const frontier = createPostgresFrontier({ pool, events: null, run: 1, maxUrlsPerHost: 1000, pollEveryMs: 0 })
  const grants = await takePartitions(pool, 0, 1)
  await frontier.add(grants)
  const epochs = new Map(grants.map(({ partition, epoch }) => [partition, epoch]))
  const documents = createPostgresDocuments({ pool, epochOf: (partition) => epochs.get(partition) ?? -1 })
  const results = createPostgresCheckResults(pool)
  const fetched: string[] = []

  async function record(request: QueuedRequest): Promise<CheckResult> {
    const { url, host, fp, check, hops, parent } = request
    fetched.push(url)
    const page = web.get(url)
    const base = {
      ...{ watch: check.watch, queued: -1, changed: 0, unchanged: 0, failed: 0, source: null, landed: null },
      ...(isCrawl(check.watch) && { counts: { fetched: 1, done: 1 } }),
    }
    const source = (status: number, outcome: string) => (hops === 0 ? { status, outcome } : null)
    if (page === undefined) return { ...base, failed: 1, source: source(500, 'failed: http-server-error') }
    const at = systemClock.now()
    const [outcome] = await documents.record([pageOf(host, '/', page.words, { url, fp, check, hops, parent, at })])
    const isNew = outcome!.kind === 'stored' || outcome!.kind === 'duplicate'
    const counts = isNew ? { changed: 1 } : { unchanged: 1 }
    return {
      ...base,
      ...counts,
      queued: linksOf(request).length - 1,
      source: source(200, isNew ? 'stored' : 'unchanged'),
    }
  }

  function linksOf({ url, depth, check, hops }: QueuedRequest) {
    if (depth === 0) return []
    const orders = (web.get(url)?.links ?? []).map((link): CheckOrder => {
      return { url: link, depth: depth - 1, urgency: 0, check, crawlScope: { watch: check.watch, sources: [] } }
    })
    return seeds.ofChecks(orders).offers.map((offer) => ({ ...offer, parent: url, hops: hops + 1 }))
  }

  return {
    fetched,
    async queued(): Promise<QueuedRequest[]> {
      await frontier.look()
      return queueOf(frontier)
    },
    /** Processes the current queue; links found are left for the next call. */
    async step(until: Stage = 'completed'): Promise<number> {
      const requests = await this.queued()
      for (const request of requests) {
        const result = await record(request)
        if (until === 'recorded') continue
        await results.put([result])
        if (until === 'reported') continue
        await frontier.settle(batchOf({ done: [request], offers: linksOf(request) }))
      }
      return requests.length
    },
    async run(): Promise<void> {
      while ((await this.step()) > 0);
    },
    close: () => frontier.close(),
  }
}
