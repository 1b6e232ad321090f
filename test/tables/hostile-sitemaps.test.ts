import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { runCrawl } from '../site/crawl-run.ts'
import { createHandlerSite } from '../site/handler-site.ts'

/** Sitemaps that lie, nest and grow. They must cost nothing but requests. */
test('hostile sitemaps stay within limits, and all pages are still fetched', async (t) => {
  const urlset = (urls: readonly string[], more = ''): string =>
    `<urlset>${urls.map((url) => `<url><loc>${url}</loc>${more}</url>`).join('')}</urlset>`
  const index = (urls: readonly string[]): string =>
    `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`
  const foreign = Array.from({ length: 10_000 }, (_, n) => `http://host${n}.test/`)
  const bomb = gzipSync(Buffer.concat([Buffer.from('<urlset>'), Buffer.alloc(40 << 20, 0x20)]))
  const named = ['self', 'nest-0', 'foreign', 'page', 'lies', 'bomb.gz', 'endless', 'gone', 'moved-0']
  const site = await createHandlerSite((path, response) => {
    const { origin } = site
    const send = (body: string | Buffer, type = 'application/xml'): void => {
      response.setHeader('content-type', type)
      response.end(body)
    }
    const [, name = '', number = '0'] = /^\/(\w+)-?(\d*)/.exec(path) ?? []
    const next = Number(number) + 1
    if (path === '/robots.txt') send(named.map((each) => `Sitemap: ${origin}/${each}`).join('\n'), 'text/plain')
    else if (path === '/') send('<title>Home</title><a href="/a">a</a><a href="/b">b</a>', 'text/html')
    else if (path === '/a' || path === '/b') send(`<title>${path}</title>`, 'text/html')
    else if (name === 'self') send(index([`${origin}/self`]))
    // Each names two more: exponential growth without a limit.
    else if (name === 'nest') send(index([`${origin}/nest-${2 * next}`, `${origin}/nest-${2 * next + 1}`]))
    else if (name === 'foreign') send(urlset(foreign))
    else if (name === 'page') send('<title>No such page</title><p>Sorry', 'text/html')
    else if (name === 'lies')
      send(urlset([`${origin}/none`, `${origin}/a`, 'mailto:x@y.test', 'http://['], '<lastmod>2999-01-01</lastmod>'))
    else if (name === 'bomb') send(bomb, 'application/gzip')
    else if (name === 'moved') response.writeHead(302, { location: `/moved-${next}` }).end()
    else if (name === 'endless') {
      // Without Content-Length, it continues for as long as it is read.
      const part = urlset([`${origin}/a`])
        .slice(0, -9)
        .replace('<urlset>', '')
        .repeat(2000)
      response.setHeader('content-type', 'application/xml')
      response.write('<urlset>')
      const more = (): void => {
        while (!response.destroyed && response.write(part));
      }
      response.on('drain', more)
      more()
    } else response.writeHead(404).end()
  })
  t.after(() => site.close())
  const settings = { crawl: { threads: 1, tables: 'first', maxBody: '1MB' } }
  const { result, log } = await runCrawl([`${site.origin}/`], { settings })
  const asked = (path: string): number => site.asked.filter((each) => each === path).length
  assert.deepEqual(['/', '/a', '/b'].map(asked), [1, 1, 1])
  assert.equal(asked('/self'), 1)
  // Three levels below the first: 1 + 2 + 4 + 8.
  assert.equal(site.asked.filter((path) => path.startsWith('/nest')).length, 15)
  assert.equal(site.asked.filter((path) => path.startsWith('/moved')).length, 11)
  assert.ok((result.skipped.scope ?? 0) >= foreign.length)
  assert.equal(result.skipped.limit, 16)
  // The missing sitemap, the missing page, and the endless redirects.
  assert.equal(result.failed, 3)
  assert.equal(result.finished, true)
  const cut = log.filter(({ msg }) => msg === 'a sitemap is larger than is read').map(({ url }) => String(url))
  assert.ok(cut.includes(`${site.origin}/bomb.gz`) && cut.includes(`${site.origin}/endless`), cut.join(' '))
})
