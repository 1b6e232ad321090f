import type { Clock } from '../../../core/clock.ts'
import {
  isForAll,
  isTable,
  linkDepth,
  type Offer,
  pagePriority,
  type QueuedRequest,
  SAID_CHANGED,
  SAID_UNCHANGED,
  UNLIMITED_DEPTH,
} from '../../../core/request.ts'
import { hostKey, registrableDomain } from '../../../core/url/partition.ts'
import type { DocumentKey, KnownDocument } from '../../../store/contracts/documents.ts'
import type { FoundLink } from '../../extract/fastfind.ts'
import { isStale, type Sitemap, type SitemapEntry, sortEntries } from '../../tables/sitemap.ts'
import { looksLikeSitemap, readSitemap } from '../../tables/sitemap-reader.ts'
import type { SitemapLimit, SitemapOffers } from '../../tables/sitemaps.ts'
import type { LinkPipe, NamedLink, PageContext, PipedLinks } from '../links/link-pipe.ts'
import { goesAhead } from './page-wait.ts'

export type SitemapLinksOptions = {
  pipe: LinkPipe
  clock: Clock
  maxBodyBytes: number
  keyOf(url: string): DocumentKey
  /** Finds earlier visits of pages; null if nothing is known from before. */
  findKnown: ((keys: readonly DocumentKey[]) => Promise<(KnownDocument | null)[]>) | null
  /** How long pages below the source of a watch wait: see `CrawlScope`. */
  paceOf(watch: number): number
  limit: SitemapLimit
  /** Null when tables of hosts are not used. */
  offers: SitemapOffers | null
  log(level: 'debug' | 'info', message: string, fields?: Record<string, unknown>): void
}

export type SitemapBody = { body: Buffer; contentType: string | undefined; isCut: boolean; startedAt: number }

/** `foreign`: entries for which this sitemap has no authority. `limited`: entries beyond a limit. `dates`: of its newest changes. */
export type SitemapLinks = { found: PipedLinks; foreign: number; limited: number; dates: number[] }

/** Levels of an index within an index, which the protocol doesn't allow. */
const MAX_NESTING = 3
const MAX_DATES = 20
/** Documents looked up per call. */
const LOOKUP = 500

/**
 * The links of a sitemap; null if the document isn't one. Requested as a table of its host, it may have any form, and its entries are
 * as far from the seed as it is itself, which is one link. Met as a page or as a source, it is recognised by its XML, and its
 * entries are its links.
 */
export async function sitemapLinks(
  request: QueuedRequest,
  document: SitemapBody,
  options: SitemapLinksOptions,
): Promise<SitemapLinks | null> {
  const reading = await readSitemap(document.body, { ...document, url: request.url, maxBytes: options.maxBodyBytes })
  if (reading === null) return null
  const { sitemap, isCut } = reading
  const pages = ownEntries(sitemap.pages, request)
  const sitemaps = ownEntries(sitemap.sitemaps, request)
  const foreign = sitemap.pages.length + sitemap.sitemaps.length - pages.length - sitemaps.length
  const now = options.clock.now()
  const sorted = sortEntries(await withVisits(pages, options), now)
  const pace = options.paceOf(request.check.watch)
  const links: FoundLink<NamedLink>[] = sorted.map((entry) => ({
    ...{ href: entry.url, tag: 'a', nofollow: false, known: null, hint: hintOf(entry, request, pace) },
  }))
  // For a watched source, the sitemaps of an index are links like any other.
  const asTables = isForAll(request.check)
  if (!asTables) for (const { url } of sitemaps) links.push({ href: url, tag: 'a', nofollow: false, known: null })
  const { pipe } = options
  const context = contextOf(request)
  pipe.enter(context)
  const piped = pipe.run(links, context, document.startedAt)
  const found = piped instanceof Promise ? await piped : piped
  const nested = asTables ? nestedOffers(request, sitemaps, options) : { offers: [], limited: 0 }
  const limited = sitemap.dropped + nested.limited
  tell(request, sitemap, { isCut, limited, foreign }, options)
  const dates = newestDates(pages, now)
  return { found: { ...found, offers: [...nested.offers, ...found.offers] }, foreign, limited, dates }
}

type Visited = SitemapEntry & { visitedAt: number; visited: KnownDocument | null }

