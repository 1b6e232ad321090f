import type { AddressGuard } from '../../core/address.ts'
import type { Clock } from '../../core/clock.ts'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'
import type { DnsCache } from '../dns/dns-cache.ts'
import { createConnections } from './connections.ts'
import { createConnector, type TlsOptions } from './connector.ts'
import { Exchange } from './exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { FetchFailure, FetchRequest, FetchResult } from './fetch-result.ts'
import { createHeaderWriter } from './request-headers.ts'
import { createTargetReader } from './request-target.ts'

export type Fetcher = {
  /** Always a value, never a rejection. Redirects come back as what they are. */
  fetch(request: FetchRequest): Promise<FetchResult>
  /** Ends what is in flight and closes every connection. */
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
  /** Asked with the bare, lower-case media type of a successful response; `''` where the server told none. */
  acceptsMediaType(mediaType: string): boolean
  tls?: TlsOptions
}

/** What `decodeBody` can undo. */
const acceptEncoding = 'gzip, deflate, br, zstd'

/**
 * Gets bytes over HTTP/1.0 and 1.1. It keeps no cookies and no credentials: user and password in a URL are not sent.
 *
 * Deadlines are swept a few times a second over what is in flight: with thousands of exchanges a second a timer for
 * each costs more than it tells. A limit is therefore kept up to one sweep late.
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
    limits,
    onStart(exchange) {
      inFlight.add(exchange)
      sweeper ??= setInterval(sweep, sweepMs).unref()
    },
    onEnd(exchange) {
      inFlight.delete(exchange)
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
      const { anyType = false, maxBodyBytes = limits.maxBodyBytes } = request
      const asked = { path: target.path, headers: headers.flat, anyType, maxBodyBytes }
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
