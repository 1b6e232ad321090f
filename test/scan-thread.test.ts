import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createSqliteVersions } from '../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading } from '../src/store/sqlite/folder/folder.ts'
import { assertVerified, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'

const PAGES = 200
const navigation =
  '<title>Page &amp; more</title><a href="/p/0">start</a> <a href="/p/1#top">one</a> <a href="special">s</a>'

function page(n: number): string {
  const own = Array.from({ length: 40 }, (_, i) => `<p>text <a href="${(n * 7 + i * 3) % PAGES}">x</a></p>`).join('')
  return `<!doctype html>${navigation}${own}`
}

/** Pages that the scan thread can't take, or that are read in another way. */
const special: Record<string, { type?: string; body: string | Buffer }> = {
  '/p/special': {
    body: ['/utf16', '/cyrillic', '/base', '/xhtml', '/huge', '/crowded', '/text', '/feed', '/empty']
      .map((path) => `<a href="${path}">x</a>`)
      .join(''),
  },
  '/utf16': { body: Buffer.from(`\ufeff<a href="/from-utf16">x</a>`, 'utf16le') },
  '/cyrillic': {
    type: 'text/html; charset=windows-1251',
    body: Buffer.from('<title>\xcf</title><a href="/from-cyrillic?\xcf">x</a>', 'latin1'),
  },
  '/base': { body: `${navigation}<base href="/based/"><a href="on">x</a>` },
  '/xhtml': {
    type: 'application/xhtml+xml',
    body: '<html xmlns="http://www.w3.org/1999/xhtml"><head><script/></head><body><a href="/from-xhtml">x</a></body></html>',
  },
  '/huge': { body: `<a href="/from-huge">x</a>${'<p>text</p>'.repeat(500_000)}` },
  '/crowded': { body: '<a href=/c>'.repeat(9_000) },
  '/text': { type: 'text/plain', body: 'text <a href="/not-a-link">' },
  '/feed': { type: 'application/rss+xml', body: '<rss><channel><item><link>/from-feed</link></item></channel></rss>' },
  '/empty': { body: '' },
}

type Stored = { digest: string; title: string; links: string[] }

async function stored(data: string, origin: string): Promise<Map<string, Stored>> {
  const db = openCatalogForReading(data)
  try {
    const versions = createSqliteVersions(db)
    const found = new Map<string, Stored>()
    for (const { id, url, digest, title } of await versions.versions({ after: 0, limit: 100_000 })) {
      const links = await versions.links(id)
      found.set(url.replace(origin, ''), {
        ...{ digest: digest?.toString('hex') ?? '', title: title ?? '' },
        links: links.map((link) => link.replace(origin, '')),
      })
    }
    return found
  } finally {
    db.close()
  }
}

describe('a crawl with a thread that scans', () => {
  let site: HandlerSite
  before(async () => {
    site = await createHandlerSite((path, response) => {
      const { type, body } = special[path] ?? { body: '' }
      const n = /^\/p\/(\d+)$/.exec(path)?.[1]
      if (type !== undefined) response.setHeader('content-type', type)
      if (n !== undefined) response.end(page(Number(n)))
      else if (path in special || path.startsWith('/from-') || path === '/based/on') response.end(body)
      else response.writeHead(404).end()
    })
  })
  after(() => site.close())

  test('stores what a crawl with one thread stores', async () => {
    const seeds = [`${site.origin}/p/0`]
    const runs = await Promise.all(
      ['1', '2'].map((threads) => runCrawl(seeds, { options: ['--threads', threads, '--allow-net', '127.0.0.0/8'] })),
    )
    const [alone, together] = await Promise.all(runs.map(({ data }) => stored(data, site.origin)))
    assert.ok(alone!.size > PAGES)
    assert.deepEqual(together, alone)
    for (const path of ['/from-utf16', '/from-cyrillic?%CF', '/based/on', '/from-xhtml', '/from-huge', '/from-feed'])
      assert.ok(together!.has(path), path)
    assert.deepEqual(together!.get('/crowded')!.links, ['/c'])
    assert.equal(together!.get('/p/0')!.title, 'Page & more')
    for (const { data, log } of runs) {
      await assertVerified(data)
      assert.deepEqual(
        log.filter(({ level }) => level > 30),
        [],
      )
    }
  })

  test('goes on with one thread in the same folder, and back', async () => {
    const seeds = [`${site.origin}/p/0`]
    const options = ['--allow-net', '127.0.0.0/8', '--no-robots']
    const first = await runCrawl(seeds, { options: [...options, '--threads', '2', '--max-pages', '60'] })
    const data = first.data
    const second = await runCrawl(seeds, { data, options: [...options, '--threads', '1', '--max-pages', '60'] })
    const third = await runCrawl(seeds, { data, options: [...options, '--threads', '2'] })
    assert.equal(third.result.finished, true)
    const fetched = [first, second, third].reduce((sum, { result }) => sum + result.fetched, 0)
    assert.ok(fetched > PAGES)
    await assertVerified(data)
  })
})
