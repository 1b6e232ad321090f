import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createProtocols } from '../app/protocols.ts'
import { configOf } from '../config/load-config.ts'
import type { SourceHints } from '../core/check-order.ts'
import { usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { createQueryProtocol } from './db/query-protocol.ts'
import {
  checkHints,
  checkSharedOut,
  checkSitemapPace,
  checkWatched,
  engines,
  type WatchedWorld,
} from './kept-suite.testkit.ts'
import { testProtocol } from './protocol-suite.testkit.ts'
import { startTextSite, worldOver } from './web-world.testkit.ts'

const rows = {
  type: 'application/json',
  write: (texts: ReadonlyMap<string, string>) => JSON.stringify([...texts].map(([name, text]) => ({ name, text }))),
}
const items = {
  type: 'text/html; charset=utf-8',
  write: (texts: ReadonlyMap<string, string>) =>
    `<ul>${[...texts].map(([name, text]) => `<li><b>${name}</b><i>${text}</i></li>`).join('')}</ul>`,
}

for (const [kind, page, fragment] of [
  ['JSON', rows, '#rows=$%5B*%5D&key=name'],
  ['HTML', items, '#rows=li&cells=name:b&cells=text:i&key=name'],
] as const)
  testProtocol(
    `queries of web sites that answer with ${kind}`,
    async () => {
      const site = await startTextSite(page)
      const world = worldOver(site, { scheme: 'query+', fragment, create: (fetch) => createQueryProtocol({ fetch }) })
      return { ...world, moved: site.sent, remove: async (name) => void site.texts.delete(name) }
    },
    { cuts: 'lists', lacks: { push: 'rows are asked for' } },
  )

type Answer = (path: string, origin: string) => { headers: Record<string, string>; body: string }

async function withSite(answer: Answer, work: (world: WatchedWorld) => Promise<void>): Promise<void> {
  let origin = ''
  const server = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end()
    const { headers, body } = answer(url, origin)
    response.writeHead(200, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const nothing = { secret: null, render: 'http', hasLists: false, change: undefined, remove: undefined } as const
    await work({ ...nothing, url: `${origin}/`, put: async () => {}, protocols: createProtocols(configOf()) })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const HOUR_MS = 3_600_000
/** Whole seconds, as in headers and feeds. */
const day = Date.UTC(2026, 0, 5)
const httpDate = (at: number): string => new Date(at).toUTCString()
const html = { 'content-type': 'text/html' }

/** All hints that a source can give about its changes. */
const hinting: Record<string, { answer: Answer; hints: SourceHints }> = {
  'the dates of its entries': {
    answer: (_path, origin) => ({
      headers: { 'content-type': 'application/rss+xml' },
      body: `<rss version="2.0"><channel><title>news</title><link>${origin}</link>${[2, 1, 3]
        .map((n) => `<item><link>${origin}/${n}</link><pubDate>${httpDate(day + n * HOUR_MS)}</pubDate></item>`)
        .join('')}</channel></rss>`,
    }),
    hints: { dates: [3, 2, 1].map((n) => day + n * HOUR_MS) },
  },
  'Last-Modified': {
    answer: () => ({ headers: { ...html, 'last-modified': httpDate(day) }, body: 'words' }),
    hints: { modifiedAt: day },
  },
  'Cache-Control': {
    answer: () => ({ headers: { ...html, 'cache-control': 'public, max-age=7200' }, body: 'words' }),
    hints: { freshForMs: 2 * HOUR_MS },
  },
  Expires: {
    answer: () => ({ headers: { ...html, expires: httpDate(Date.now() + HOUR_MS) }, body: 'words' }),
    hints: { freshForMs: HOUR_MS },
  },
}

describe('a web page as a source', () => {
  usePostgres()
  for (const engine of engines)
    test(`requests only the linked pages that are due, on the ${engine.name} store`, async () => {
      const paths: string[] = []
      const answer: Answer = (path) => {
        paths.push(path)
        const links = path === '/' ? '<a href="/one">one</a> <a href="/two">two</a>' : ''
        return { headers: { 'content-type': 'text/html' }, body: `${path} ${links}` }
      }
      await withSite(answer, (world) => checkSharedOut(engine, world, () => paths.splice(0)))
    })
  for (const engine of engines)
    test(`that is a sitemap determines when its pages are requested, on the ${engine.name} store`, async () => {
      const paths: string[] = []
      const modified = new Map<string, number>()
      const answer: Answer = (path, origin) => {
        paths.push(path)
        if (path !== '/') return { headers: { 'content-type': 'text/html' }, body: `page ${path}` }
        const entries = ['/changed', '/unchanged', '/undated'].map((each) => {
          const at = modified.get(each)
          const lastmod = at === undefined ? '' : `<lastmod>${new Date(at).toISOString()}</lastmod>`
          return `<url><loc>${origin}${each}</loc>${lastmod}</url>`
        })
        const body = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`
        return { headers: { 'content-type': 'application/xml' }, body }
      }
      const site = { asked: () => paths.splice(0), setModified: (path: string, at: number) => modified.set(path, at) }
      await withSite(answer, (world) => checkSitemapPace(engine, world, site))
    })
  for (const [name, { answer, hints }] of Object.entries(hinting))
    for (const engine of engines)
      test(`provides hints about its changes by ${name}, on the ${engine.name} store`, () =>
        withSite(answer, (world) => checkHints(engine, world, hints)))
  for (const engine of engines)
    test(`is stored once per change, on the ${engine.name} store`, async () => {
      const site = await startTextSite(items)
      const put = async (name: string, text: string): Promise<void> => void site.texts.set(name, text)
      try {
        await checkWatched(engine, {
          ...{ url: `${site.origin}/texts`, secret: site.secret, render: 'http', hasLists: false },
          ...{ put, change: put, remove: async () => site.takeDown(), protocols: createProtocols(configOf()) },
        })
      } finally {
        await site.close()
      }
    })
})
