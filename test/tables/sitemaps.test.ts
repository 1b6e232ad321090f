import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { newFolder, runCrawl } from '../site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { etagOf } from '../site/site.ts'

/** Sitemaps that a crawl reads, against real origins. */
type Answer = { body?: string | Buffer; type?: string; status?: number; headers?: Record<string, string> }

const sites: HandlerSite[] = []
after(async () => {
  for (const site of sites) await site.close()
})

/** `$` in bodies and headers stands for the origin. */
async function siteOf(answers: (path: string) => Answer | undefined): Promise<HandlerSite> {
  const site = await createHandlerSite((path, response, request) => {
    const answer = answers(path)
    const filled = (text: string): string => text.replaceAll('$', site.origin)
    const body = typeof answer?.body === 'string' ? filled(answer.body) : answer?.body
    const etag = etagOf(String(body ?? ''))
    for (const [name, value] of Object.entries(answer?.headers ?? {})) response.setHeader(name, filled(value))
    if (answer === undefined) return void response.writeHead(404).end('nothing here')
    if (answer.type !== undefined) response.setHeader('content-type', answer.type)
    response.setHeader('etag', etag)
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
    response.writeHead(answer.status ?? 200).end(body ?? `<title>${path}</title><p>The page at ${path}`)
  })
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

const settings = { crawl: { tables: 'offered', threads: 1 } }
const pagesOf = ({ asked }: HandlerSite): string[] => asked.filter((path) => isPage(path) && path !== '/')

describe('sitemaps that robots.txt names', () => {
  test('lead to the pages of the site, in order of their priority, and are read again when unchanged', async () => {
    const sitemap = urlset('$/1', '<loc>$/2</loc><priority>0.9</priority>', '<loc>$/3</loc><priority>0.1</priority>')
    const site = await siteOf((path) => {
      if (path === '/robots.txt') return { body: 'Sitemap: $/map.xml', type: 'text/plain' }
      return path === '/map.xml' ? { body: sitemap, type: xml } : isPage(path) ? {} : undefined
    })
    const data = `${newFolder()}/data`
    const first = await runCrawl([`${site.origin}/`], { data, settings })
    assert.deepEqual(site.asked, ['/robots.txt', '/map.xml', '/', '/2', '/1', '/3'])
    assert.equal(first.result.fetched, 5)
    assert.equal(first.result.failed, 0)
    site.asked.length = 0
    const again = await runCrawl([`${site.origin}/`], { data, settings })
    assert.deepEqual(site.asked, ['/', '/map.xml', '/2', '/1', '/3'])
    assert.equal(again.result.unchanged, 5)
  })

  test('may be an index of others, compressed, text and feeds', async () => {
    const site = await siteOf((path) => {
      if (path === '/robots.txt') return { body: 'sitemap: $/index.xml\nSitemap: $/list.txt', type: 'text/plain' }
      if (path === '/index.xml') return { body: index('$/a.xml.gz', '$/feed', '$/gone.xml'), type: xml }
      if (path === '/a.xml.gz')
        return { body: gzipSync(urlset(`${site.origin}/1`, `${site.origin}/2`)), type: 'application/x-gzip' }
      if (path === '/list.txt') return { body: '\uFEFF$/3\r\n\r\n$/4\n', type: 'text/plain' }
      if (path === '/feed')
        return { body: '<rss><channel><item><link>$/5</link></item></channel></rss>', type: 'application/rss+xml' }
      return isPage(path) ? {} : undefined
    })
    const { result } = await runCrawl([`${site.origin}/`], { settings })
    assert.deepEqual(pagesOf(site).sort(), ['/1', '/2', '/3', '/4', '/5'])
    // The page, five of sitemaps, four sitemaps, and the one that is missing.
    assert.equal(result.fetched, 11)
    assert.equal(result.failed, 1)
  })

  test('count as one link from the seed, and none are read where only seeds are fetched', async () => {
    const site = await siteOf((path) => {
      if (path === '/robots.txt') return { body: 'Sitemap: $/map.xml', type: 'text/plain' }
      if (path === '/map.xml') return { body: urlset('$/1'), type: xml }
      if (path === '/1') return { body: '<a href="/2">further</a>' }
      return isPage(path) ? {} : undefined
    })
    await runCrawl([`${site.origin}/`], { settings, options: ['--depth', '0'] })
    assert.deepEqual(site.asked, ['/robots.txt', '/'])
    await runCrawl([`${site.origin}/`], { settings, options: ['--depth', '1'] })
    assert.deepEqual(pagesOf(site), ['/1'])
    await runCrawl([`${site.origin}/`], { settings, options: ['--depth', '2'] })
    assert.deepEqual(pagesOf(site), ['/1', '/1', '/2'])
  })
})

describe('sitemaps in the usual places', () => {
  const chained = (path: string): Answer | undefined => {
    const next = Number(path.slice(1)) + 1
    return isPage(path)
      ? { body: `<title>${path}</title>${next < 30 ? `<a href="/${next}">next</a>` : ''}` }
      : undefined
  }
  const probesOf = ({ asked }: HandlerSite): string[] => asked.filter((path) => path.startsWith('/sitemap'))

  test('are found after some pages, and remembered', async () => {
    const site = await siteOf((path) => {
      if (path === '/sitemap_index.xml') return { body: index('$/map'), type: xml }
      return path === '/map' ? { body: urlset('$/100', '$/101'), type: xml } : chained(path)
    })
    const data = `${newFolder()}/data`
    const first = await runCrawl([`${site.origin}/`], { data, settings })
    assert.deepEqual(probesOf(site), ['/sitemap.xml', '/sitemap_index.xml', '/sitemap_index.xml'])
    // Thirty pages in a chain, two of the sitemap, and two sitemaps; probes don't count.
    assert.deepEqual([first.result.fetched, first.result.stored, first.result.failed], [34, 34, 0])
    assert.ok(site.asked.indexOf('/sitemap.xml') > 8)
    site.asked.length = 0
    await runCrawl([`${site.origin}/`], { data, settings })
    assert.deepEqual(probesOf(site), ['/sitemap_index.xml'])
  })

  test('are looked for at once with `first`, not at all with `none`, and not where robots.txt names one', async () => {
    const site = await siteOf(chained)
    await runCrawl([`${site.origin}/`], { settings: { crawl: { tables: 'first', threads: 1 } } })
    assert.deepEqual(probesOf(site), ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.txt'])
    assert.ok(site.asked.indexOf('/sitemap.txt') < site.asked.indexOf('/'))
    site.asked.length = 0
    const { result } = await runCrawl([`${site.origin}/`], { settings: { crawl: { tables: 'none', threads: 1 } } })
    assert.deepEqual(probesOf(site), [])
    assert.equal(result.fetched, 30)
    const named = await siteOf((path) =>
      path === '/robots.txt' ? { body: 'Sitemap: $/map\nDisallow: /sitemap', type: 'text/plain' } : chained(path),
    )
    await runCrawl([`${named.origin}/`], { settings: { crawl: { tables: 'first', threads: 1 } } })
    assert.deepEqual(probesOf(named), [])
  })

  test('a page that is sent for everything is no sitemap, and failures count for nothing', async () => {
    const site = await siteOf((path) => chained(path) ?? { body: '<title>Welcome</title><a href="/1">home</a>' })
    const { result } = await runCrawl([`${site.origin}/`], { settings: { crawl: { tables: 'first', threads: 1 } } })
    assert.equal(probesOf(site).length, 3)
    assert.deepEqual([result.fetched, result.failed, result.seen], [30, 0, 30])
  })
})

describe('links in headers', () => {
  test('are links of the page, and name sitemaps', async () => {
    const site = await siteOf((path) => {
      if (path === '/')
        return {
          headers: { link: '<1>; rel="next"; title="a, b", </a.css>; rel=preload; as=style, <$/map>; rel=sitemap' },
        }
      if (path === '/1') return { headers: { link: '</2>; rel=next', 'x-robots-tag': 'nofollow' } }
      if (path === '/map') return { body: urlset('$/3', '$/4'), type: xml }
      if (path === '/3') return { body: 'no markup', type: 'text/plain', headers: { link: '</5>; rel=alternate' } }
      return isPage(path) ? {} : undefined
    })
    const { result } = await runCrawl([`${site.origin}/`], { settings })
    assert.deepEqual(site.asked, ['/robots.txt', '/', '/map', '/1', '/3', '/4', '/5'])
    assert.equal(result.failed, 0)
  })

  test('of 103 Early Hints are followed while the page is still on its way', async () => {
    const { promise: asked, resolve: wasAsked } = Promise.withResolvers<void>()
    const site = await createHandlerSite(async (path, response) => {
      if (path === '/') {
        response.writeEarlyHints({ link: ['</1>; rel=next', '</style.css>; rel=preload; as=style'] })
        // Without the hint nobody would ask, and the page would never come.
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
})
