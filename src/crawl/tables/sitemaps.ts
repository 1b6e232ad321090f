import type { SkipReason } from '../../core/reports/crawl-report.ts'
import { isForAll, isTable, linkDepth, type Offer, type QueuedRequest } from '../../core/request.ts'
import { hostKey } from '../../core/url/partition.ts'
import type { LinkPipe } from '../worker/links/link-pipe.ts'

/** Sitemaps of one host in one run. They come before its pages: without a limit, a host could make us read nothing else. */
const MAX_PER_HOST = 1000
/** Of so many hosts it is remembered what was offered; then all is forgotten, and the frontier drops what it knows. */
const MAX_HOSTS = 10_000

export type SitemapLimit = {
  /** False where the host has had as many as are read. */
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

export type SitemapsOptions = {
  pipe: Pick<LinkPipe, 'table' | 'offered'>
  limit: SitemapLimit
  /** Whether a URL on another host than the page's belongs to what the page was fetched for. */
  inScope(request: QueuedRequest, url: string): boolean
  /** Why the administrator's lists forbid a URL; null if they don't. */
  refuses(url: string): SkipReason | null
  /** Hands requests to the frontier, for good. */
  offer(offers: readonly Offer[]): Promise<void>
}

/**
 * Sitemaps on their way to the frontier, where they are requests like any other, ahead of the pages of their host. Only crawls read them:
 * who watches a page wants the page and where it leads, not all that its site has.
 */
export type Sitemaps = {
  /** Those that are named for the site of a request: by its robots.txt, or by a page of it. `by` is the URL with their names. */
  named(request: QueuedRequest, by: string, urls: readonly string[]): Promise<void>
}

export function createSitemaps({ pipe, limit, inScope, refuses, offer }: SitemapsOptions): Sitemaps {
  /** By whom sitemaps were named, and the depth that they were offered with. */
  const offered = new Map<string, number>()

  return {
    async named(request, by, urls) {
      const { check, host, hops } = request
      const depth = linkDepth(request.depth)
      if (urls.length === 0 || depth === null || isTable(request) || !isForAll(check)) return
      const name = `${check.watch} ${check.round} ${by}`
      if ((offered.get(name) ?? -1) >= depth) return
      if (offered.size >= MAX_HOSTS) offered.clear()
      offered.set(name, depth)
      const offers: Offer[] = []
      const context = { url: by, host, baseHref: undefined, depth, hops: hops + 1, check }
      for (const url of urls) {
        const found = pipe.table(url, context)
        if (typeof found === 'string') continue
        const isOwn = hostKey(found.url) === host || inScope(request, found.url)
        if (isOwn && refuses(found.url) === null && limit.admits(found)) offers.push(found)
      }
      if (offers.length === 0) return
      await offer(offers)
      pipe.offered(offers)
    },
  }
}
