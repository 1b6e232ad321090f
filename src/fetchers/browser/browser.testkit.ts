import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { createAddressGuard } from '../../core/url/address.ts'
import { startFetcher } from '../../crawl/fetch/origin.testkit.ts'
import type { ItemBody, Place, Secret } from '../../crawl/fetch/protocol.ts'
import { createBrowserPages } from '../../crawl/worker/shared-counters.ts'
import { type BrowserProtocol, type BrowserProtocolOptions, createBrowserProtocol } from './browser-protocol.ts'

export const executable = process.env.ERACE_TEST_CHROMIUM ?? '/usr/bin/chromium'
/** False if there is a browser, otherwise why tests are skipped. */
export const withoutBrowser = existsSync(executable)
  ? false
  : `${executable} is not installed (or name one in ERACE_TEST_CHROMIUM)`

export const browserConfig: Config['browser'] = {
  executable,
  cdp: '',
  maxPages: 2,
  timeoutMs: 60_000,
  memoryBytes: 2 ** 30,
  keepForMs: 60_000,
}

export type SitePage = string | ((request: IncomingMessage, response: ServerResponse) => unknown)

export type Site = {
  port: number
  /** `METHOD /path` of each request. */
  asked: string[]
  headers: Map<string, IncomingMessage['headers']>
  close(): Promise<void>
}

/** Serves pages by path, for any host. */
export async function startSite(pages: Record<string, SitePage>): Promise<Site> {
  const known = new Map(Object.entries(pages))
  const site: Site = { port: 0, asked: [], headers: new Map(), close }
  const server = createServer((request, response) => {
    const path = request.url!.split('?', 1)[0]!
    site.asked.push(`${request.method} ${request.url}`)
    site.headers.set(path, request.headers)
    const page = known.get(path)
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<p>There is no such page')
    else if (typeof page === 'function') page(request, response)
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  site.port = typeof address === 'object' && address !== null ? address.port : 0
  async function close(): Promise<void> {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return site
}

const names = ['site.example', 'www.site.example', 'other.example', 'evil.example']

/** A browser whose requests reach 127.0.0.1 under a few names, and nothing else. */
export function startBrowserProtocol(
  config: Partial<Config['browser']> = {},
  options: Partial<BrowserProtocolOptions> = {},
): BrowserProtocol & { end(): Promise<void> } {
  const fetcher = startFetcher({
    guard: createAddressGuard({ allow: ['127.0.0.1/32'] }),
    names: {
      ...Object.fromEntries(names.map((name) => [name, ['127.0.0.1']])),
      'inside.example': ['127.0.0.2'],
    },
    limits: { perHostConnections: 6 },
  })
  const protocol = createBrowserProtocol({
    config: { ...browserConfig, ...config },
    fetch: fetcher.fetch,
    mayFetch: async () => true,
    browserPages: createBrowserPages(new SharedArrayBuffer(4)),
    log() {},
    ...options,
  })
  return Object.assign(protocol, {
    async end() {
      await protocol.close()
      await fetcher.close()
    },
  })
}

export const placeOf = (url: string, secret: Secret | null = null, signal = new AbortController().signal): Place => ({
  url,
  secret,
  signal,
  resolve: () => Promise.reject(new Error('not asked for')),
  limits: { connectTimeoutMs: 5000, stallTimeoutMs: 5000, maxBodyBytes: 1 << 20, maxItems: 10 },
  clock: systemClock,
})

export async function render(protocol: BrowserProtocol, place: Place): Promise<ItemBody> {
  const session = await protocol.open(place)
  try {
    const found = await session.look('')
    if (found.kind !== 'item') throw new Error('a page is an item')
    return await session.read(found.item)
  } finally {
    await session.close()
  }
}
