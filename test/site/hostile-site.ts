import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Behaviour, type Behaviours, type HostileSettings, linkPage, reply } from './hostile/behaviour.ts'
import { hostileBodies } from './hostile/bodies.ts'
import { hostileBombs } from './hostile/bombs.ts'
import { malformedReplies } from './hostile/malformed.ts'
import { hostileRedirects } from './hostile/redirects.ts'
import { hostileTraps } from './hostile/traps.ts'

/** An origin where every path is an attack or a mistake, and `/ok/1` to `/ok/9` are plain pages that must be reached all the same. */
export type HostileOptions = Partial<HostileSettings> & {
  address?: string
  robots?: 'missing' | 'huge' | 'endless' | 'html' | 'reset'
}

export type HostileSite = {
  origin: string
  /** Every misbehaving path, as links from `/` name them. */
  paths: string[]
  log: { path: string; headers: string; startedAtMs: number }[]
  close(): Promise<void>
}

const maxHeaderBytes = 1024 * 1024
/** What stands for a family of paths in the list of links. */
const entryPoints: Record<string, string> = { '/calendar/': '2026/1', '/echo/': 'a/', '/hops/': '1000', '/soft/': '1' }
const behaviours: Behaviours = {
  ...hostileBodies,
  ...hostileBombs,
  ...hostileRedirects,
  ...hostileTraps,
  ...malformedReplies,
}
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
    // The other side is expected to give up on us; that is no fault of the test's server.
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
  endless: hostileBodies['/endless-body']!,
  html: (socket) => reply(socket, { body: '<!DOCTYPE html><p>User-agent: *<br>Disallow: /' }),
  reset: (socket) => void socket.resetAndDestroy(),
}
