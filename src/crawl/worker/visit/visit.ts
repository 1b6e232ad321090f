import type { Clock } from '../../../core/clock.ts'
import { type ErrorCode, isAppError } from '../../../core/errors.ts'
import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import { isForAll, isTable, type Offer, type QueuedRequest } from '../../../core/request.ts'
import { accessOf, isOpen, withoutAccess } from '../../../core/url/access.ts'
import { originOf } from '../../../core/url/url.ts'
import { createAskTogether } from '../../../core/work/ask-together.ts'
import type { DocumentKey, DocumentStore, KnownDocument } from '../../../store/contracts/documents.ts'
import { type FetchRequest, type FetchResult, headerValue, isWholeAnswer } from '../../fetch/fetch-result.ts'
import type { Fetcher } from '../../fetch/fetcher.ts'
import type { Secrets } from '../../fetch/secrets.ts'
import { headersOfSecret } from '../../fetch/web-secret.ts'
import type { HostQueue } from '../../frontier/host-queue.ts'
import type { Leases, PartitionLease } from '../../frontier/partition-lease.ts'
import type { HostSignal } from '../../frontier/politeness.ts'
import { createEarlyHints } from '../../tables/early-hints.ts'
import type { PageTables } from '../../tables/page-tables.ts'
import type { SitemapProbe } from '../../tables/sitemap-probe.ts'
import type { SitemapOffers } from '../../tables/sitemaps.ts'
import type { LinkPipe } from '../links/link-pipe.ts'
import { signalOf, untouched } from './answer-signal.ts'
import { isWaiting } from './page-wait.ts'
import type { ProtocolVisits } from './protocol-visit.ts'
import type { RobotsGate, RobotsLoad } from './robots-gate.ts'
import type { VisitResult } from './visit-result.ts'

export type VisitOptions = {
  /** Null if tables are not used. */
  tables: PageTables | null
  documents: DocumentStore
  fetcher: Fetcher
  protocols: ProtocolVisits
  secrets: Secrets | null
  /** Null when robots.txt is not obeyed. */
  gate: RobotsGate | null
  /** Null when tables of hosts are not used. */
  sitemaps: SitemapOffers | null
  /** Null if sitemaps are not probed for. */
  sitemapProbe: SitemapProbe | null
  pipe: Pick<LinkPipe, 'enter' | 'run'>
  /** Hands requests to the frontier immediately. */
  offer(offers: readonly Offer[]): Promise<void>
  agent: string
  run: number
  /** Whether documents may be known already: after a restart, in a later run, or with a depth limit. */
  looksBack: boolean
  /** Pages are visited repeatedly: those read in this run are answered from the archive, others are requested again. */
  walks: boolean
  maxCrawlDelayMs: number
  /** After this many "not modified" answers in a row the page is fetched in full; 0: never. */
  fullCheckAfter: number
  /** How long pages below the source of a watch wait: see `CrawlScope`. */
  paceOf(watch: number): number
  clock: Clock
  leases: Pick<Leases, 'mayBegin'>
  onCrawlDelay(host: string, delayMs: number): void
  /** Why the administrator's lists forbid a URL, however it was found; null if they don't. Links were checked before. */
  refuses(url: string): SkipReason | null
}

export type Visit = (request: QueuedRequest, hostQueue: HostQueue) => Promise<VisitResult>