/** Changed pages need a hint only if they would wait otherwise. */
function hintOf(entry: Visited, { check }: QueuedRequest, pace: number): number {
  if (isStale(entry)) return SAID_UNCHANGED
  const { visited, modifiedAt } = entry
  return pace > 0 && visited !== null && modifiedAt !== null && goesAhead(visited, check.round, pace) ? SAID_CHANGED : 0
}

function newestDates(entries: readonly SitemapEntry[], now: number): number[] {
  const dates = new Set(
    entries.flatMap(({ modifiedAt }) => (modifiedAt !== null && modifiedAt <= now ? modifiedAt : [])),
  )
  return [...dates].sort((a, b) => b - a).slice(0, MAX_DATES)
}

const maybeXml = /[/+]xml/i

/** Whether the document may be a sitemap: requested as one, or starting like one. */
export const mayBeSitemap = (request: QueuedRequest, contentType: string | undefined, body: Buffer): boolean =>
  isTable(request) || (maybeXml.test(contentType ?? '') && looksLikeSitemap(body))

/**
 * A sitemap has authority over its own domain, and over that of the robots.txt or index that names it. The protocol is stricter and says
 * host; here a site with several hosts is one site, and the scope decides.
 */
function ownEntries(entries: readonly SitemapEntry[], { url: own, parent, host }: QueuedRequest): SitemapEntry[] {
  const prefix = own.slice(0, own.indexOf('/', 8) + 1)
  const domains = new Set([registrableDomain(host)])
  if (/^https?:/.test(parent)) domains.add(registrableDomain(hostKey(parent)))
  return entries.filter(({ url }) => {
    if (url.startsWith(prefix)) return true
    const parsed = URL.parse(url, own)
    // Entries that can't be parsed are counted by the pipe, like links of pages.
    return parsed === null || !/^https?:$/.test(parsed.protocol) || domains.has(registrableDomain(hostKey(parsed.href)))
  })
}

/** Adds the last visit of each entry; `visitedAt` is 0 for pages without one. */
async function withVisits(
  entries: readonly SitemapEntry[],
  { findKnown, keyOf }: SitemapLinksOptions,
): Promise<Visited[]> {
  const visits = entries.map((entry): Visited => ({ ...entry, visitedAt: 0, visited: null }))
  const dated = findKnown === null ? [] : visits.filter(({ modifiedAt }) => modifiedAt !== null)
  for (let at = 0; at < dated.length; at += LOOKUP) {
    const part = dated.slice(at, at + LOOKUP)
    const known = await findKnown!(part.map(({ url }) => keyOf(URL.parse(url)?.href ?? url)))
    for (const [index, visited] of known.entries())
      Object.assign(part[index]!, { visited, visitedAt: visited?.checkedAt ?? 0 })
  }
  return visits
}

function nestedOffers(
  request: QueuedRequest,
  sitemaps: readonly SitemapEntry[],
  { pipe, limit }: SitemapLinksOptions,
): { offers: Offer[]; limited: number } {
  const offers: Offer[] = []
  const redirects = isTable(request) ? request.redirects + 1 : 0
  const depth = isTable(request) ? request.depth : linkDepth(request.depth)
  const hops = isTable(request) ? request.hops : request.hops + 1
  if (depth === null) return { offers, limited: 0 }
  const context = { ...contextOf(request), depth, hops }
  let limited = 0
  for (const { url } of sitemaps) {
    const offer = redirects > MAX_NESTING ? null : pipe.table(url, context)
    if (offer === null) limited++
    else if (typeof offer === 'string') continue
    else if (limit.admits(offer)) offers.push({ ...offer, redirects })
    else limited++
  }
  return { offers, limited }
}

function tell(
  { url }: QueuedRequest,
  { form, pages, sitemaps, unreadable }: Sitemap,
  { isCut, limited, foreign }: { isCut: boolean; limited: number; foreign: number },
  { log }: SitemapLinksOptions,
): void {
  const counts = { pages: pages.length, sitemaps: sitemaps.length, unreadable, foreign, limited }
  if (isCut || limited > 0) log('info', 'a sitemap is larger than is read', { url, isCut, ...counts })
  else log('debug', 'sitemap', { url, form, ...counts })
}

/** Entries of a table are as far from the seed as the table itself, so its context is that of the page before it. */
function contextOf(request: QueuedRequest): PageContext {
  const { url, host, check } = request
  const depth = isTable(request) && request.depth !== UNLIMITED_DEPTH ? request.depth + 1 : request.depth
  const hops = isTable(request) ? request.hops - 1 : request.hops
  return { url, host, baseHref: undefined, depth, hops, priority: pagePriority(request), check }
}
