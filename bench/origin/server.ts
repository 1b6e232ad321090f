import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Document, ServedSites } from './site-table.ts'

/**
 * An HTTP/1.1 server as cheap as Node allows, because it shares the machine with the crawler being measured: it writes
 * prepared bytes and reads only the method, the path, `Connection: close` and `If-None-Match` of a request.
 *
 * A connection is either idle (`pending` contains no complete request) or, with latency, waiting (one request is being
 * answered and further ones stay in `pending`), so answers keep the order of requests.
 */
export type OriginStats = {
  /** Document requests, answered with 200 or 304; `robots.txt` and unknown paths are counted separately. */
  requests: number
  distinct: number
  duplicates: number
  notModified: number
  robots: number
  notFound: number
  /** Document requests not answered yet. */
  inFlight: number
  bytes: number
  connections: number
  /** The maximum number of open connections, by host. */
  maxConnections: Record<string, number>
  /**
   * The shortest time from the end of an answer to the next document request to the same host, over all hosts. 0 if a request
   * arrived before the previous one was answered; answers to closed connections count too. Null for fewer than two requests.
   */
  shortestPauseMs: number | null
  /** From the first to the last document request. */
  spanSeconds: number
  cpuSeconds: number
  /** Answers whose connection was closed: with latency, the requests in flight of a killed crawler. */
  cutOff: number
  /** Document requests per round; `mark` ends a round. */
  rounds: Round[]
}

/** The end of a host's last answer, and its document requests in progress. */
type Pace = { answering: number; endedAt: number | null }

type Round = { requests: number; duplicates: number; cutOff: number }

export type OriginServer = {
  /** Binds the same port on each host, all on loopback; 0 picks a free one. */
  listen(hosts: string[], port: number): Promise<number>
  stats(): OriginStats
  reset(): void
  mark(): void
  /** Resolves when this many documents have been requested since the reset. */
  reached(requests: number): Promise<void>
}

const maxPendingBytes = 64 * 1024
const MAX_LISTENERS = 1000
const BACKLOG = 4096
const headerEnd = Buffer.from('\r\n\r\n')
const notFound = Buffer.from(
  'HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nNot found\n',
)
const notFoundHeaderBytes = notFound.length - 10