export function createVisit(options: VisitOptions): Visit {
  const { documents, fetcher, gate, agent, run, clock, tables } = options
  const { mayBegin } = options.leases
  const { sitemaps, pipe, offer } = options
  const hintsOf = sitemaps === null ? null : createEarlyHints({ pipe, sitemaps, offer, now: clock.now })

  /** Null if the page may be fetched now; nearly always synchronous. */
  function askRobots(request: QueuedRequest, askedBefore: number): null | VisitResult | Promise<VisitResult | null> {
    if (gate === null) return null
    const url = withoutAccess(request.url)
    const origin = originOf(url)
    // Call this once per visit: rules that were just fetched serve one request, even if they have expired.
    const rules = gate.peek(origin)
    const isUsual = rules !== null && rules.sitemaps.length === 0 && rules.crawlDelaySeconds(agent) === null
    if (!isUsual || askedBefore > clock.monotonic())
      return obeyRobots(rules === null ? gate.load(origin) : { kind: 'kept', rules }, request, askedBefore)
    return rules.isAllowed(agent, url) ? null : disallowed
  }

  async function obeyRobots(loading: RobotsLoad | Promise<RobotsLoad>, request: QueuedRequest, askedBefore: number) {
    const url = withoutAccess(request.url)
    const origin = originOf(url)
    const load = await loading
    if (load.kind === 'unreachable') return withoutRobots(load, request, clock)
    const { rules } = load
    const delaySeconds = rules.crawlDelaySeconds(agent)
    const delayMs = Math.min((delaySeconds ?? 0) * 1000, options.maxCrawlDelayMs)
    if (delaySeconds !== null) options.onCrawlDelay(request.host, delayMs)
    const named = options.sitemaps?.(request, `${origin}/robots.txt`, rules.sitemaps) ?? []
    if (named.length > 0) await options.offer(named)
    if (load.kind === 'asked') return { kind: 'postponed', signal: signalOf(load.result, clock) } as const
    const until = askedBefore + delayMs
    if (until > clock.monotonic()) return { kind: 'postponed', signal: untouched, until } as const
    return rules.isAllowed(agent, url) ? null : disallowed
  }

  // All look-ups of one turn go to the store together, which halves their cost.
  const findKnown = createAskTogether<DocumentKey, KnownDocument | null>(documents.find)

  /** Whether an answer other than the whole page is enough. */
  const isAskedInPart = (known: KnownDocument | null, request: QueuedRequest): known is KnownDocument =>
    known !== null && !isDueInFull(known, request.fp, options.fullCheckAfter) && !isMissed(known, request)

  async function fetchPage(
    request: QueuedRequest,
    known: KnownDocument | null,
    lease: PartitionLease,
  ): Promise<VisitResult> {
    const headers = isAskedInPart(known, request) ? conditionalHeaders(known) : {}
    if (isOpen(request.url)) {
      const hinted = hintsOf?.(request) ?? null
      const asked: FetchRequest = { url: request.url, headers, anyType: isTable(request) }
      if (hinted !== null) asked.onEarlyHints = hinted.take
      if (!lease.isPermanent) asked.mayBegin = () => mayBegin(lease)
      const result = await fetcher.fetch(asked)
      const accepting = hinted?.accepted() ?? null
      if (accepting !== null) await accepting
      return judge(request, result, known, Object.keys(headers).length > 0, clock)
    }
    return fetchSignedIn(request, known, headers, lease)
  }

  async function fetchSignedIn(
    request: QueuedRequest,
    known: KnownDocument | null,
    headers: Record<string, string>,
    lease: PartitionLease,
  ): Promise<VisitResult> {
    const { credentials } = accessOf(request.url)
    const refused = (message: string): VisitResult => ({
      ...{ kind: 'failed', code: 'sign-in-failed', message, retry: false, status: 0, address: '', signal: untouched },
    })
    let signIn: Record<string, string>
    try {
      const secret = (await options.secrets?.open(credentials)) ?? null
      if (secret === null) return refused('the credentials of this source do not exist any more')
      signIn = headersOfSecret(secret)
    } catch (error) {
      if (!isAppError(error) || error.retry === 'later') throw error
      return refused(error.message)
    }
    const url = withoutAccess(request.url)
    const result = await fetcher.fetch({ url, headers: { ...headers, ...signIn }, mayBegin: () => mayBegin(lease) })
    if (result.kind !== 'failed' && (result.status === 401 || result.status === 403)) {
      const message = `${url}: the credentials were refused with status ${result.status}`
      await options.secrets?.noteFailed(credentials, message)
      return { ...refused(message), signal: signalOf(result, clock) } as VisitResult
    }
    if (result.kind !== 'failed') await options.secrets?.noteUsed(credentials)
    return judge(request, result, known, Object.keys(headers).length > 0, clock)
  }

  return async function visit(request, hostQueue) {
    const { lease, askedBefore } = hostQueue
    // True for nearly all pages: HTTP, without credentials or a browser.
    const isPlain = isWeb.test(request.url) && isOpen(request.url)
    const protocol = isPlain ? null : await options.protocols.protocolOf(request.url)
    if (protocol !== null && !isWeb.test(request.url)) {
      const reason = request.hops === 0 ? options.refuses(withoutAccess(request.url)) : null
      if (reason !== null) return { kind: 'skipped', reason, status: 0, address: '', signal: untouched }
      if (!mayBegin(lease)) return { kind: 'postponed', signal: untouched }
      const known = await findKnown(request)
      return options.protocols.visit(protocol, request, known, (each) => isMissed(each, request))
    }
    const known = options.looksBack || lease.recovered ? await findKnown(request) : null
    const isKept = known !== null && (!options.walks || known.versionId !== 0)
    if (isKept && isDone(known, request, run, options.paceOf(request.check.watch)) && !isMissed(known, request))
      return { kind: 'done-before', known }
    const reason = request.hops === 0 ? options.refuses(withoutAccess(request.url)) : null
    if (reason !== null) return { kind: 'skipped', reason, status: 0, address: '', signal: untouched }
    if (!mayBegin(lease)) return { kind: 'postponed', signal: untouched }
    const asked = askRobots(request, askedBefore)
    const refusal = asked instanceof Promise ? await asked : asked
    if (refusal !== null) return refusal
    if (asked !== null && !mayBegin(lease)) return { kind: 'postponed', signal: untouched }
    if (protocol === null) {
      if (tables === null || isTable(request) || !isOpen(request.url)) return fetchPage(request, known, lease)
      const small = isAskedInPart(known, request) ? known : null
      // Awaited only if there is something to wait for: this runs for every page.
      const probing = options.sitemapProbe?.before(request) ?? null
      const probed = probing === null ? null : await probing
      if (probed !== null) return probed
      const looking = tables.before(request, small, hostQueue)
      const instead = looking === null ? null : await looking
      if (instead !== null) return instead
      if ((probing !== null || looking !== null) && !mayBegin(lease)) return { kind: 'postponed', signal: untouched }
      tables.beside(request, hostQueue)
      const result = await fetchPage(request, known, lease)
      const coming = tables.pageCame(request)
      if (coming !== null) await coming
      return result
    }
    return options.protocols.visit(protocol, request, known, (each) => isMissed(each, request))
  }
}

