import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import {
  type Behaviour,
  type Behaviours,
  behaviours,
  type HostileSettings,
  linkPage,
  reply,
} from './hostile-behaviours.ts'

/** An origin where every path is an attack or a mistake, except `/ok/1` to `/ok/9`: plain pages, which must still be fetched. */
export type HostileOptions = Partial<HostileSettings> & {
  address?: string
  robots?: 'missing' | 'huge' | 'endless' | 'html' | 'reset'
}

export type HostileSite = {
  origin: string
  /** Every misbehaving path, as linked from `/`. */
  paths: string[]
  log: { path: string; headers: string; startedAtMs: number }[]
  close(): Promise<void>
}

const maxHeaderBytes = 1024 * 1024
/** Entry points of path families, as linked from `/`. */
const entryPoints: Record<string, string> = { '/calendar/': '2026/1', '/echo/': 'a/', '/hops/': '1000', '/soft/': '1' }
const paths = Object.keys(behaviours).map((path) => path + (entryPoints[path] ?? ''))

export async function createHostileSite(options: HostileOptions = {}): Promise<HostileSite> {
  const { address = '127.0.0.1', robots = 'missing', ...given } = options
  const settings: HostileSettings = {
    tickMs: 1000,
    bombBytes: 256 * 1024 ** 2,
    manyLinks: 1_000_000,
    nestedTags: 100_000,
    longUrlChars: 100_000,
    ...given,
  }
  const sockets = new Set<Socket>()
  const log: HostileSite['log'] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    // The crawler is expected to give up; that is not an error here.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    let pending = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      pending += text
      const end = pending.indexOf('\r\n\r\n')
      if (end < 0 && pending.length > maxHeaderBytes) socket.destroy()
      if (end < 0) return
      const headers = pending.slice(0, end)
      pending = pending.slice(end + 4)
      const [method = 'GET', target = '/'] = headers.split(' ', 2)
      const [path = '/', query = ''] = target.split(/\?(.*)/s)
      log.push({ path: target, headers, startedAtMs: performance.now() })
      findBehaviour(path, robots)(socket, { method, path, query, headers, origin }, settings)
    })
  })
  server.listen(0, address)
  await once(server, 'listening')
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`
  return {
    origin,
    paths,
    log,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function findBehaviour(path: string, robots: NonNullable<HostileOptions['robots']>): Behaviour {
  if (path === '/robots.txt') return robotsBehaviours[robots]
  if (path === '/')
    return (socket) => reply(socket, { body: linkPage([...plainPaths.slice(0, 1), ...paths, ...plainPaths.slice(1)]) })
  if (plainPaths.includes(path))
    return (socket) => reply(socket, { body: `<h1>A plain page at ${path}</h1>${linkPage(plainPaths)}` })
  const family = path.slice(0, path.indexOf('/', 1) + 1)
  return own(behaviours, path) ?? own(behaviours, family) ?? notFound
}

const plainPaths = Array.from({ length: 9 }, (_, at) => `/ok/${at + 1}`)
const notFound: Behaviour = (socket) => reply(socket, { status: '404 Not Found' })

function own(table: Behaviours, path: string): Behaviour | undefined {
  return Object.hasOwn(table, path) ? table[path] : undefined
}

const plainText = 'Content-Type: text/plain\r\n'
const robotsBehaviours: Record<NonNullable<HostileOptions['robots']>, Behaviour> = {
  missing: notFound,
  huge: (socket) =>
    reply(socket, {
      headers: plainText,
      body: `User-agent: *\nAllow: /ok\n${'Disallow: /never/*/such/*/path$\n'.repeat(320_000)}`,
    }),
  endless: behaviours['/endless-body']!,
  html: (socket) => reply(socket, { body: '<!DOCTYPE html><p>User-agent: *<br>Disallow: /' }),
  reset: (socket) => void socket.resetAndDestroy(),
}

/** Hostile paths, each on its own origin, so that one does not affect the others. */
export type HostileOrigins = {
  byPath: Map<string, HostileSite>
  close(): Promise<void>
}

export async function createHostileOrigins(paths: readonly string[], options: HostileOptions): Promise<HostileOrigins> {
  const byPath = new Map<string, HostileSite>()
  for (const path of paths) byPath.set(path, await createHostileSite(options))
  return {
    byPath,
    async close() {
      for (const site of byPath.values()) await site.close()
    },
  }
}

/** Every path of the hostile site. */
export async function hostilePaths(): Promise<string[]> {
  const site = await createHostileSite()
  await site.close()
  return site.paths
}

/** Requests an answer that is slow to generate and then cached, so that it does not block other origins later. */
export async function warmUp({ origin, log }: HostileSite, path: string): Promise<void> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  await once(socket, 'data')
  socket.destroy()
  log.length = 0
}
