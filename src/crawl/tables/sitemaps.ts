import type { SkipReason } from '../../core/reports/crawl-report.ts'
import { type Check, isForAll, isTable, linkDepth, type Offer, type QueuedRequest } from '../../core/request.ts'
import { hostKey } from '../../core/url/partition.ts'
import type { InScope } from '../worker/links/filter-steps.ts'
import type { LinkPipe } from '../worker/links/link-pipe.ts'
import type { PageWork } from '../worker/results/check-results.ts'

/** Maximum number of sitemaps of one host in one run. They come before its pages: without a limit, a host could make us read nothing else. */
const MAX_PER_HOST = 1000
/** Maximum number of hosts remembered; then all are forgotten, and the frontier drops the offers that it knows. */
const MAX_HOSTS = 10_000

export type SitemapLimit = {
  /** False if the limit of the host is reached. */
  admits(offer: Pick<Offer, 'host' | 'check'>): boolean
}

export function createSitemapLimit(): SitemapLimit {
  const counts = new Map<string, number>()
  return {
    admits({ host, check }) {
      const key = `${check.watch} ${check.round} ${host}`
      const count = (counts.get(key) ?? 0) + 1
      if (counts.size >= MAX_HOSTS) counts.clear()
      counts.set(key, count)
      return count <= MAX_PER_HOST
    },
  }
}

export type SitemapOffersOptions = {
  pipe: Pick<LinkPipe, 'table'>
  limit: SitemapLimit
  inScope: InScope
  workOf(check: Check, url: string): PageWork
  /** Why the administrator's lists forbid a URL; null if they don't. */
  refuses(url: string): SkipReason | null
}

/**
 * Makes offers of sitemaps. In the frontier they are requests like any other, ahead of the pages of their host. Only crawls read them: a
 * watch is for a page and where it leads, not for everything on its site.
 *
 * Returns offers of sitemaps named for the site of a request, by its robots.txt or by one of its pages; `by` is the URL of that document.
 * Each is offered once; after a restart, the store drops repeated offers.
 */
export type SitemapOffers = (request: QueuedRequest, by: string, urls: readonly string[]) => Offer[]

export function createSitemapOffers(options: SitemapOffersOptions): SitemapOffers {
  const { pipe, limit, inScope, refuses, workOf } = options
  /** Depth at which sitemaps were offered, by the document that named them. */
  const offered = new Map<string, number>()

  return (request, by, urls) => {
    const { check, host, hops } = request
    const depth = linkDepth(request.depth)
    if (urls.length === 0 || depth === null || isTable(request) || !isForAll(check)) return []
    const name = `${check.watch} ${check.round} ${by} ${urls[0]}`
    if ((offered.get(name) ?? -1) >= depth) return []
    if (offered.size >= MAX_HOSTS) offered.clear()
    offered.set(name, depth)
    const context = { url: by, host, baseHref: undefined, depth, hops: hops + 1, check }
    return urls.flatMap((url) => {
      const found = pipe.table(url, context)
      if (typeof found === 'string') return []
      const isOwn = hostKey(found.url) === host || inScope({ url: found.url, pageHost: host, work: workOf(check, by) })
      return isOwn && refuses(found.url) === null && limit.admits(found) ? [found] : []
    })
  }
}
