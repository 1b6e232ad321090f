import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import { findProgram, processorSeconds } from '../measure.ts'
import { hostsOf, mediaTypes, otherMediaType } from './roots.ts'
import type { OriginStats } from './server.ts'
import type { Origin } from './start.ts'

const readyMs = 10_000
const flushMs = 5_000

export const nginxProgram = (): string | undefined =>
  findProgram('nginx') ?? ['/usr/sbin/nginx'].find((file) => statSync(file, { throwIfNoEntry: false }) !== undefined)

/**
 * Document trees served by nginx, each on its own host. Documents are counted from its access log, which costs every tool the same.
 * It can't change documents or mark rounds; benchmarks that need this use our own origin.
 */
export async function startNginx(program: string, roots: readonly string[]): Promise<Origin> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-nginx-'))
  const log = join(folder, 'access.log')
  const hosts = hostsOf(roots.length)
  const port = await freePort()
  writeFileSync(log, '')
  writeFileSync(join(folder, 'nginx.conf'), configuration({ folder, log, roots, hosts, port }))
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit').then(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  // Don't outlive the benchmark.
  const stop = (): void => void child.kill('SIGTERM')
  process.once('exit', stop)
  await answers(`http://${hosts[0]}:${port}/`, ended)
  let cpuBefore = processorSeconds(child.pid!)
  return {
    port,
    hosts,
    seeds: hosts.map((host) => `http://${host}:${port}/`),
    ...countFiles(roots),
    async stats() {
      await flushed(log, hosts[0]!, port)
      return statsOf(readFileSync(log, 'latin1'), processorSeconds(child.pid!) - cpuBefore)
    },
    async reset() {
      await flushed(log, hosts[0]!, port)
      truncateSync(log)
      cpuBefore = processorSeconds(child.pid!)
    },
    change: () => Promise.reject(new AppError('usage-wrong', 'nginx serves files as they are: use --server origin')),
    mark: () => Promise.reject(new AppError('usage-wrong', 'nginx has no rounds: use --server origin')),
    reached: () => Promise.reject(new AppError('usage-wrong', 'nginx does not count: use --server origin')),
    async close() {
      process.off('exit', stop)
      stop()
      await ended
    },
  }
}

type Configuration = { folder: string; log: string; roots: readonly string[]; hosts: string[]; port: number }

function configuration({ folder, log, roots, hosts, port }: Configuration): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`)
  // Same media types as our own origin, so that tools that select by type select the same.
  const types = Object.entries(mediaTypes).map(([ending, type]) => `${type} ${ending.slice(1)};`)
  const servers = roots.map(
    (root, at) => `server { listen ${hosts[at]}:${port}; root "${resolve(root)}"; index index.html; autoindex on; }`,
  )
  return `worker_processes auto;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')};
events { worker_connections 4096; }
http {
  types { ${types.join(' ')} }
  default_type ${otherMediaType};
  sendfile on;
  tcp_nopush on;
  log_format counted '$server_addr $status $body_bytes_sent $msec $connection $request_uri';
  access_log ${log} counted buffer=256k flush=1s;
  ${temporary.join('\n  ')}
  ${servers.join('\n  ')}
}
`
}

/** nginx buffers its log: waits for the entry of a unique request, by which time the flush timers of all workers have fired. */
async function flushed(log: string, host: string, port: number): Promise<void> {
  const mark = `/flushed-${process.hrtime.bigint()}`
  await (await fetch(`http://${host}:${port}${mark}`)).arrayBuffer()
  const deadline = performance.now() + flushMs
  for (;;) {
    await delay(1100)
    if (readFileSync(log, 'latin1').includes(mark)) return
    if (performance.now() > deadline) throw new AppError('internal', 'nginx does not write its log')
  }
}

/** Lines of the log: address, status, bytes, seconds, connection, path. */
export function statsOf(log: string, cpuSeconds: number): OriginStats {
  const seen = new Set<string>()
  const connections = new Set<string>()
  const stats = { requests: 0, notModified: 0, robots: 0, notFound: 0, bytes: 0 }
  let firstAt = 0
  let lastAt = 0
  for (const line of log.split('\n')) {
    const [host, status, bytes, at, connection, path] = line.split(' ')
    if (path === undefined || path.startsWith('/flushed-')) continue
    connections.add(connection!)
    stats.bytes += Number(bytes)
    if (path === '/robots.txt') stats.robots++
    else if (status === '404') stats.notFound++
    if (status !== '200' && status !== '304') continue
    if (status === '304') stats.notModified++
    const second = Number(at)
    if (stats.requests++ === 0) firstAt = second
    firstAt = Math.min(firstAt, second)
    lastAt = Math.max(lastAt, second)
    seen.add(`${host} ${path}`)
  }
  return {
    ...stats,
    distinct: seen.size,
    duplicates: stats.requests - seen.size,
    inFlight: 0,
    connections: connections.size,
    maxConnections: {},
    shortestPauseMs: null,
    spanSeconds: lastAt - firstAt,
    cpuSeconds,
    cutOff: 0,
    rounds: [],
  }
}

function countFiles(roots: readonly string[]): { documents: number; bodyBytes: number } {
  let documents = 0
  let bodyBytes = 0
  for (const root of roots)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      documents++
      bodyBytes += statSync(join(entry.parentPath, entry.name)).size
    }
  return { documents, bodyBytes }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new AppError('internal', 'no free port')
  return address.port
}

async function answers(url: string, ended: Promise<unknown>): Promise<void> {
  let isGone = false
  void ended.then(() => {
    isGone = true
  })
  const deadline = performance.now() + readyMs
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer()
      return
    } catch (error) {
      if (isGone || performance.now() > deadline)
        throw new AppError('not-available', 'nginx did not start', { cause: error })
      await delay(50)
    }
  }
}