const isWeb = /^https?:/

const disallowed: VisitResult = { kind: 'skipped', reason: 'robots', status: 0, address: '', signal: untouched }

/** A watch need not fetch a page that was checked since its check began, or by another watch shortly before. */
function isDone(known: KnownDocument, request: QueuedRequest, run: number, pace: number): boolean {
  const { check, hops } = request
  if (check.watch === 0) return known.run === run
  // Why a source did not answer is not stored, so it is fetched again.
  if (hops === 0 && known.status === 0) return false
  if (known.checkedAt >= check.round) return true
  // New owners are shown what their source's last check found.
  if (known.checkedAt >= check.freshFrom && (known.run !== check.watch || check.first)) return true
  return hops > 0 && pace > 0 && isWaiting(known, request, pace)
}

/** The page is new to its watch or crawled for all, and its body was garbage-collected. */
function isMissed(known: KnownDocument, { check }: QueuedRequest): boolean {
  return (check.first || isForAll(check)) && known.body === 'dropped'
}

/** Spreads the full checks of pages that were first seen together over the second half of the limit. */
function isDueInFull({ notModified }: KnownDocument, fp: bigint, limit: number): boolean {
  if (limit === 0) return false
  const earlier = Number(BigInt.asUintN(16, fp)) % (Math.floor(limit / 2) + 1)
  return notModified >= limit - earlier
}

function conditionalHeaders(known: KnownDocument): Record<string, string> {
  const headers: Record<string, string> = {}
  // "Not modified" would confirm a page of which only the beginning is kept.
  if (known.versionId === 0 || known.truncated !== '') return headers
  if (known.etag !== '') headers['if-none-match'] = known.etag
  if (known.lastModified !== '') headers['if-modified-since'] = known.lastModified
  return headers
}

/** `asked`: whether the request was conditional. */
function judge(
  request: QueuedRequest,
  result: FetchResult,
  known: KnownDocument | null,
  asked: boolean,
  clock: Clock,
): VisitResult {
  if (result.kind === 'failed')
    return result.code === 'lease-lost' ? { kind: 'postponed', signal: untouched } : failureOf(result, request, clock)
  const signal = signalOf(result, clock)
  const { status, address } = result
  if (result.kind === 'skipped') return { kind: 'skipped', reason: 'type', status, address, signal }
  if (status === 304 && known !== null && asked) return { kind: 'unchanged', response: result, known, signal }
  if (status >= 300 && status < 400 && headerValue(result.rawHeaders, 'location') !== undefined)
    return { kind: 'redirected', response: result, signal }
  if (isWholeAnswer(status, result.body.length)) return { kind: 'answered', response: result, known, signal }
  // A page behind a sign-in is gone for all readers without one.
  if (status === 404 || status === 410 || status === 401) return { kind: 'gone', response: result, signal }
  return failureOf(result, request, clock)
}

type Refusal = Extract<VisitResult, { kind: 'failed' | 'skipped' }>

function failureOf(result: FetchResult, request: QueuedRequest, clock: Clock): Refusal {
  const signal = signalOf(result, clock)
  if (result.kind === 'failed') {
    const { code, message, retry } = result
    if (code === 'address-refused')
      return { kind: 'skipped', reason: 'address', status: 0, address: result.address ?? '', signal }
    return { kind: 'failed', code, message, retry: retry === 'later', status: 0, address: result.address ?? '', signal }
  }
  const { status, address } = result
  // 202: the page isn't ready yet.
  const retry = status >= 500 || status === 429 || status === 408 || status === 202
  return {
    kind: 'failed',
    code: codeOfStatus(status),
    message: `${request.url}: status ${status}`,
    retry,
    status,
    address,
    signal,
  }
}

/** A failure to fetch robots.txt counts as a failure of the page, which was not fetched itself. */
function withoutRobots(load: RobotsLoad & { kind: 'unreachable' }, request: QueuedRequest, clock: Clock): Refusal {
  const { result, moved } = load
  const failure = failureOf(result, request, clock)
  // A host that answered, if only with a redirect to nowhere, counts as failing.
  const signal: HostSignal =
    moved && failure.signal.kind === 'untouched' ? { kind: 'failed', totalMs: result.totalMs } : failure.signal
  if (failure.kind === 'skipped') return { ...failure, signal }
  return { ...failure, status: 0, message: `no robots.txt for ${request.url}: ${failure.message}`, signal }
}

function codeOfStatus(status: number): ErrorCode {
  if (status >= 500) return 'http-server-error'
  if (status < 300) return 'http-incomplete'
  // Without a Location, or "not modified" to an unconditional request: it leads nowhere.
  return status >= 300 && status < 400 ? 'redirect-refused' : 'http-client-error'
}
