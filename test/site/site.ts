import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Answer, etagOf, sendAnswer } from './answer.ts'
import { type PageGraph, pathOfPage, renderGraphPage } from './page-graph.ts'
import type { RequestLogEntry } from './request-log.ts'

/**
 * An origin for end-to-end tests: a graph of pages on one or several loopback addresses, which logs every request.
 * A path has an answer set by the test, or else the page of the graph, or else 404. Answers can be changed between
 * crawls and while one is under way.
 */
export type SiteOptions = {
  /** Pages on each host. */
  pages?: number
  linksPerPage?: number
  addresses?: string[]
  /** No page of the graph links to another host. */
  apart?: boolean
  /** The text of robots.txt on every host; left out, it is answered with 404. */
  robots?: string
  /** For all hosts, by path. */
  answers?: Record<string, Answer>
  /** How long each host takes for an answer, by its place in `addresses`; left out, no time at all. */
  latenciesMs?: number[]
  /** Told after each answer, when its entry is complete: a test reacts instead of waiting. */
  onAnswered?: (entry: RequestLogEntry) => void
  /** Pages carry an ETag by their content, and conditional requests are answered with 304. */
  etags?: boolean
}

export type Site = {
  /** The origin of a host, such as `http://127.0.0.1:8080`, without a slash at the end. */
  origin(hostIndex?: number): string
  log: RequestLogEntry[]
  set(path: string, answer: Answer, hostIndex?: number): void
  /** Puts the graph's own page back, or the 404. */
  unset(path: string, hostIndex?: number): void
  setRobots(text: string | undefined, hostIndex?: number): void
  /** Gives a page of the graph a new text. */
  change(page: number, hostIndex?: number): void
  close(): Promise<void>
}

type Host = {
  address: string
  server: Server
  open: number
  answering: number
  answers: Map<string, Answer>
  editions: Map<number, number>
}

export async function createSite(options: SiteOptions = {}): Promise<Site> {
  const { pages = 10, linksPerPage = 5, addresses = ['127.0.0.1'], etags = false, apart = false } = options
  const graph: PageGraph = { pages, linksPerPage, origins: [], apart }
  const pageByPath = new Map(Array.from({ length: pages }, (_, page) => [pathOfPage(page), page]))
  const log: RequestLogEntry[] = []
  const hosts: Host[] = []
  let connections = 0

  function answerOf(host: Host, hostIndex: number, path: string): Answer {
    const set = host.answers.get(path)
    if (set !== undefined) return set
    const page = pageByPath.get(path)
    if (page === undefined) return { status: 404, body: 'Not found', headers: { 'content-type': 'text/plain' } }
    const body = renderGraphPage(graph, hostIndex, page, host.editions.get(page) ?? 1)
    return etags ? { body, etag: etagOf(body) } : { body }
  }

  async function handle(
    host: Host,
    hostIndex: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const path = request.url ?? '/'
    host.answering++
    const entry: RequestLogEntry = {
      host: host.address,
      hostIndex,
      method: request.method ?? 'GET',
      path,
      headers: request.headers,
      connection: connectionNumbers.get(request.socket) ?? 0,
      openConnections: host.open,
      concurrent: host.answering,
      startedAtMs: performance.now(),
    }
    log.push(entry)
    response.on('finish', () => {
      entry.status = response.statusCode
      options.onAnswered?.(entry)
    })
    response.on('close', () => host.answering--)
    const answer = answerOf(host, hostIndex, path)
    const delayMs = answer.delayMs ?? options.latenciesMs?.[hostIndex]
    const timed = delayMs === undefined ? answer : { ...answer, delayMs }
    await sendAnswer(request, response, timed, () => {
      entry.endedAtMs = performance.now()
    })
  }

  const connectionNumbers = new WeakMap<object, number>()
  for (const [hostIndex, address] of addresses.entries()) {
    const server = createServer((request, response) => void handle(host, hostIndex, request, response))
    const host: Host = {
      address,
      server,
      open: 0,
      answering: 0,
      answers: new Map(Object.entries(options.answers ?? {})),
      editions: new Map(),
    }
    // Ports are drawn by the system, so that sites of several tests can live at the same time.
    server.keepAliveTimeout = 60_000
    server.on('connection', (socket) => {
      connectionNumbers.set(socket, ++connections)
      host.open++
      socket.on('close', () => host.open--)
    })
    server.listen(0, address)
    await once(server, 'listening')
    hosts.push(host)
    graph.origins.push(`http://${address}:${(server.address() as AddressInfo).port}`)
  }

  const site: Site = {
    origin: (hostIndex = 0) => graph.origins[hostIndex]!,
    log,
    set: (path, answer, hostIndex = 0) => void hosts[hostIndex]!.answers.set(path, answer),
    unset: (path, hostIndex = 0) => void hosts[hostIndex]!.answers.delete(path),
    setRobots(text, hostIndex = 0) {
      if (text === undefined) site.unset('/robots.txt', hostIndex)
      else site.set('/robots.txt', { body: text, headers: { 'content-type': 'text/plain' } }, hostIndex)
    },
    change: (page, hostIndex = 0) => {
      const { editions } = hosts[hostIndex]!
      editions.set(page, (editions.get(page) ?? 1) + 1)
    },
    async close() {
      for (const { server } of hosts) {
        const closed = once(server, 'close')
        server.close()
        server.closeAllConnections()
        await closed
      }
    },
  }
  for (const hostIndex of hosts.keys()) if (options.robots !== undefined) site.setRobots(options.robots, hostIndex)
  return site
}
