import { responseRecord } from '../../../archive/warc/record-writer.ts'
import type { Clock } from '../../../core/clock.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import { isTable, type Offer, pagePriority, type QueuedRequest } from '../../../core/request.ts'
import { accessOf, isOpen, withAccess } from '../../../core/url/access.ts'
import { bodyDigest, digestText } from '../../../core/url/fingerprint.ts'
import { registrableDomain } from '../../../core/url/partition.ts'
import type { Capture, KeptPage, KnownDocument, NoteOutcome } from '../../../store/contracts/documents.ts'
import type { DroppedLinks } from '../../../store/contracts/dropped-links.ts'
import { unpackLinks, unpackLinksAt } from '../../../store/rules/link-text.ts'
import { type FetchResponse, mediaTypeOf } from '../../fetch/fetch-result.ts'
import { freshUntil } from '../../fetch/validators.ts'
import type { CrawlStats } from '../crawl-stats.ts'
import type { LinkPipe, PageContext } from '../links/link-pipe.ts'
import type { RecordedPage } from '../reading/recorded-page.ts'
import type { FetchedPage } from '../reading/shared-reading.ts'
import type { Failure } from '../results/batch.ts'
import type { CounterName, ShardStats } from '../shared-counters.ts'
import { STATUS_GONE } from './protocol-visit.ts'
import { capturesOf, goneCapture, type ReadItemsOptions } from './read-items.ts'
import { type PageReading, readResponse, redirectTarget } from './read-response.ts'
import { sitemapLinks } from './sitemap-links.ts'
import type { VisitResult } from './visit-result.ts'

/** The result of a visit: a capture or a note to store, the links that it yields, and whether it is to be retried. */
export type Conclusion = {
  capture: Capture | null
  /** Set if another shard has read and recorded the page; `capture` is then null. */
  recorded?: RecordedPage | undefined
  /** Captures of documents that came with it. */
  parts?: readonly Capture[]
  offers: readonly Offer[]
  again: boolean
  /** The kept document, if the page is unchanged; null if there is none, or if the comparison comes later. */
  kept?: KnownDocument | null
  /** Links that the trap limits dropped. */
  traps?: readonly DroppedLinks[]
  /** Why it was not fetched or not read. */
  skipped?: SkipReason
  /** Also set if the request is to be retried. */
  failure?: Failure
}

export type Conclude = ReturnType<typeof createConclude>

export type ConcludeDeps = {
  /** Outgoing links of a kept version. */
  linksOf(known: KeptPage): Promise<string[]>
  pipe: LinkPipe
  stats: ShardStats
  /** Counts for the crawl of the service that a request belongs to. */
  countFor(request: QueuedRequest, name: string, n: number): void
  crawlStats: CrawlStats
  clock: Clock
  log(level: 'debug', message: string, fields?: Record<string, unknown>): void
  settings: { maxAttempts: number; maxRedirects: number; reading: ReadItemsOptions }
  /** Gives a page to a less busy shard to read; null if it is to be read here. */
  give(page: FetchedPage): Promise<PageReading> | null
}

type Visited = Exclude<VisitResult, { kind: 'postponed' }> | { kind: 'dropped' }

