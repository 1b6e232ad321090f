import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type CrawlRun, runCrawl } from '../site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { etagOf } from '../site/site.ts'

/** Crawls with sitemaps, against real origins. */
type Answer = { body?: string | Buffer; type?: string; status?: number; headers?: Record<string, string> }

const sites: HandlerSite[] = []
after(async () => {
  for (const site of sites) await site.close()
})

/** `$` in bodies and headers is replaced with the origin. Each site has its own address. */
async function siteOf(answers: (path: string) => Answer | undefined): Promise<HandlerSite> {
  const site = await createHandlerSite(
    (path, response, request) => {
      const answer = answers(path)
      const filled = (text: string): string => text.replaceAll('$', site.origin)
      const body = typeof answer?.body === 'string' ? filled(answer.body) : answer?.body
      const etag = etagOf(String(body ?? ''))
      for (const [name, value] of Object.entries(answer?.headers ?? {})) response.setHeader(name, filled(value))
      if (answer === undefined) return void response.writeHead(404).end('nothing here')
      if (answer.type !== undefined) response.setHeader('content-type', answer.type)
      response.setHeader('etag', etag)
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
      response.writeHead(answer.status ?? 200).end(body ?? `<title>${path}</title><p>The page at ${site.origin}${path}`)
    },
    `127.0.0.${sites.length + 1}`,
  )
  sites.push(site)
  return site
}

const xml = 'application/xml'
const urlset = (...entries: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries
    .map((entry) => `<url>${entry.includes('<loc>') ? entry : `<loc>${entry}</loc>`}</url>`)
    .join('')}</urlset>`
const index = (...urls: string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`
const isPage = (path: string): boolean => /^\/(?:\d+|)$/.test(path)

const settings = { crawl: { tables: 'search', threads: 1 } }
const pagesOf = ({ asked }: HandlerSite): string[] => asked.filter((path) => isPage(path) && path !== '/')

const home = ({ origin }: HandlerSite): string => `${origin}/`
const probesOf = ({ asked }: HandlerSite): string[] => asked.filter((path) => path.startsWith('/sitemap'))
/** Thirty pages, each with a link to the next. */
const chained = (path: string): Answer | undefined => {
  const next = Number(path.slice(1)) + 1
  return isPage(path) ? { body: `<title>${path}</title>${next < 30 ? `<a href="/${next}">next</a>` : ''}` } : undefined
}

describe('a crawl with sitemaps', () => {
  let named: HandlerSite
  let nested: HandlerSite
  let found: HandlerSite
  let linked: HandlerSite
  let first: CrawlRun
  before(async () => {
    const sitemap = urlset('$/1', '<loc>$/2</loc><priority>0.9</priority>', '<loc>$/3</loc><priority>0.1</priority>')
    named = await siteOf((path) => {
      if (path === '/robots.txt') return { body: 'Sitemap: $/map.xml', type: 'text/plain' }
      return path === '/map.xml' ? { body: sitemap, type: xml } : isPage(path) ? {} : undefined
    })
    nested = await siteOf((path) => {
      if (path === '/robots.txt') return { body: 'sitemap: $/index.xml\nSitemap: $/list.txt', type: 'text/plain' }
      if (path === '/index.xml') return { body: index('$/a.xml.gz', '$/feed', '$/gone.xml'), type: xml }
      if (path === '/a.xml.gz')
        return { body: gzipSync(urlset(`${nested.origin}/1`, `${nested.origin}/2`)), type: 'application/x-gzip' }
      if (path === '/list.txt') return { body: '\uFEFF$/3\r\n\r\n$/4\n', type: 'text/plain' }
      if (path === '/feed')
        return { body: '<rss><channel><item><link>$/5</link></item></channel></rss>', type: 'application/rss+xml' }
      return isPage(path) ? {} : undefined
    })
    found = await siteOf((path) => {
      if (path === '/sitemap_index.xml') return { body: index('$/map'), type: xml }
      return path === '/map' ? { body: urlset('$/100', '$/101'), type: xml } : chained(path)
    })
    linked = await siteOf((path) => {
      if (path === '/')
        return {
          headers: { link: '<1>; rel="next"; title="a, b", </a.css>; rel=preload; as=style, <$/map>; rel=sitemap' },
        }
      if (path === '/1') return { headers: { link: '</2>; rel=next', 'x-robots-tag': 'nofollow' } }
      if (path === '/map') return { body: urlset('$/3', '$/4'), type: xml }
      if (path === '/3') return { body: 'no markup', type: 'text/plain', headers: { link: '</5>; rel=alternate' } }
      return isPage(path) ? {} : undefined
    })
    first = await runCrawl([named, nested, found, linked].map(home), { settings })
  })

  test('fetches the pages of sitemaps named in robots.txt in order of priority', () => {
    assert.deepEqual(named.asked, ['/robots.txt', '/map.xml', '/', '/2', '/1', '/3'])
  })

  test('reads sitemap indexes, compressed and text sitemaps, and feeds', () => {
    assert.deepEqual(pagesOf(nested).sort(), ['/1', '/2', '/3', '/4', '/5'])
    const maps = nested.asked.filter((path) => !isPage(path) && path !== '/robots.txt')
    assert.deepEqual(maps.sort(), ['/a.xml.gz', '/feed', '/gone.xml', '/index.xml', '/list.txt'])
  })

  test('follows Link headers, including those that name sitemaps', () => {
    assert.deepEqual(linked.asked, ['/robots.txt', '/', '/map', '/1', '/3', '/4', '/5'])
  })

  test('probes the usual sitemap locations after some pages', () => {
    assert.deepEqual(probesOf(found), ['/sitemap.xml', '/sitemap_index.xml', '/sitemap_index.xml'])
    assert.ok(found.asked.indexOf('/sitemap.xml') > 8)
  })

  test('counts pages and sitemaps, but not probes', () => {
    // First site: 5; second: 11, one of them missing; third: a chain of 30, two more and two sitemaps; fourth: 6.
    const { fetched, failed, stored } = first.result
    assert.deepEqual([fetched, stored, failed], [5 + 11 + 34 + 6, 5 + 10 + 34 + 6, 1])
  })

  test('rereads unchanged sitemaps, and remembers their locations', async () => {
    for (const { asked } of [named, found]) asked.length = 0
    const again = await runCrawl([named, found].map(home), { data: first.data, settings })
    assert.deepEqual(named.asked, ['/', '/map.xml', '/2', '/1', '/3'])
    assert.deepEqual(probesOf(found), ['/sitemap_index.xml'])
    assert.equal(again.result.unchanged, 5 + 34)
  })
})

