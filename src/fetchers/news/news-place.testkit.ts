import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { systemClock } from '../../core/clock.ts'
import type { List, Place, Protocol, Secret, Session } from '../../crawl/fetch/protocol.ts'

export function placeOf(
  url: string,
  { secret = null, ...limits }: Partial<Place['limits']> & { secret?: Secret | null } = {},
): Place {
  return {
    url,
    secret,
    resolve: async () => '127.0.0.1',
    signal: new AbortController().signal,
    limits: { connectTimeoutMs: 5000, stallTimeoutMs: 20_000, maxBodyBytes: 1_000_000, maxItems: 10_000, ...limits },
    clock: systemClock,
  }
}

/** One visit. */
export async function visit<T>(protocol: Protocol, place: Place, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await protocol.open(place)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

export async function listOf(protocol: Protocol, place: Place, cursor = ''): Promise<List> {
  const found = await visit(protocol, place, (session) => session.look(cursor))
  if (found.kind !== 'list') throw new Error('a list was expected')
  return found
}

/** A proxy in front of a server that records the commands. */
export async function startCounter(port: number): Promise<{ port: number; commands: string[]; end(): Promise<void> }> {
  const commands: string[] = []
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    client.on('data', (chunk: Buffer) => {
      commands.push(...chunk.toString('latin1').split('\r\n').filter(Boolean))
      upstream.write(chunk)
    })
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.pipe(client)
    upstream.on('error', () => client.destroy())
  })
  return { ...(await listening(server)), commands }
}

/** A scripted server; `talk` is called for each line. */
export async function startScript(talk: (socket: Socket, line: string) => void, greeting = '200 hello') {
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.write(`${greeting}\r\n`)
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      for (let end = text.indexOf('\r\n'); end !== -1; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        talk(socket, line)
      }
    })
  })
  return await listening(server)
}

async function listening(server: ReturnType<typeof createServer>) {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => open.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    async end() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}
