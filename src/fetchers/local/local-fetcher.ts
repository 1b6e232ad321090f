import type { CheckResult } from '../../core/check-order.ts'
import { firstFailure } from '../../core/work/race.ts'
import type { ShardHandle } from '../../crawl/crawl.ts'
import type { Fetcher } from '../fetcher.ts'

export type LocalFetcherDeps = {
  shards: readonly ShardHandle[]
  /** Where the results of all shards arrive. */
  onResults(listener: (results: readonly CheckResult[]) => void): void
  /** Makes all shards stop. */
  stop(): void
  throttle(throttled: boolean): void
}

export const webSchemes: readonly string[] = ['http', 'https']

/** Fetches the web with the shards of this process, which divide the hosts among them. */
export function createLocalFetcher({ shards, onResults, stop, throttle }: LocalFetcherDeps): Fetcher {
  const all = (act: (shard: ShardHandle) => Promise<unknown>): Promise<unknown> => Promise.all(shards.map(act))

  return {
    schemes: webSchemes,
    failed: firstFailure(shards.map((shard) => shard.failed)),
    async start(underWay) {
      await all((shard) => shard.crawlScope(underWay))
      const counts = new Map<number, number>()
      for (const queued of await Promise.all(shards.map((shard) => shard.queued())))
        for (const [watch, n] of queued) counts.set(watch, (counts.get(watch) ?? 0) + n)
      await all((shard) => shard.start())
      return counts
    },
    async check(orders) {
      const crawlScopes = [...new Set(orders.map(({ crawlScope }) => crawlScope))]
      await all((shard) => shard.crawlScope(crawlScopes))
      // Any shard can offer them: they get to the owners of their hosts.
      return shards[0]!.checks(orders)
    },
    crawlScope: async (crawlScopes) => void (await all((shard) => shard.crawlScope(crawlScopes))),
    forget: async (watches) => void (await all((shard) => shard.forget(watches))),
    throttle,
    onResults,
    async stop() {
      stop()
      await all((shard) => shard.stop())
      await all((shard) => shard.close())
    },
  }
}