export function createOriginServer({ sites, latencyMs }: { sites: ServedSites; latencyMs: number }): OriginServer {
  const open = new Map<string, number>()
  const waiters: { requests: number; resolve: () => void }[] = []
  const paces = new Map<string, Pace>()
  let counts = freshCounts()
  let inFlight = 0

  function connected(socket: Socket): void {
    const host = socket.localAddress ?? ''
    const site = sites.get(host)
    const openNow = (open.get(host) ?? 0) + 1
    open.set(host, openNow)
    const pace = paces.get(host) ?? { answering: 0, endedAt: null }
    paces.set(host, pace)
    counts.connections++
    counts.maxConnections[host] = Math.max(counts.maxConnections[host] ?? 0, openNow)
    let pending: Buffer | undefined
    let waiting = false

    function take(): void {
      while (pending !== undefined && !waiting) {
        const end = pending.indexOf(headerEnd)
        if (end < 0) {
          if (pending.length > maxPendingBytes) socket.destroy()
          return
        }
        const request = pending.toString('latin1', 0, end)
        pending = end + 4 === pending.length ? undefined : pending.subarray(end + 4)
        const start = request.indexOf(' ') + 1
        const path = request.slice(start, request.indexOf(' ', start))
        answer(request, path, site?.get(path))
      }
    }

    function answer(request: string, path: string, document: Document | undefined): void {
      const head = request.startsWith('HEAD ')
      if (document === undefined) {
        if (path === '/robots.txt') counts.robots++
        else counts.notFound++
        send(request, head ? notFound.subarray(0, notFoundHeaderBytes) : notFound)
        return
      }
      count(document)
      notePause(pace)
      const etag = /\r\nif-none-match: *([^\r]+)/i.exec(request)
      const unchanged = etag !== null && etag[1] === document.etag
      if (unchanged) counts.notModified++
      const bytes = unchanged
        ? Buffer.from(`HTTP/1.1 304 Not Modified\r\nETag: ${document.etag}\r\n\r\n`, 'latin1')
        : head
          ? document.bytes.subarray(0, document.headerBytes)
          : document.bytes
      if (latencyMs === 0) {
        pace.endedAt = performance.now()
        send(request, bytes)
        return
      }
      pace.answering++
      waiting = true
      inFlight++
      setTimeout(() => {
        inFlight--
        waiting = false
        pace.answering--
        pace.endedAt = performance.now()
        if (socket.destroyed) {
          counts.cutOff++
          return
        }
        send(request, bytes)
        take()
      }, latencyMs)
    }

    function send(request: string, bytes: Buffer): void {
      counts.bytes += bytes.length
      socket.write(bytes)
      if (/\r\nconnection: *close|HTTP\/1\.0(?:\r\n(?!connection: *keep-alive)|$)/i.test(request)) socket.end()
    }

    socket.on('data', (chunk) => {
      pending = pending === undefined ? chunk : Buffer.concat([pending, chunk])
      take()
    })
    // A killed crawler resets its connections; `close` follows and updates the count.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.set(host, (open.get(host) ?? 1) - 1))
  }

  function notePause({ answering, endedAt }: Pace): void {
    if (answering === 0 && endedAt === null) return
    const pause = answering > 0 ? 0 : performance.now() - endedAt!
    counts.shortestPauseMs = Math.min(counts.shortestPauseMs ?? pause, pause)
  }

  function count(document: Document): void {
    const now = performance.now()
    if (counts.requests === 0) counts.firstAt = now
    counts.lastAt = now
    counts.requests++
    if (document.served === 0) counts.distinct++
    document.served++
    if (waiters.length === 0) return
    for (const waiter of waiters.splice(0)) {
      if (counts.requests >= waiter.requests) waiter.resolve()
      else waiters.push(waiter)
    }
  }

  return {
    async listen(hosts, port) {
      let bound = port
      // Each listener takes a file descriptor. Many hosts share one on all addresses; requests to an address that is no host find nothing.
      for (const host of hosts.length > MAX_LISTENERS ? ['0.0.0.0'] : hosts) {
        const server = createServer({ noDelay: true }, connected).listen(bound, host, BACKLOG)
        await once(server, 'listening')
        bound = (server.address() as AddressInfo).port
      }
      return bound
    },
    stats: () => summarise(counts, inFlight),
    reset() {
      counts = freshCounts()
      for (const pace of paces.values()) pace.endedAt = null
      for (const site of sites.values()) for (const document of site.values()) document.served = 0
    },
    mark() {
      const sum = (key: keyof Round): number => counts.rounds.reduce((total, round) => total + round[key], 0)
      counts.rounds.push({
        requests: counts.requests - sum('requests'),
        duplicates: counts.requests - counts.distinct - sum('duplicates'),
        cutOff: counts.cutOff - sum('cutOff'),
      })
    },
    reached(requests) {
      if (counts.requests >= requests) return Promise.resolve()
      return new Promise((resolve) => waiters.push({ requests, resolve }))
    },
  }
}

type Counts = ReturnType<typeof freshCounts>

function freshCounts() {
  return {
    requests: 0,
    distinct: 0,
    notModified: 0,
    robots: 0,
    notFound: 0,
    bytes: 0,
    connections: 0,
    maxConnections: {} as Record<string, number>,
    firstAt: 0,
    lastAt: 0,
    cpu: process.cpuUsage(),
    cutOff: 0,
    shortestPauseMs: null as number | null,
    rounds: [] as Round[],
  }
}

function summarise(counts: Counts, inFlight: number): OriginStats {
  const { firstAt, lastAt, cpu, ...plain } = counts
  const used = process.cpuUsage(cpu)
  return {
    ...plain,
    duplicates: counts.requests - counts.distinct,
    inFlight,
    spanSeconds: (lastAt - firstAt) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
  }
}
