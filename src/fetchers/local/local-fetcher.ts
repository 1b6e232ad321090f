import type { WatchNews } from '../../core/check-order.ts'
import type { ShardHandle } from '../../crawl/crawl.ts'
import type { Board } from '../../crawl/worker/shared-counters.ts'
import type { AgentProxy } from '../fetcher.ts'

export type WebProxyOptions = {
  shards: readonly ShardHandle[]
  board: Pick<Board, 'stop'> & { hold(held: boolean): void }
}

export type WebProxy = AgentProxy & { tell(news: readonly WatchNews[]): void }

/** The crawler as an agent-proxy: the shards of this process, which share the hosts of the web among them. */
export function createWebProxy({ shards, board }: WebProxyOptions): WebProxy {
  let listener: (news: readonly WatchNews[]) => void = () => {}
  const all = (act: (shard: ShardHandle) => Promise<unknown>): Promise<unknown> => Promise.all(shards.map(act))

  return {
    protocols: ['http', 'https'],
    failed: Promise.race(shards.map((shard) => shard.failed)),
    async start(underWay) {
      await all((shard) => shard.reach(underWay))
      const counts = new Map<number, number>()
      for (const queued of await Promise.all(shards.map((shard) => shard.queued())))
        for (const [watch, n] of queued) counts.set(watch, (counts.get(watch) ?? 0) + n)
      await all((shard) => shard.start())
      return counts
    },
    async check(orders) {
      await all((shard) => shard.reach(orders.map(({ reach }) => reach)))
      // Whichever shard offers them, they get to the owners of their hosts.
      return shards[0]!.errands(orders)
    },
    reach: async (reaches) => void (await all((shard) => shard.reach(reaches))),
    forget: async (watches) => void (await all((shard) => shard.forget(watches))),
    hold: (held) => void board.hold(held),
    onNews(told) {
      listener = told
    },
    tell: (news) => listener(news),
    async stop() {
      board.stop()
      await all((shard) => shard.stop())
      await all((shard) => shard.close())
    },
  }
}
