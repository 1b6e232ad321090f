// Serves a folder as a local site, with latency and a bandwidth for each connection, in its own process.

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, sep } from 'node:path'
import { answerCalls, childData } from '../deliver/child.ts'

export type FolderOriginData = {
  folder: string
  latencyMs: number
  /** Bandwidth of each answer; 0 for no limit. */
  bytesPerSecond: number
}

export type FolderStats = {
  requests: number
  /** Requests for tables, sitemaps and robots.txt. */
  other: number
  /** Number of distinct documents requested. */
  documents: number
  bytes: number
  mostAtOnce: number
}

export type FolderOrigin = {
  ready(): { port: number }
  /** Reads the folder again. */
  reload(): void
  /** Since the last call. */
  stats(): FolderStats
  end(): void
}

const { folder, latencyMs, bytesPerSecond } = await childData<FolderOriginData>()
const types = new Map([
  ['html', 'text/html'],
  ['xml', 'application/xml'],
])
type Served = { body: Buffer; type: string; etag: string }
let files = new Map<string, Served>()
let documents = new Set<string>()
const none: FolderStats = { requests: 0, other: 0, documents: 0, bytes: 0, mostAtOnce: 0 }
let stats = { ...none }
let atOnce = 0

function reload(): void {
  files = new Map()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name).slice(folder.length).split(sep).join('/')
    const body = readFileSync(join(entry.parentPath, entry.name))
    const type = types.get(path.slice(path.lastIndexOf('.') + 1)) ?? 'text/plain'
    const served = { body, type, etag: `"${hash('sha256', body).slice(0, 32)}"` }
    files.set(path, served)
    if (path.endsWith('/index.html')) files.set(path.slice(0, -10), served)
  }
}

const server = createServer((request, response) => {
  const path = request.url ?? '/'
  const served = files.get(path)
  const isKnown = served !== undefined && request.headers['if-none-match'] === served.etag
  const bytes = served === undefined || isKnown ? 0 : served.body.length
  stats.requests++
  if (served?.type === 'text/html') documents.add(path)
  else stats.other++
  stats.bytes += bytes
  stats.mostAtOnce = Math.max(stats.mostAtOnce, ++atOnce)
  const transferMs = bytesPerSecond === 0 ? 0 : (bytes * 1000) / bytesPerSecond
  setTimeout(() => {
    atOnce--
    if (served === undefined) return void response.writeHead(404).end()
    response.setHeader('etag', served.etag)
    if (isKnown) return void response.writeHead(304).end()
    response.writeHead(200, { 'content-type': served.type, 'content-length': bytes }).end(served.body)
  }, latencyMs + transferMs)
})
server.keepAliveTimeout = 600_000
reload()
server.listen(0, '127.0.0.1', () => {
  answerCalls<FolderOrigin>({
    ready: () => ({ port: (server.address() as AddressInfo).port }),
    reload,
    stats() {
      const now = { ...stats, documents: documents.size }
      stats = { ...none }
      documents = new Set()
      return now
    },
    end() {
      setImmediate(() => process.disconnect?.())
      setImmediate(() => process.exit(0))
    },
  })
})