export function createConclude(deps: ConcludeDeps) {
  const { linksOf, pipe, stats, countFor, crawlStats, clock, log, settings } = deps
  const { reading } = settings

  function add(request: QueuedRequest, name: CounterName, n = 1): void {
    stats.add(name, n)
    countFor(request, name, n)
  }

  function note(
    request: QueuedRequest,
    outcome: NoteOutcome,
    { status, address }: { status: number; address: string },
    { reason = '', fresh = null }: { reason?: string; fresh?: number | null } = {},
  ): Capture {
    const base = { ...nameOf(request), at: clock.now(), run: runOf(request), status, address }
    return { kind: 'note', outcome, reason, ...base, location: '', freshUntil: fresh }
  }

  /** If the document existed until now, the answer itself is stored as proof that it doesn't any more. */
  function gone(
    request: QueuedRequest,
    outcome: 'failed' | 'redirect',
    response: FetchResponse,
    location = '',
  ): Capture {
    const { status, address, startedAt: at } = response
    const render = () => goneRecord(request.url, response)
    const reason: '' | ErrorCode = outcome === 'failed' ? 'http-client-error' : ''
    return {
      kind: 'gone',
      outcome,
      reason,
      ...nameOf(request),
      at,
      run: runOf(request),
      status,
      address,
      location,
      render,
    }
  }

  /** Documents that a watch checked carry its number instead of the run's. */
  function runOf({ check }: QueuedRequest): number {
    return check.watch === 0 ? reading.run : check.watch
  }

  function failed(
    request: QueuedRequest,
    code: ErrorCode,
    message: string,
    facts: { status: number; address: string },
    capture = note(request, 'failed', facts, { reason: code }),
  ): Conclusion {
    add(request, 'failed')
    crawlStats.failure(code)
    if (isOpen(request.url)) crawlStats.failedUrl(request.url, code)
    log('debug', message, { url: request.url, code })
    return { capture, offers: [], again: false, failure: { code, status: facts.status } }
  }

  function skipped(request: QueuedRequest, reason: SkipReason, facts: { status: number; address: string }): Conclusion {
    add(request, `skipped.${reason}`)
    log('debug', 'skipped', { url: request.url, reason, parent: request.parent })
    return { capture: note(request, 'skipped', facts, { reason }), offers: [], again: false, skipped: reason }
  }

  function count(request: QueuedRequest, response: FetchResponse): void {
    add(request, 'fetched')
    add(request, 'bytes', response.wireBytes)
    crawlStats.status(response.status)
  }

  async function readPage(
    request: QueuedRequest,
    { response, known, completed }: Extract<VisitResult, { kind: 'answered' }>,
  ): Promise<Conclusion> {
    const given = completed === undefined ? deps.give({ request, response, known }) : null
    const page = await (given ?? readResponse(request, response, known, reading, completed))
    if (page.kind === 'undecodable') return failed(request, 'decode-failed', page.message, response)
    crawlStats.type(mediaTypeOf(response.rawHeaders))
    add(request, 'links', page.links)
    if (page.dropped.limit > 0) add(request, 'skipped.limit', page.dropped.limit)
    if (page.dropped.length > 0) add(request, 'skipped.length', page.dropped.length)
    if (page.dropped.scope) add(request, 'skipped.scope', page.dropped.scope)
    const { offers, traps } = page
    if (page.kind === 'page') return { capture: page.capture, recorded: page.recorded, offers, traps, again: false }
    return { ...skipped(request, 'robots', response), offers, traps }
  }

  function follow(request: QueuedRequest, response: FetchResponse): Conclusion {
    add(request, 'redirects')
    const location = redirectTarget(request, response)
    if (location === null || !/^https?:/.test(location)) {
      return failed(
        request,
        'redirect-refused',
        `${request.url} redirects to ${String(location).slice(0, 200)}`,
        response,
      )
    }
    if (request.redirects >= settings.maxRedirects) {
      return failed(
        request,
        'redirect-limit',
        `${request.url}: more than ${settings.maxRedirects} redirects in a row`,
        response,
      )
    }
    // A redirect to itself, as by servers that want to set a cookie: the page isn't gone.
    if (location.replace(/#.*/s, '') === request.url)
      return { capture: note(request, 'redirect', response), offers: [], again: false }
    const capture = gone(request, 'redirect', response, location)
    const context = contextOf(request)
    const admitted = isTable(request)
      ? admitTable(location, request, context)
      : pipe.admit(location, context, request.parent === '')
    const traps = pipe.takeDropped(context, response.startedAt)
    if (typeof admitted === 'string') {
      if (admitted === 'unparsable')
        return failed(request, 'redirect-refused', `${request.url} redirects to something that is not a URL`, response)
      if (admitted === 'known') return { capture, offers: [], again: false }
      add(request, `skipped.${admitted}`)
      return { capture, offers: [], traps, again: false, skipped: admitted }
    }
    // A redirect is the same step of the crawl: it goes ahead of links that were found later.
    const offer = {
      ...admitted,
      parent: request.parent,
      redirects: request.redirects + 1,
      priority: request.priority - 1,
    }
    return { capture, offers: [offer], again: false }
  }

  /** A table of a site may be on another host of the site, or of the crawl. */
  function admitTable(url: string, request: QueuedRequest, context: PageContext): ReturnType<LinkPipe['table']> {
    const table = pipe.table(url, context)
    if (typeof table === 'string') return table
    const isOwn = registrableDomain(table.host) === registrableDomain(request.host)
    return isOwn || reading.covers(request, table.url) ? table : 'scope'
  }

  /** Reads the kept table again: its links alone don't say which are sitemaps, and which go first. */
  async function followKeptTable(request: QueuedRequest, versionId: number): Promise<KeptLinks | null> {
    const kept = await reading.keptBody(versionId)
    const document = { isCut: false, startedAt: clock.now() }
    const found = kept === null ? null : await sitemapLinks(request, { ...kept, ...document }, reading.sitemaps)
    if (found === null) return null
    return { ...found.found, links: found.found.links.length }
  }

  async function followKept(request: QueuedRequest, known: KnownDocument): Promise<KeptLinks> {
    const { versionId, linkKeys, linkNaming } = known
    if (versionId === 0) return noLinks
    const table = isTable(request) ? await followKeptTable(request, versionId) : null
    if (table !== null) return table
    const context = contextOf(request)
    const isNamedAlike = linkKeys.length > 0 && linkNaming === reading.linkNaming
    // Most links of a page are known by now: their keys show it without reading the links themselves.
    const positions = isNamedAlike ? pipe.unknown(linkKeys, context) : null
    if (positions?.length === 0) return { ...noLinks, links: linkKeys.length / 8 }
    const { linkText } = known
    let wanted: string[]
    let links = linkKeys.length / 8
    if (positions !== null && linkText !== undefined) wanted = unpackLinksAt(linkText, known.url, positions)
    else {
      const all = linkText === undefined ? await linksOf(known) : unpackLinks(linkText, known.url)
      wanted = positions === null ? all : positions.flatMap((at) => all[at] ?? [])
      links = all.length
    }
    const found = wanted.map((href) => ({ href, tag: 'a' as const, nofollow: false, known: null }))
    pipe.enter(context)
    const piped = pipe.run(found, context, clock.now())
    const { offers, traps } = piped instanceof Promise ? await piped : piped
    return { offers, traps, links }
  }

  async function readItems(
    request: QueuedRequest,
    { reading: read, known }: Extract<VisitResult, { kind: 'read' }>,
  ): Promise<Conclusion> {
    const bodies = read.items.filter(({ result }) => result.kind === 'body').length
    add(request, 'fetched', bodies + (read.list === null ? 0 : 1))
    add(request, 'bytes', read.bytes)
    const { capture, parts, offers, links } = await capturesOf(request, read, known, reading)
    add(request, 'links', links)
    const { failure } = read
    if (failure === null) return { capture, parts, offers, again: read.hasMore }
    const again = request.attempts + 1 < settings.maxAttempts
    const facts = { status: 0, address: read.address }
    if (!again) return { ...failed(request, failure.code, failure.message, facts), parts }
    return { capture: null, parts, offers: [], again, failure: { code: failure.code, status: 0 } }
  }

  /** If a list is gone, so are all its items; nested lists are still requested. */
  async function vanished(
    request: QueuedRequest,
    { message, known }: Extract<VisitResult, { kind: 'vanished' }>,
  ): Promise<Conclusion> {
    const facts = { at: clock.now(), address: '', run: runOf(request) }
    const links = known === null || known.versionId === 0 ? [] : await linksOf(known)
    const access = accessOf(request.url)
    const own = links.map((url) => withAccess(url, access)).filter((url) => isBelow(request.url, url))
    const parts = own.filter((url) => !url.endsWith('/')).map((url) => goneCapture(request, url, facts, reading))
    const lists = own
      .filter((url) => url.endsWith('/'))
      .map((url) => ({ ...nameOf(request), url, ...reading.keyOf(url) }))
    const { depth, hops } = request
    const offers = lists.map((list) => ({
      ...{ ...list, parent: request.url, depth, hops: hops + 1, redirects: 0, priority: hops },
    }))
    const capture = goneCapture(request, request.url, facts, reading)
    const isList = own.length > 0
    const ended = failed(request, 'not-found', message, { status: STATUS_GONE, address: '' }, capture)
    return { ...ended, capture: isList ? { ...capture, silent: true } : capture, parts, offers }
  }

  async function unchanged(
    request: QueuedRequest,
    { response, known }: Extract<VisitResult, { kind: 'unchanged' }>,
  ): Promise<Conclusion> {
    add(request, 'unchanged')
    const { offers, traps, links } = await followKept(request, known)
    add(request, 'links', links)
    const fresh = freshUntil(response.rawHeaders, response.startedAt)
    const capture = note(request, 'unchanged', response, { fresh })
    return { capture, offers, traps, kept: known, again: false }
  }

  async function doneBefore(request: QueuedRequest, known: KnownDocument): Promise<Conclusion> {
    // A watch checked it a moment ago, which is as good as a check by the crawl itself.
    if (known.run !== request.check.watch) countFor(request, 'unchanged', 1)
    const { offers, traps } = await followKept(request, known)
    const facts = { at: clock.now(), run: known.run, status: known.status, address: '' }
    // That it is gone may be news to the watch, too.
    const capture: Capture | null = request.check.watch > 0 ? { kind: 'met', ...nameOf(request), ...facts } : null
    return { capture, offers, traps, kept: known, again: false }
  }

  /** For ordinary pages, returns the promise of `readPage` itself instead of wrapping it in another. */
  return function conclude(request: QueuedRequest, result: Visited): Conclusion | Promise<Conclusion> {
    if ('response' in result) count(request, result.response)
    switch (result.kind) {
      case 'answered':
        return readPage(request, result)
      case 'redirected':
        return follow(request, result.response)
      case 'read':
        return readItems(request, result)
      case 'vanished':
        return vanished(request, result)
      case 'unchanged':
        return unchanged(request, result)
      case 'gone': {
        const { response } = result
        const message = `${request.url}: status ${response.status}`
        return failed(request, 'http-client-error', message, response, gone(request, 'failed', response))
      }
      case 'done-before':
        return doneBefore(request, result.known)
      case 'dropped':
        return { capture: null, offers: [], again: false }
      case 'skipped':
        return skipped(request, result.reason, result)
      case 'failed': {
        if (result.status > 0) {
          add(request, 'fetched')
          crawlStats.status(result.status)
        }
        const again = result.retry && request.attempts + 1 < settings.maxAttempts
        if (again) return { capture: null, offers: [], again, failure: { code: result.code, status: result.status } }
        return failed(request, result.code, result.message, result)
      }
    }
  }
}

/** Links of a page that was stored before. */
type KeptLinks = { offers: Offer[]; traps: DroppedLinks[]; links: number }

const noLinks: KeptLinks = { offers: [], traps: [], links: 0 }

function nameOf({ host, fp, url, parent, check, hops }: QueuedRequest) {
  return { host, fp, url, parent, check, hops }
}

/** The URLs of a list's items start with the URL of the list. */
const isBelow = (list: string, url: string): boolean => url !== list && url.startsWith(list)

function goneRecord(uri: string, response: FetchResponse): Uint8Array[] {
  const { startedAt: date, address, statusLine, rawHeaders, body, truncated } = response
  const payloadDigest = digestText(bodyDigest(body))
  return responseRecord({ uri, date, address, statusLine, rawHeaders, body, payloadDigest, truncated }).parts
}

function contextOf(request: QueuedRequest): PageContext {
  const { url, host, depth, hops, check } = request
  return { url, host, baseHref: undefined, depth, hops, priority: pagePriority(request), check }
}