test('sitemap entries are one link from the seed, and sitemaps are not read at depth 0', async () => {
  const site = await siteOf((path) => {
    if (path === '/robots.txt') return { body: 'Sitemap: $/map.xml', type: 'text/plain' }
    if (path === '/map.xml') return { body: urlset('$/1'), type: xml }
    if (path === '/1') return { body: '<a href="/2">further</a>' }
    return isPage(path) ? {} : undefined
  })
  await runCrawl([home(site)], { settings, options: ['--depth', '0'] })
  assert.deepEqual(site.asked, ['/robots.txt', '/'])
  await runCrawl([home(site)], { settings, options: ['--depth', '1'] })
  assert.deepEqual(pagesOf(site), ['/1'])
})

test('sitemaps are probed first with `first` unless robots.txt names one, and never with `none`', async () => {
  const plain = await siteOf(chained)
  const named = await siteOf((path) =>
    path === '/robots.txt' ? { body: 'Sitemap: $/map\nDisallow: /sitemap', type: 'text/plain' } : chained(path),
  )
  const obliging = await siteOf((path) => chained(path) ?? { body: '<title>Welcome</title><a href="/1">home</a>' })
  const run = await runCrawl([plain, named, obliging].map(home), {
    settings: { crawl: { tables: 'first', threads: 1 } },
  })
  assert.deepEqual(probesOf(plain), ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.txt'])
  assert.ok(plain.asked.indexOf('/sitemap.txt') < plain.asked.indexOf('/'))
  assert.deepEqual(probesOf(named), [])
  // A page that is sent for every URL is no sitemap, and failed probes are not counted.
  assert.equal(probesOf(obliging).length, 3)
  // The sitemap named in robots.txt is missing.
  assert.deepEqual([run.result.fetched, run.result.failed, run.result.seen], [91, 1, 91])

  plain.asked.length = 0
  const { result } = await runCrawl([home(plain)], { settings: { crawl: { tables: 'none', threads: 1 } } })
  assert.deepEqual(probesOf(plain), [])
  assert.equal(result.fetched, 30)
})

test('links of 103 Early Hints are followed while the page is still loading', async () => {
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>()
  const site = await createHandlerSite(async (path, response) => {
    if (path === '/') {
      response.writeEarlyHints({ link: ['</1>; rel=next', '</style.css>; rel=preload; as=style'] })
      // Without the hint, `/1` would not be requested, and the page would never be sent.
      await asked
    }
    if (path === '/1') wasAsked()
    response.writeHead(path === '/robots.txt' ? 404 : 200).end(`<title>${path}</title>`)
  })
  sites.push(site)
  const { result } = await runCrawl([`${site.origin}/`], { settings: { crawl: { threads: 1, perHost: 2 } } })
  assert.deepEqual(site.asked, ['/robots.txt', '/', '/1'])
  assert.equal(result.fetched, 2)
})
