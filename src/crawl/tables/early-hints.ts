import { isForAll, isTable, linkDepth, type Offer, type QueuedRequest } from '../../core/request.ts'
import type { LinkPipe, PageContext } from '../worker/links/link-pipe.ts'
import { headerLinks, parseLinkHeaders, sitemapsOf } from './link-header.ts'
import type { SitemapOffers } from './sitemaps.ts'

/** Links that a server announces while it is still working on the page (103 Early Hints). */
export type HintedPage = {
  /** Takes `Link` fields; the requests are on their way to the frontier when this returns. */
  take(fields: readonly string[]): void
  /** Resolves when the frontier has accepted all of them; null if there were none. */
  accepted(): Promise<void> | null
}

export type EarlyHintsOptions = {
  pipe: Pick<LinkPipe, 'enter' | 'run'>
  sitemaps: SitemapOffers
  now(): number
  offer(offers: readonly Offer[]): Promise<void>
}

/**
 * Offers the links of hints immediately, before the page has arrived. They are treated like links in its header, with the same steps.
 * Whether the page wants its links followed isn't known yet: a server that says no shouldn't hint. Null for pages whose links aren't
 * followed, and outside of crawls.
 */
export function createEarlyHints({ pipe, sitemaps, now, offer }: EarlyHintsOptions) {
  return (request: QueuedRequest): HintedPage | null => {
    if (isTable(request) || !isForAll(request.check) || linkDepth(request.depth) === null) return null
    let accepting: Promise<void> | null = null

    async function offerAll(fields: readonly string[]): Promise<void> {
      const { url, host, depth, hops, check } = request
      const named = parseLinkHeaders(fields)
      const page: PageContext = { url, host, baseHref: undefined, depth, hops, check }
      const offers = sitemaps(request, url, sitemapsOf(named))
      pipe.enter(page)
      const found = await pipe.run(headerLinks(named, url), page, now())
      offers.push(...found.offers)
      if (offers.length > 0) await offer(offers)
    }

    return {
      take(fields) {
        const offering = offerAll(fields)
        accepting = accepting === null ? offering : accepting.then(() => offering)
        accepting.catch(() => {}) // observed by `accepted`; until then it must not end the process
      },
      accepted: () => accepting,
    }
  }
}
