import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAddressGuard } from '../core/url/address.ts'
import { loopback, startFetcher } from '../crawl/fetch/origin.testkit.ts'
import type { Protocol, ProtocolTools } from '../crawl/fetch/protocol.ts'
import type { ProtocolWorld } from './protocol-suite.testkit.ts'

const token = 'token-2718-open'

/** A website that serves texts, as `answer` formats them, to clients with the token. */
export async function startTextSite(answer: { type: string; write(texts: ReadonlyMap<string, string>): string }) {
  const texts = new Map<string, string>()
  let sent = 0
  let isDown = false
  const server = createServer(({ url, headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${token}`
    if (url !== '/texts' || isDown) return response.writeHead(404).end()
    if (!isKnown) return response.writeHead(401).end()
    const body = answer.write(texts)
    const etag = `"${hash('sha256', body)}"`
    if (headers['if-none-match'] === etag) return response.writeHead(304).end()
    sent++
    return response.writeHead(200, { etag, 'content-type': answer.type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    secret: { kind: 'bearer', token },
    /** Number of full responses so far. */
    sent: () => sent,
    /** Responds with 404 from now on. */
    takeDown() {
      isDown = true
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type TextSite = Awaited<ReturnType<typeof startTextSite>>

/** A world for a protocol that uses the crawler's client. */
export function worldOver(
  { origin, texts, secret, close }: TextSite,
  {
    scheme,
    fragment = '',
    create,
  }: { scheme: string; fragment?: string; create(fetch: ProtocolTools['fetch']): Protocol },
): ProtocolWorld {
  const guarded = (guard: ReturnType<typeof loopback>) => {
    const fetcher = startFetcher({ guard })
    return { protocol: create(fetcher.fetch), close: () => fetcher.close() }
  }
  const own = guarded(loopback())
  const put = async (name: string, text: string): Promise<void> => void texts.set(name, text)
  return {
    protocol: own.protocol,
    url: `${scheme}${origin}/texts${fragment}`,
    missingUrl: `${scheme}${origin}/missing${fragment}`,
    ...{ secret, wrongSecret: { ...secret, token: 'not-the-token' } },
    ...{ put, change: put, behindGuard: () => guarded(createAddressGuard({ allow: [] })) },
    async close() {
      await own.close()
      await close()
    },
  }
}
