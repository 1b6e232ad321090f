import type { CheckOrder, CheckResult } from '../../core/check-order.ts'
import { firstFailure } from '../../core/work/race.ts'
import type { AcceptedOrders, ShardHandle } from '../../crawl/crawl.ts'
import type { Fetcher } from '../fetcher.ts'

export type LocalFetcherDeps = Pick<Fetcher, 'schemes'> & {
  shards: readonly ShardHandle[]
  /** Sets the listener for the results of all shards. */
  onResults(listener: (results: readonly CheckResult[]) => void): void
  /** Signals all shards to stop. */
  stop(): void
  throttle(throttled: boolean): void
}

/**
 * Fetches with the shards of this process, which divide the hosts among them. Once they run, nothing waits for a shard: its thread
 * may be busy for long, which must not delay the checks of the others.
 */
export function createLocalFetcher({ schemes, shards, onResults, stop, throttle }: LocalFetcherDeps): Fetcher {
  const failure = Promise.withResolvers<never>()
  const all = (act: (shard: ShardHandle) => Promise<unknown>): Promise<unknown> => Promise.all(shards.map(act))

  function tell(act: (shard: ShardHandle) => Promise<unknown>): void {
    for (const shard of shards) act(shard).catch(failure.reject)
  }

  return {
    schemes,
    failed: firstFailure([...shards.map((shard) => shard.failed), failure.promise]),
    async start(underWay) {
      await all((shard) => shard.crawlScope(underWay))
      const counts = new Map<number, number>()
      for (const queued of await Promise.all(shards.map((shard) => shard.queued())))
        for (const [watch, n] of queued) counts.set(watch, (counts.get(watch) ?? 0) + n)
      await all((shard) => shard.start())
      return counts
    },
    async check(orders, onBegun) {
      const crawlScopes = [...new Set(orders.map(({ crawlScope }) => crawlScope))]
      const begun = createBegun(orders, onBegun)
      tell((shard) => shard.crawlScope(crawlScopes))
      // Each shard accepts those of its own hosts.
      tell(async (shard) => begun(await shard.checks(orders)))
    },
    crawlScope: async (crawlScopes) => tell((shard) => shard.crawlScope(crawlScopes)),
    forget: async (watches) => tell((shard) => shard.forget(watches)),
    throttle,
    onResults,
    async stop() {
      stop()
      await all((shard) => shard.stop())
      await all((shard) => shard.close())
    },
  }
}

/** A watch may have several orders, whose hosts belong to several shards: it has begun once all are accepted. */
function createBegun(orders: readonly CheckOrder[], onBegun: Parameters<Fetcher['check']>[1]) {
  const left = new Map<number, AcceptedOrders>()
  for (const { check } of orders) {
    const known = left.get(check.watch)
    if (known === undefined) left.set(check.watch, { orders: 1, queued: 0 })
    else known.orders++
  }
  return (accepted: ReadonlyMap<number, AcceptedOrders>): void => {
    for (const [watch, some] of accepted) {
      const rest = left.get(watch)
      if (rest === undefined) continue
      rest.orders -= some.orders
      rest.queued += some.queued
      if (rest.orders > 0) continue
      left.delete(watch)
      onBegun(watch, rest.queued)
    }
  }
}
