import type { Clock } from '../../core/clock.ts'
import { AppError, type ErrorCode, errorCodes } from '../../core/errors.ts'
import type { AddressGuard } from '../../core/url/address.ts'
import type { DnsCache } from '../dns/dns-cache.ts'
import { createConnections } from './connections.ts'
import { createConnector, type TlsOptions } from './connector.ts'
import { Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { FetchFailure, FetchRequest, FetchResult } from './fetch-result.ts'
import { createTargetReader } from './request-target.ts'

export type Fetcher = {
  /** Never rejects. Redirects are returned, not followed. */
  fetch(request: FetchRequest): Promise<FetchResult>
  /** Ends all requests in flight and closes every connection. */
  close(): Promise<void>
  readonly openConnections: number
}

export type FetcherDeps = {
  dns: DnsCache
  guard: AddressGuard
  clock: Clock
  limits: FetchLimits
  userAgent: string
  /** Sent with every request that does not set them itself, such as Accept and Accept-Language. */
  headers?: Record<string, string>
  /** Called with the bare, lower-case media type of a successful response; `''` if the server sent none. */
  acceptsMediaType(mediaType: string): boolean
  tls?: TlsOptions
}

/** The encodings that `decodeBody` supports. */
const acceptEncoding = 'gzip, deflate, br, zstd'

/**
 * Fetches bytes over HTTP/1.0 and 1.1. It keeps no cookies and no credentials: user and password in a URL are not sent.
 *
 * Deadlines of all requests in flight are swept a few times a second: with thousands of exchanges a second, a timer for
 * each would cost too much. A timeout may therefore fire up to one sweep late.
 */
export function createFetcher(deps: FetcherDeps): Fetcher {
  const { clock, limits, acceptsMediaType } = deps
  const connector = createConnector({ ...deps, connectTimeoutMs: limits.connectTimeoutMs })
  const headersOf = createHeaderWriter({
    'user-agent': deps.userAgent,
    'accept-encoding': acceptEncoding,
    ...deps.headers,
  })
  const targetOf = createTargetReader()
  const settings = { limits, clock, acceptsMediaType }
  const inFlight = new Set<Exchange>()
  const sweepMs = sweepIntervalMs(limits)
  let sweeper: NodeJS.Timeout | null = null

  function sweep(): void {
    const now = clock.monotonic()
    for (const exchange of inFlight) exchange.sweep(now)
    if (inFlight.size > 0 || sweeper === null) return
    clearInterval(sweeper)
    sweeper = null
  }

  const connections = createConnections({
    connector,
    clock,
    limits,
    onStart(exchange) {
      inFlight.add(exchange)
      sweeper ??= setInterval(sweep, sweepMs)
      if (inFlight.size === 1) sweeper.ref()
    },
    onEnd(exchange) {
      inFlight.delete(exchange)
      if (inFlight.size === 0) sweeper?.unref()
    },
  })

  return {
    fetch(request) {
      const target = targetOf(request.url)
      if (target === null) {
        return Promise.resolve(refusal('url-invalid', `${request.url.slice(0, 200)} is not an http or https URL`))
      }
      const headers = headersOf(request.headers)
      if (headers.kind === 'refused') return Promise.resolve(refusal('internal', headers.message))
      const { anyType = false, maxBodyBytes = limits.maxBodyBytes, body = null, isPreflight = false } = request
      const { onEarlyHints = null, mayBegin = null } = request
      const asked = {
        path: target.path,
        headers: headers.text,
        body,
        isPreflight,
        anyType,
        maxBodyBytes,
        onEarlyHints,
        mayBegin,
      }
      return new Promise((settled) => {
        connections.run(target.origin, target.connect, new Exchange(asked, settings, settled))
      })
    },
    async close() {
      await connections.close()
      sweep()
    },
    get openConnections() {
      return connections.size
    },
  }
}

function refusal(code: ErrorCode, message: string): FetchFailure {
  return { kind: 'failed', code, message, retry: errorCodes[code].retry, address: null, totalMs: 0 }
}

function sweepIntervalMs({ headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs }: FetchLimits): number {
  return Math.min(500, Math.max(10, Math.min(headersTimeoutMs, bodyTimeoutMs, totalTimeoutMs) / 5))
}

/** Fields that frame the message or the connection: a caller that sets them could forge either. */
const framing = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
  'proxy-connection',
])
const validators: ReadonlySet<string> = new Set(['if-none-match', 'if-modified-since'])
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const illegalInValue = /[^\t\x20-\x7e\x80-\xff]/

export type RequestHeaders = { kind: 'headers'; text: string } | { kind: 'refused'; message: string }

/**
 * Writes the lines for one request; its own headers replace defaults of the same name. The defaults alone are
 * written once, since most requests add nothing.
 */
export function createHeaderWriter(defaults: Record<string, string>) {
  const names = new Set<string>()
  const alone = write('', defaults, names)
  if (alone.kind === 'refused') throw new AppError('config-invalid', alone.message)
  const byDefault = alone.text

  /** Fast path for conditional requests; null if there are other headers, too. */
  function withValidators(own: Record<string, string>): RequestHeaders | null {
    let text = ''
    for (const name in own) {
      const value = own[name]!
      if (!validators.has(name) || names.has(name) || illegalInValue.test(value)) return null
      text += `${name}: ${value}\r\n`
    }
    return text === '' ? alone : { kind: 'headers', text: text + byDefault }
  }

  return (own: Record<string, string> | undefined): RequestHeaders => {
    if (own === undefined) return alone
    const usual = withValidators(own)
    if (usual !== null) return usual
    const given = new Set<string>()
    const written = write('', own, given)
    if (written.kind === 'refused') return written
    // The defaults were checked once: if none is replaced they follow as they are.
    return ![...given].some((name) => names.has(name))
      ? { kind: 'headers', text: written.text + byDefault }
      : write(written.text, defaults, given)
  }
}

/** Appends the fields whose names are not in `given` yet, and adds their names to it. */
function write(first: string, fields: Record<string, string>, given: Set<string>): RequestHeaders {
  const before = new Set(given)
  let text = first
  for (const [name, value] of Object.entries(fields)) {
    const lower = name.toLowerCase()
    if (before.has(lower)) continue
    if (framing.has(lower)) return { kind: 'refused', message: `the header ${name} is not the caller's to set` }
    if (!token.test(name)) return { kind: 'refused', message: `${JSON.stringify(name)} is not a header name` }
    if (illegalInValue.test(value)) {
      return { kind: 'refused', message: `the header ${name} holds characters that a header must not hold` }
    }
    given.add(lower)
    text += `${name}: ${value}\r\n`
  }
  return { kind: 'headers', text }
}
