import type { CheckResult } from '../../core/check-order.ts'
import type { ShardHandle } from '../../crawl/crawl.ts'
import type { SharedCounters } from '../../crawl/worker/shared-counters.ts'
import type { AgentProxy } from '../fetcher.ts'

export type WebProxyOptions = {
  shards: readonly ShardHandle[]
  counters: Pick<SharedCounters, 'stop'> & { hold(held: boolean): void }
}

export type WebProxy = AgentProxy & { tell(results: readonly CheckResult[]): void }

/** The crawler as an agent-proxy: the shards of this process, which share the hosts of the web among them. */
export function createWebProxy({ shards, counters }: WebProxyOptions): WebProxy {
  let listener: (results: readonly CheckResult[]) => void = () => {}
  const all = (act: (shard: ShardHandle) => Promise<unknown>): Promise<unknown> => Promise.all(shards.map(act))

  return {
    protocols: ['http', 'https'],
    failed: Promise.race(shards.map((shard) => shard.failed)),
    async start(underWay) {
      await all((shard) => shard.crawlScope(underWay))
      const counts = new Map<number, number>()
      for (const queued of await Promise.all(shards.map((shard) => shard.queued())))
        for (const [watch, n] of queued) counts.set(watch, (counts.get(watch) ?? 0) + n)
      await all((shard) => shard.start())
      return counts
    },
    async check(orders) {
      await all((shard) => shard.crawlScope(orders.map(({ crawlScope }) => crawlScope)))
      // Whichever shard offers them, they get to the owners of their hosts.
      return shards[0]!.checks(orders)
    },
    crawlScope: async (crawlScopes) => void (await all((shard) => shard.crawlScope(crawlScopes))),
    forget: async (watches) => void (await all((shard) => shard.forget(watches))),
    hold: (held) => void counters.hold(held),
    onResults(told) {
      listener = told
    },
    tell: (results) => listener(results),
    async stop() {
      counters.stop()
      await all((shard) => shard.stop())
      await all((shard) => shard.close())
    },
  }
}
