import { once } from 'node:events'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSecret, hashOfSecret } from '../../../services/accounts/secrets.ts'
import { SESSION_COOKIE } from '../../http/access.ts'
import type { TestServer } from '../../server.testkit.ts'

export type SeenEvent = { id: string; event: string; data: unknown }

/** A reader of events over a real connection. */
export async function readEvents(url: string, headers: Record<string, string> = {}) {
  const request = get(url, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  const pieces = piecesOf(response)

  /** The next event; skips comments and retry fields. Null at the end. */
  async function next(): Promise<SeenEvent | null> {
    for (;;) {
      const piece = (await pieces.next()).value
      if (piece === null) return null
      const fields = new Map(piece.split('\n').map((line) => [line.split(':', 1)[0]!, line.replace(/^[^:]*: ?/, '')]))
      if (!fields.has('event')) continue
      const data = JSON.parse(fields.get('data') ?? 'null')
      return { id: fields.get('id') ?? '', event: fields.get('event')!, data }
    }
  }

  return {
    status: response.statusCode,
    headers: response.headers,
    response,
    next,
    /** The next piece of any kind, including comments. */
    piece: async () => (await pieces.next()).value,
    async until(name: string): Promise<SeenEvent[]> {
      const seen: SeenEvent[] = []
      for (;;) {
        const event = await next()
        if (event === null) throw new Error(`the stream ended before ${name}`)
        seen.push(event)
        if (event.event === name) return seen
      }
    },
    close: () => closed(request),
  }
}

async function* piecesOf(response: IncomingMessage): AsyncGenerator<string, null> {
  let text = ''
  try {
    for (;;) {
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const piece = text.slice(0, end)
        text = text.slice(end + 2)
        yield piece
      }
      const more = await readMore(response)
      if (more === null) return null
      text += more
    }
  } catch {
    return null // connection cut
  }
}

async function readMore(response: IncomingMessage): Promise<string | null> {
  for (;;) {
    const chunk = response.read() as string | null
    if (chunk !== null) return chunk
    if (response.readableEnded || response.destroyed) return null
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    response.once('readable', resolve).once('end', resolve).once('close', resolve).once('error', reject)
    try {
      await promise
    } finally {
      response.off('readable', resolve).off('end', resolve).off('close', resolve).off('error', reject)
    }
  }
}

async function closed(request: ClientRequest): Promise<void> {
  if (request.destroyed) return
  const gone = once(request, 'close')
  request.on('error', () => {})
  request.destroy()
  await gone
}

/** Starts listening and returns the URL of the events. */
export async function listening({ server }: TestServer): Promise<string> {
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/api/v1/events`
}

export async function cookieOf({ stores }: TestServer, email: string): Promise<{ cookie: string }> {
  const secret = createSecret()
  const account = await stores.accounts.findByEmail(email)
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 86_400_000 }
  const from = { agent: 'test', address: '127.0.0.1' }
  await stores.sessions.add({ hash: hashOfSecret(secret), account: account!.id, ...times, ...from })
  return { cookie: `${SESSION_COOKIE}=${secret}` }
}
