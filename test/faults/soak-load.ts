import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { readEvents } from '../../src/server/routes/inbox/event-stream.testkit.ts'
import { etagOf } from '../site/site.ts'

export type SoakOrigin = { urls: string[]; requests(): number; close(): Promise<void> }

const PAGES_PER_HOST = 20
const FILLER = 'Nothing on this page is new, but it has the length of an ordinary article. '.repeat(40)

/** Pages on many hosts. Each changes once in `changeMs`, at its own moment; in between it answers 304. */
export async function createSoakOrigin(pages: number, changeMs: number): Promise<SoakOrigin> {
  const startedAt = performance.now()
  let requests = 0
  const servers: Server[] = []
  const urls: string[] = []

  function bodyOf(page: number): string {
    const edition = Math.floor((performance.now() - startedAt) / changeMs + page / pages)
    const topic = (page + edition) % 3 === 0 ? 'java research' : 'weather'
    return `<title>Page ${page}</title><p>Edition ${edition} is about ${topic}.</p><p>${FILLER}</p>`
  }

  for (let host = 0; host * PAGES_PER_HOST < pages; host++) {
    const address = `127.0.1.${host + 1}`
    const server = createServer((request, response) => {
      const page = Number(/^\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN)
      if (!(page < pages)) return void response.writeHead(404).end()
      requests++
      const body = bodyOf(page)
      const etag = etagOf(body)
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
      response.writeHead(200, { etag, 'content-type': 'text/html' }).end(body)
    })
    server.listen(0, address)
    await once(server, 'listening')
    servers.push(server)
    const origin = `http://${address}:${(server.address() as AddressInfo).port}`
    for (let page = host * PAGES_PER_HOST; page < Math.min(pages, (host + 1) * PAGES_PER_HOST); page++)
      urls.push(`${origin}/${page}`)
  }
  return {
    urls,
    requests: () => requests,
    async close() {
      for (const server of servers) {
        const closed = once(server, 'close')
        server.close()
        server.closeAllConnections()
        await closed
      }
    },
  }
}

export type Visitors = {
  calls(): number
  streams(): number
  /** Throws if the visitors have failed. */
  check(): void
  /** Ends the visitors; rejects with the first error. */
  end(): Promise<void>
}

const READ_EVERY_MS = 100
const OPEN_STREAMS = 8
const STREAM_EVERY_MS = 250

const json = { 'content-type': 'application/json' }

async function signIn(url: string, account: { email: string; password: string }): Promise<string> {
  const answer = await fetch(`${url}/api/v1/session`, { method: 'POST', headers: json, body: JSON.stringify(account) })
  if (!answer.ok) throw new Error(`signing in: ${answer.status}`)
  return answer.headers.getSetCookie()[0]!.split(';', 1)[0]!
}

/** Simulated users who constantly read, search, mark items as read, and open and close live streams. */
export async function startVisitors(url: string, account: { email: string; password: string }): Promise<Visitors> {
  const cookie = await signIn(url, account)
  let calls = 0
  let streams = 0
  let isEnding = false

  async function call(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = { cookie, ...(init.body === undefined ? {} : json) }
    const answer = await fetch(`${url}/api/v1${path}`, { ...init, headers })
    calls++
    const body: unknown = await answer.json()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body).slice(0, 200)}`)
    return body
  }

  async function readAround(): Promise<void> {
    const { items } = (await call('/annotations?state=unread&limit=20')) as {
      items: { version: number; document: number }[]
    }
    await call('/annotations/counts')
    await call('/sources?limit=50')
    await call('/crawl')
    await call('/search?q=research')
    const [first] = items
    if (first !== undefined) {
      await call(`/versions/${first.version}`)
      await call(`/documents/${first.document}/versions`)
    }
    await call('/annotations', { method: 'PATCH', body: JSON.stringify({ read: true }) })
  }

  async function keepReading(): Promise<void> {
    while (!isEnding) {
      await readAround()
      await pause(READ_EVERY_MS)
    }
  }

  async function keepStreaming(): Promise<void> {
    const open: Awaited<ReturnType<typeof readEvents>>[] = []
    while (!isEnding) {
      const stream = await readEvents(`${url}/api/v1/events`, { cookie })
      await stream.until('hello')
      // From here on the stream only stays open; its events are discarded.
      stream.response.resume()
      streams++
      open.push(stream)
      if (open.length > OPEN_STREAMS) await open.shift()!.close()
      await pause(STREAM_EVERY_MS)
    }
    for (const stream of open) await stream.close()
  }

  const busy = Promise.all([keepReading(), keepStreaming()])
  let failure: unknown = null
  busy.catch((error: unknown) => {
    failure = error
  })
  return {
    calls: () => calls,
    streams: () => streams,
    check() {
      if (failure !== null) throw failure
    },
    async end() {
      isEnding = true
      await busy
    },
  }
}
