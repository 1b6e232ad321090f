import type { CheckOrder, CheckResult, CrawlScope } from '../core/check-order.ts'
import { firstFailure } from '../core/work/race.ts'
import { type Fetcher, schemeOf } from './fetcher.ts'

/** The outcome of a check whose scheme no fetcher serves. */
export const schemeOutcome = 'skipped: scheme'

/** One fetcher made of several: each source goes to the fetcher of its scheme. */
export function createFetcherRouter(fetchers: readonly Fetcher[]): Fetcher {
  const byScheme = new Map<string, Fetcher>()
  for (const fetcher of fetchers)
    for (const scheme of fetcher.schemes) {
      if (byScheme.has(scheme)) throw new Error(`two fetchers serve ${scheme}`)
      byScheme.set(scheme, fetcher)
    }
  let listener: (results: readonly CheckResult[]) => void = () => {}
  for (const fetcher of fetchers) fetcher.onResults((results) => listener(results))

  /** What each fetcher gets of a list; `uriOf` is null for an item that concerns all of them. */
  function share<T>(items: readonly T[], uriOf: (item: T) => string | null): Map<Fetcher, T[]> {
    const shares = new Map<Fetcher, T[]>(fetchers.map((fetcher) => [fetcher, []]))
    for (const item of items) {
      const uri = uriOf(item)
      const owner = uri === null ? undefined : byScheme.get(schemeOf(uri))
      for (const fetcher of uri === null ? fetchers : owner === undefined ? [] : [owner])
        shares.get(fetcher)!.push(item)
    }
    return shares
  }

  const ofScopes = (scopes: readonly CrawlScope[]) => share(scopes, ({ sources }) => sources[0]?.uri ?? null)

  function unsupported(orders: readonly CheckOrder[]): CheckResult[] {
    return orders
      .filter(({ url }) => !byScheme.has(schemeOf(url)))
      .map(({ check }) => ({
        ...{ watch: check.watch, queued: 0, changed: 0, unchanged: 0, failed: 0, landed: null },
        source: { status: 0, outcome: schemeOutcome },
      }))
  }

  return {
    schemes: [...byScheme.keys()],
    failed: firstFailure(fetchers.map((fetcher) => fetcher.failed)),
    start: async (underWay) =>
      merged(await Promise.all([...ofScopes(underWay)].map(([fetcher, scopes]) => fetcher.start(scopes)))),
    async check(orders, onBegun) {
      const shares = [...share(orders, ({ url }) => url)].filter(([, some]) => some.length > 0)
      const results = unsupported(orders)
      if (results.length > 0) listener(results)
      for (const { watch } of results) onBegun(watch, 0)
      await Promise.all(shares.map(([fetcher, some]) => fetcher.check(some, onBegun)))
    },
    async crawlScope(given) {
      await Promise.all(
        [...ofScopes(given)].map(([fetcher, scopes]) => scopes.length > 0 && fetcher.crawlScope(scopes)),
      )
    },
    async forget(watches) {
      await Promise.all(fetchers.map((fetcher) => fetcher.forget(watches)))
    },
    throttle(throttled) {
      for (const fetcher of fetchers) fetcher.throttle(throttled)
    },
    onResults(given) {
      listener = given
    },
    async stop() {
      await Promise.all(fetchers.map((fetcher) => fetcher.stop()))
    },
  }
}

function merged(counts: readonly ReadonlyMap<number, number>[]): Map<number, number> {
  const sum = new Map<number, number>()
  for (const each of counts) for (const [watch, n] of each) sum.set(watch, (sum.get(watch) ?? 0) + n)
  return sum
}
