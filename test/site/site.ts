import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { RequestLogEntry } from './request-log.ts'

/**
 * An origin for end-to-end tests: a graph of pages on one or more loopback addresses that logs every request. A path
 * gets the answer that the test has set, else the page of the graph, else 404. Answers can change at any time.
 */
export type SiteOptions = {
  /** Pages on each host. */
  pages?: number
  linksPerPage?: number
  addresses?: string[]
  /** No page of the graph links to another host. */
  apart?: boolean
  /** robots.txt of every host; 404 by default. */
  robots?: string
  /** Answers for all hosts, by path. */
  answers?: Record<string, Answer>
  /** The latency of each host, by its index in `addresses`; 0 by default. */
  latenciesMs?: number[]
  /** Called after each answer with its complete entry, so that a test can react instead of polling. */
  onAnswered?: (entry: RequestLogEntry) => void
  /** Pages have an ETag of their content, and matching conditional requests get 304. */
  etags?: boolean
}

export type Site = {
  /** Such as `http://127.0.0.1:8080`, without a trailing slash. */
  origin(hostIndex?: number): string
  log: RequestLogEntry[]
  set(path: string, answer: Answer, hostIndex?: number): void
  /** Restores the page of the graph, or the 404. */
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
    // The system picks the ports, so that tests can run at the same time.
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

/**
 * A small web of numbered pages, the same each time: page 0 is `/`, page n is `/page/n.html`. A binary tree of links
 * reaches every page of a host; further links go to neighbours, and one in three pages links to the next host unless
 * they are `apart`.
 */
type PageGraph = { pages: number; linksPerPage: number; origins: string[]; apart: boolean }

export function pathOfPage(page: number): string {
  return page === 0 ? '/' : `/page/${page}.html`
}

function linksOfPage({ pages, linksPerPage, origins, apart }: PageGraph, hostIndex: number, page: number): string[] {
  const links: string[] = []
  for (const child of [page * 2 + 1, page * 2 + 2]) if (child < pages) links.push(pathOfPage(child))
  if (!apart && origins.length > 1 && page % 3 === 0)
    links.push(`${origins[(hostIndex + 1) % origins.length]}${pathOfPage((page * 5) % pages)}`)
  for (let step = 1; links.length < linksPerPage && step < pages; step++)
    links.push(pathOfPage((page + step * step) % pages))
  return links
}

/** `edition` changes the text of a page, never its links. */
function renderGraphPage(graph: PageGraph, hostIndex: number, page: number, edition: number): string {
  const links = linksOfPage(graph, hostIndex, page)
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Page ${page} of host ${hostIndex}</title></head>
<body><h1>Page ${page}</h1><p>Edition ${edition} &amp; host ${hostIndex}.</p>
<ul>${links.map((href) => `<li><a href="${href}">to ${href}</a></li>`).join('\n')}</ul>
</body></html>
`
}

/** The answer to a path. The defaults are those of an ordinary page. */
export type Answer = {
  status?: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Answers with this Location and 302, or `status` if given. */
  redirect?: string
  gzip?: boolean
  /** Matching conditional requests get 304. */
  etag?: string
  lastModified?: string
  /** Nothing is sent before this resolves: see `createGate`. */
  until?: Promise<void>
  delayMs?: number
}

/** `onSend` is called right before the answer is sent: no client can have read it earlier. */
async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  onSend: () => void,
): Promise<void> {
  if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
  await answer.until
  if (response.destroyed) return
  onSend()
  const status = answer.status ?? (answer.redirect === undefined ? 200 : 302)
  const headers: Record<string, string | string[]> = { 'content-type': 'text/html; charset=utf-8', ...answer.headers }
  if (answer.redirect !== undefined) headers.location = answer.redirect
  if (answer.etag !== undefined) headers.etag = answer.etag
  if (answer.lastModified !== undefined) headers['last-modified'] = answer.lastModified
  if (status === 200 && isUnchanged(request, answer)) {
    response.writeHead(304, headers).end()
    return
  }
  const plain = Buffer.from(answer.body ?? '')
  const body = answer.gzip === true ? gzipSync(plain) : plain
  if (answer.gzip === true) headers['content-encoding'] = 'gzip'
  response.writeHead(status, { ...headers, 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** If-None-Match takes precedence (RFC 9110, 13.1.3); dates are compared as text, verbatim. */
function isUnchanged(request: IncomingMessage, answer: Answer): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) return answer.etag !== undefined && tags.split(/\s*,\s*/).includes(answer.etag)
  return answer.lastModified !== undefined && request.headers['if-modified-since'] === answer.lastModified
}

export function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
}

/** A promise that the test resolves: it delays an answer for exactly as long as needed, without a sleep. */
export type Gate = { opened: Promise<void>; open(): void }

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
