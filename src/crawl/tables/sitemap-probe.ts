import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import { isForAll, isTable, linkDepth, type Offer, type QueuedRequest } from '../../core/request.ts'
import { originOf } from '../../core/url/url.ts'
import type { FrontierStore, KeptTables } from '../../store/contracts/frontier.ts'
import { type FetchResult, headerList, headerValue, locationOf } from '../fetch/fetch-result.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { RobotsRules } from '../robots/robots-rules.ts'
import { signalOf } from '../worker/visit/answer-signal.ts'
import type { VisitResult } from '../worker/visit/visit-result.ts'
import { readSitemap } from './sitemap-reader.ts'
import type { SitemapOffers } from './sitemaps.ts'

/** Usual places of sitemaps that aren't announced, most common first. */
export const usualPlaces = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.txt'] as const

const KEPT_MS = 7 * 86_400_000
const MAX_ORIGINS = 10_000
/** Enough to tell a sitemap from a page; it is fetched in full by its own request. */
const MAX_BYTES = 512 << 10
/** Paths of plausible redirect targets: a redirect to the front page or an error page doesn't lead to a sitemap. */
const sitemapPath = /sitemap|\.(?:xml|txt|gz)$/i

export type SitemapProbe = {
  /** Uses the turn of a page to look for a sitemap; returns or resolves to null if the page may be fetched. */
  before(request: QueuedRequest): Promise<VisitResult | null> | null
}

export type SitemapProbeDeps = {
  store: Pick<FrontierStore, 'loadTables' | 'saveTables'>
  fetcher: Pick<Fetcher, 'fetch'>
  clock: Clock
  sitemaps: SitemapOffers
  /** Pages of a host before each place is probed. */
  probeAfter: number
  /** The robots.txt rules in memory. */
  rulesOf(origin: string): RobotsRules | null
  mayAsk(url: string): boolean
  offer(offers: readonly Offer[]): Promise<void>
}

type Entry = { pages: number; place: number; isBusy: boolean }

/**
 * Looks for sitemaps in the usual places, one after the other until one is found, each in the turn of a page. An answer, yes or no, is
 * stored and not asked for again until it expires. Hosts whose robots.txt names a sitemap are not probed. A probe isn't a request of the
 * crawl: it counts neither as fetched nor as failed, and what it finds is offered to the frontier.
 */
export function createSitemapProbe(deps: SitemapProbeDeps): SitemapProbe {
  const { store, fetcher, clock, sitemaps, probeAfter, rulesOf, mayAsk, offer } = deps
  const entries = createRecentMap<string, Entry>({ maxEntries: MAX_ORIGINS })

  function entryOf(origin: string): Entry {
    const kept = entries.get(origin)
    if (kept !== undefined) return kept
    const entry = { pages: 0, place: 0, isBusy: false }
    entries.set(origin, entry)
    return entry
  }

  const isDue = ({ pages, place }: Entry): boolean => place < usualPlaces.length && pages > probeAfter * (place + 1)

  /** Treats a store that can't be reached now as empty: that only costs one more probe. */
  async function kept<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask()
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') throw error
      return null
    }
  }

  async function found(request: QueuedRequest, entry: Entry, url: string): Promise<void> {
    entry.place = usualPlaces.length
    const offers = sitemaps(request, `${originOf(request.url)}/`, [url])
    if (offers.length > 0) await offer(offers)
  }

  async function look(request: QueuedRequest, entry: Entry): Promise<VisitResult | null> {
    while (isDue(entry)) {
      const url = `${originOf(request.url)}${usualPlaces[entry.place]}`
      entry.place++
      if (!mayAsk(url)) continue
      const before = await kept<KeptTables | null>(() => store.loadTables(url))
      if (before !== null && before.expiresAt > clock.now()) {
        if (before.kind === 'offered') await found(request, entry, url)
        continue
      }
      const result = await fetcher.fetch({ url, anyType: true, maxBodyBytes: MAX_BYTES })
      const answer = await judge(url, result)
      // A host with other problems is not probed further.
      if (answer === 'unknown') entry.place = usualPlaces.length
      else {
        const kind = answer === 'sitemap' ? 'offered' : 'none'
        await kept(() => store.saveTables(url, { kind, expiresAt: clock.now() + KEPT_MS }))
        if (answer === 'sitemap') await found(request, entry, url)
      }
      return { kind: 'postponed', signal: signalOf(result, clock) }
    }
    return null
  }

  return {
    before(request) {
      if (isTable(request) || !isForAll(request.check) || linkDepth(request.depth) === null) return null
      const origin = originOf(request.url)
      const entry = entryOf(origin)
      entry.pages++
      if (entry.isBusy || !isDue(entry) || (rulesOf(origin)?.sitemaps.length ?? 0) > 0) return null
      entry.isBusy = true
      return look(request, entry).finally(() => {
        entry.isBusy = false
      })
    },
  }
}

async function judge(url: string, result: FetchResult): Promise<'sitemap' | 'none' | 'unknown'> {
  if (result.kind !== 'response') return 'unknown'
  const { status, rawHeaders, body } = result
  if (status >= 300 && status < 400) {
    const target = URL.parse(locationOf(rawHeaders) ?? '', url)
    return target !== null && sitemapPath.test(target.pathname) ? 'sitemap' : 'none'
  }
  if (status !== 200) return status >= 500 || status === 429 ? 'unknown' : 'none'
  const decoded = await decodeBody(body, headerList(rawHeaders, 'content-encoding'), MAX_BYTES)
  if (decoded.kind === 'failed') return 'none'
  const isCut = result.truncated !== null || decoded.truncated
  const contentType = headerValue(rawHeaders, 'content-type')
  const reading = await readSitemap(decoded.body, { url, contentType, isCut, maxBytes: MAX_BYTES })
  return reading === null ? 'none' : 'sitemap'
}
