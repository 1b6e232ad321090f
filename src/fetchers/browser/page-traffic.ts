import type { CDPSession } from 'playwright-core'
import type { Clock } from '../../core/clock.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import { type FetchResponse, headerList, mediaTypeOf } from '../../crawl/fetch/fetch-result.ts'
import type { Fetcher } from '../../crawl/fetch/fetcher.ts'
import { letRequestGo, type PausedRequest, refuseRequest } from './chromium.ts'

/**
 * All requests of one visit. The browser pauses each, redirects included; our own client makes it, with its address guard, limits and
 * politeness, and passes the response to the browser as if it had made the request itself. Cookies are the browser's: they are already
 * in the request's headers, and it stores those of the response.
 */
export type PageTraffic = {
  answer(request: PausedRequest): void
  /** When the last request ended, on the monotonic clock; null while some are in progress. */
  readonly quietSince: number | null
  /** The last document of the page's main frame. */
  readonly main: MainDocument | null
  readonly counts: TrafficCounts
}

export type MainDocument = {
  url: string
  status: number
  mediaType: string
  isCut: boolean
  /** Why there is no document. */
  failure: { code: ErrorCode; message: string } | null
}

export type TrafficCounts = { requests: number; refused: number; bytes: number; mainDocuments: number }

export type TrafficDeps = {
  session: CDPSession
  fetch: Fetcher['fetch']
  /** Whether robots.txt allows the request. */
  mayFetch(url: string): Promise<boolean>
  note(bytes: number): void
  /** Only requests with this value in the header `visitHeader` belong to the visit; empty for all requests of the browser. */
  mark: string
  mainFrameId: string
  /** Headers sent only to this origin. */
  signIn: { origin: string; headers: Readonly<Record<string, string>> }
  clock: Clock
  limits: TrafficLimits
}

export type TrafficLimits = {
  maxRequests: number
  /** Total size of all bodies after decoding. */
  maxPageBytes: number
  maxBodyBytes: number
  /** Successive documents of the main frame, as with scripts that navigate on. */
  maxMainDocuments: number
}

/** Marks the requests of a visit in a browser that others use, too. Removed before anything is sent. */
export const visitHeader = 'x-erace-visit'

/** Endless streams, reports and prefetches. */
const unwanted = new Set([
  'EventSource',
  'Media',
  'Ping',
  'CSPViolationReport',
  'Prefetch',
  'SignedExchange',
  'WebSocket',
])

/** Pages load data and send forms; a watcher must change nothing else. OPTIONS is for CORS preflights. */
const methods = new Set(['GET', 'POST', 'OPTIONS'])
const maxSentBytes = 1 << 20

/** Request headers that our client sets itself, or that don't hold for it: encodings, connections. */
const notSent =
  /^(?:host|connection|content-length|accept-encoding|accept-language|user-agent|sec-ch-.*|upgrade|te|trailer|expect|transfer-encoding|keep-alive|proxy-.*|purpose|sec-purpose|x-erace-visit)$/i
/** Response headers that don't apply: the body is passed on decoded, and nothing is to be reported or loaded from elsewhere. */
const notPassedOn =
  /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|trailer|upgrade|alt-svc|nel|report-to|reporting-endpoints|strict-transport-security|content-md5|digest|speculation-rules)$/i

