import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { createServer as createTlsServer } from 'node:tls'
import { type Clock, systemClock } from '../../core/clock.ts'
import { type AddressGuard, createAddressGuard } from '../../core/url/address.ts'
import { createDnsCache } from '../dns/dns-cache.ts'
import type { Resolver } from '../dns/resolver.ts'
import { defaultFetchLimits, type FetchLimits } from './fetch-limits.ts'
import type { FetchFailure, FetchResponse, FetchResult } from './fetch-result.ts'
import { createFetcher, type Fetcher, type FetcherDeps } from './fetcher.ts'

export type Origin = {
  port: number
  url: string
  connections: number
  /** The text of each request as received, including its header. */
  requests: string[]
  close(): Promise<void>
}

/** Answers one request on a bare socket; `nth` counts the requests of the whole origin from 0. */
export type Answer = (socket: Socket, request: string, nth: number) => void

export async function startOrigin(answer: Answer, options: { tls?: SecureContextOptions } = {}): Promise<Origin> {
  const sockets = new Set<Socket>()
  const onConnection = (socket: Socket) => {
    origin.connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (data) => {
      text += data.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const request = text.slice(0, end + 4)
        text = text.slice(end + 4)
        answer(socket, request, origin.requests.push(request) - 1)
      }
    })
  }
  const server: Server =
    options.tls === undefined ? createServer(onConnection) : createTlsServer(options.tls, onConnection)
  // Unreferenced, so that a test that fails before it closes the origin still ends.
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const origin: Origin = {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    connections: 0,
    requests: [],
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return origin
}

/** A complete response with its length. */
export function page(body: string, head = 'Content-Type: text/html'): string {
  return `HTTP/1.1 200 OK\r\n${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export const loopback = () => createAddressGuard({ allow: ['127.0.0.0/8', '::1'] })

type FetcherSettings = {
  limits?: Partial<FetchLimits>
  guard?: AddressGuard
  names?: Record<string, string[]>
  resolver?: Resolver
  clock?: Clock
} & Partial<Pick<FetcherDeps, 'headers' | 'tls'>>

export function startFetcher({
  limits,
  guard = loopback(),
  names = {},
  resolver,
  clock = systemClock,
  ...rest
}: FetcherSettings = {}): Fetcher {
  const table: Resolver = { resolve: async (host) => ({ addresses: names[host] ?? [], ttlMs: 60_000 }) }
  return createFetcher({
    dns: createDnsCache({ resolver: resolver ?? table, clock: systemClock, timeoutMs: 500 }),
    guard,
    clock,
    limits: { ...defaultFetchLimits, ...limits },
    userAgent: 'erace-test/1',
    acceptsMediaType: (type) => type === 'text/html' || type === '',
    ...rest,
  })
}

/** One origin and one fetcher for the duration of a test. */
export async function withOrigin(
  answer: Answer,
  settings: FetcherSettings,
  use: (fetcher: Fetcher, origin: Origin) => Promise<void>,
): Promise<void> {
  const origin = await startOrigin(answer)
  const fetcher = startFetcher(settings)
  try {
    await use(fetcher, origin)
  } finally {
    await fetcher.close()
    await origin.close()
  }
}

export function asResponse(result: FetchResult): FetchResponse {
  if (result.kind !== 'response') throw new Error(`expected a response: ${JSON.stringify(result)}`)
  return result
}

export function asFailure(result: FetchResult): FetchFailure {
  if (result.kind !== 'failed') throw new Error(`expected a failure: ${result.kind} ${result.status}`)
  return result
}
