import type { CheckResult, CrawlScope } from '../../core/check-order.ts'
import { hostKey } from '../../core/partition.ts'
import { createScope } from '../filter/scope.ts'
import type { UrlFilter } from '../filter/url-filter.ts'

type Watch = { crawlScope: CrawlScope; filters: UrlFilter[]; takesHostAlong: boolean }

/**
 * The watches whose requests this shard may meet. Every shard is told of a watch before its first request is offered, and when it
 * ends; requests of one that is not known here belong to nobody any more and are dropped.
 */
export type Watches = ReturnType<typeof createWatches>

export function createWatches() {
  const known = new Map<number, Watch>()
  let results = new Map<number, CheckResult>()

  function resultsOf(watch: number): CheckResult {
    const before = results.get(watch)
    if (before !== undefined) return before
    const fresh = { watch, queued: 0, changed: 0, unchanged: 0, failed: 0, source: null, landed: null }
    results.set(watch, fresh)
    return fresh
  }

  return {
    set(crawlScope: CrawlScope): void {
      const filters = crawlScope.sources.map(({ uri, scope }) =>
        createScope(
          scope.kind === 'pattern' ? { seeds: [uri], restrict: scope.source } : { seeds: [uri], kind: scope.kind },
        ),
      )
      const takesHostAlong = crawlScope.sources.some(({ scope }) => scope.kind === 'host' || scope.kind === 'domain')
      known.set(crawlScope.watch, { crawlScope, filters, takesHostAlong })
    },
    remove: (watch: number): void => void known.delete(watch),
    has: (watch: number): boolean => known.has(watch),
    /** Whether a link of a page on `pageHost` belongs to the watch. */
    covers(watch: number, url: string, pageHost: string): boolean {
      const found = known.get(watch)
      if (found === undefined) return false
      if (found.filters.some((filter) => filter.accepts(url))) return true
      // A source that redirects takes its watch along: the host of a page that was fetched is in reach with it.
      return found.takesHostAlong && hostKey(url) === pageHost
    },
    resultsOf,
    addQueued(counts: ReadonlyMap<number, number>): void {
      for (const [watch, n] of counts) resultsOf(watch).queued += n
    },
    /** All that was noted since the last call. */
    takeResults(): CheckResult[] {
      if (results.size === 0) return []
      const told = [...results.values()]
      results = new Map()
      return told
    },
  }
}