export function createPageTraffic(deps: TrafficDeps): PageTraffic {
  const { session, clock, limits } = deps
  const counts: TrafficCounts = { requests: 0, refused: 0, bytes: 0, mainDocuments: 0 }
  let main: MainDocument | null = null
  let underWay = 0
  let movedAt = clock.monotonic()

  const isMain = ({ resourceType, frameId }: PausedRequest): boolean =>
    resourceType === 'Document' && frameId === deps.mainFrameId

  function refuse(paused: PausedRequest, code: ErrorCode, message: string): void {
    counts.refused++
    if (isMain(paused)) main = { ...document(paused), failure: { code, message } }
    refuseRequest(session, paused.requestId)
  }

  /** Why a request must not be made; null if it may. */
  async function objection(paused: PausedRequest): Promise<{ code: ErrorCode; message: string } | null> {
    const { url, method } = paused.request
    const refused = (message: string) => ({ code: 'redirect-refused' as const, message })
    if (unwanted.has(paused.resourceType) || isIcon(paused)) return refused('This kind of request is not made')
    if (!methods.has(method)) return refused(`${method} requests are not made`)
    if (++counts.requests > limits.maxRequests) return refused(`The page made more than ${limits.maxRequests} requests`)
    if (counts.bytes > limits.maxPageBytes) return refused(`The page loaded more than ${limits.maxPageBytes} bytes`)
    const isAnother = isMain(paused) && paused.redirectedRequestId === undefined
    if (isAnother && ++counts.mainDocuments > limits.maxMainDocuments) {
      return { code: 'redirect-limit', message: `The page led on to another one ${limits.maxMainDocuments} times` }
    }
    return (await deps.mayFetch(url)) ? null : refused('robots.txt does not allow it')
  }

  async function exchange(paused: PausedRequest): Promise<void> {
    const { url } = paused.request
    const reason = await objection(paused)
    if (reason !== null) return refuse(paused, reason.code, reason.message)
    const sent = sentBody(paused.request)
    if (sent === null) return refuse(paused, 'body-too-large', 'What the page sends is too large, or a file')
    const result = await deps.fetch({
      ...sent,
      url: withoutFragment(url),
      headers: signedIn(url, sentHeaders(paused.request.headers)),
      anyType: true,
      maxBodyBytes: limits.maxBodyBytes,
    })
    if (result.kind !== 'response') {
      const { code, message } = result.kind === 'failed' ? result : { code: 'internal' as const, message: 'not read' }
      return refuse(paused, code, message)
    }
    deps.note(result.wireBytes)
    await pass(paused, result)
  }

  function signedIn(url: string, headers: Record<string, string>): Record<string, string> {
    const { origin, headers: own } = deps.signIn
    if (new URL(url).origin !== origin) return headers
    const cookies = [headers.cookie, own.cookie].filter((each) => each !== undefined).join('; ')
    return { ...headers, ...own, ...(cookies === '' ? {} : { cookie: cookies }) }
  }

  async function pass(paused: PausedRequest, response: FetchResponse): Promise<void> {
    const decoded = await decodeBody(
      response.body,
      headerList(response.rawHeaders, 'content-encoding'),
      limits.maxBodyBytes,
    )
    if (decoded.kind === 'failed') return refuse(paused, decoded.code, decoded.message)
    const isCut = decoded.truncated || response.truncated !== null
    // A truncated script or style sheet is worse than none.
    if (isCut && paused.resourceType !== 'Document') return refuse(paused, 'body-too-large', 'The body is too large')
    counts.bytes += decoded.body.length
    const { status, rawHeaders } = response
    if (isMain(paused)) main = { ...document(paused), status, mediaType: mediaTypeOf(rawHeaders), isCut }
    await session.send('Fetch.fulfillRequest', {
      requestId: paused.requestId,
      responseCode: status,
      binaryResponseHeaders: passedHeaders(rawHeaders),
      body: decoded.body.toString('base64'),
    })
  }

  function answer(paused: PausedRequest): void {
    const { url, headers } = paused.request
    if (deps.mark !== '' && markOf(headers) !== deps.mark) {
      letRequestGo(session, paused.requestId)
      return
    }
    if (!/^https?:/.test(url)) {
      if (/^(?:data|blob|about):/.test(url)) letRequestGo(session, paused.requestId)
      else refuseRequest(session, paused.requestId)
      return
    }
    underWay++
    exchange(paused)
      // The page or the browser is gone: there is nothing left to answer.
      .catch(() => {})
      .finally(() => {
        underWay--
        movedAt = clock.monotonic()
      })
  }

  return {
    answer,
    get quietSince() {
      return underWay === 0 ? movedAt : null
    },
    get main() {
      return main
    },
    counts,
  }
}

/** Favicons aren't visible in the page. */
const isIcon = ({ resourceType, request: { url } }: PausedRequest): boolean =>
  resourceType === 'Other' && url.endsWith('/favicon.ico')

const document = (paused: PausedRequest): MainDocument => ({
  url: paused.request.url,
  status: 0,
  mediaType: '',
  isCut: false,
  failure: null,
})

function markOf(headers: Record<string, string>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === visitHeader)?.[1]
}

function withoutFragment(url: string): string {
  const hash = url.indexOf('#')
  return hash === -1 ? url : url.slice(0, hash)
}

/** Null if the body is too large or not available: the browser withholds very long bodies and files. */
function sentBody({
  method,
  hasPostData,
  postDataEntries = [],
}: PausedRequest['request']): { body?: Buffer; isPreflight?: true } | null {
  if (method === 'OPTIONS') return { isPreflight: true }
  if (method === 'GET') return {}
  if (hasPostData === true && postDataEntries.length === 0) return null
  if (postDataEntries.some(({ bytes }) => bytes === undefined)) return null
  const body = Buffer.concat(postDataEntries.map(({ bytes }) => Buffer.from(bytes!, 'base64')))
  return body.length > maxSentBytes ? null : { body }
}

function sentHeaders(given: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => !notSent.test(name))
      .map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** Headers in the binary form of the DevTools protocol: `name: value`, separated by NUL, in base64. */
function passedHeaders(rawHeaders: readonly string[]): string {
  const lines: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!notPassedOn.test(rawHeaders[i]!)) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  }
  return Buffer.from(lines.join('\0'), 'latin1').toString('base64')
}
