import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { assertVerified, keptVersions, newFolder, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type Handler, type HandlerSite } from './site/handler-site.ts'
import { createSite, etagOf, pathOfPage, type Site } from './site/site.ts'

const PAGES = 1000

describe('recrawling a site of 1,000 pages', () => {
  let site: Site
  before(async () => {
    site = await createSite({ pages: PAGES, linksPerPage: 8, etags: true })
  })
  after(() => site.close())

  test('adds versions only for pages whose text changed, and gets 304 for identical pages', async () => {
    const data = newFolder()
    const withNonce = [7, 500, 993].map(pathOfPage)
    const nonce = (n: number) => {
      const body = `<title>Signed</title><meta name="csrf" content="${n}"><p data-at="${n}">The same\n words</p><script nonce="${n}">${n}</script><a href="/">home</a>`
      for (const path of withNonce) site.set(path, { body, etag: etagOf(body) })
    }
    nonce(1)
    // Three pages with one body: the second and third are references to the first.
    // Two threads: changed pages are compared by the one that scans them.
    const options = ['--fetchers', '16', '--per-host', '16', '--threads', '2']
    const first = await runCrawl([`${site.origin()}/`], { data, options })
    assert.equal(first.result.stored + first.result.duplicates, PAGES)

    nonce(2)
    const changed = Array.from({ length: PAGES / 10 }, (_, n) => n * 10 + 3).filter(
      (page) => !withNonce.includes(pathOfPage(page)),
    )
    for (const page of changed) site.change(page)
    site.log.length = 0
    const second = await runCrawl([`${site.origin()}/`], { data, options })

    const versions = await keptVersions(data)
    assert.equal(versions.size, PAGES)
    const withTwo = [...versions].filter(([, list]) => list.length > 1).map(([path]) => path)
    assert.deepEqual(withTwo.sort(), changed.map(pathOfPage).sort())
    for (const path of withTwo)
      assert.deepEqual(
        versions.get(path)!.map(({ reason }) => reason),
        ['new', 'changed'],
      )
    const pages = site.log.filter(({ path }) => path !== '/robots.txt')
    assert.equal(pages.length, PAGES)
    const answered200 = pages.filter(({ status }) => status === 200).map(({ path }) => path)
    assert.deepEqual(answered200.sort(), [...changed.map(pathOfPage), ...withNonce].sort())
    assert.equal(pages.filter(({ status }) => status === 304).length, PAGES - answered200.length)
    assert.equal(second.result.stored, changed.length)
    assert.equal(second.result.unchanged, PAGES - changed.length)
    await assertVerified(data)
  })
})

/** Crawls a site several times; its handler depends on the number of the crawl. */
async function crawlsOf(
  crawls: number,
  handle: (crawl: number) => Handler,
  options: string[] = [],
  settings = {},
): Promise<{ data: string; site: HandlerSite; asked: string[][] }> {
  let crawl = 1
  const site = await createHandlerSite((path, response, request) => {
    if (path === '/robots.txt') return void response.writeHead(404).end()
    return handle(crawl)(path, response, request)
  })
  const data = newFolder()
  const asked: string[][] = []
  try {
    for (; crawl <= crawls; crawl++) {
      site.asked.length = 0
      // There are few pages: starting a second thread would take longer than it saves.
      await runCrawl([`${site.origin}/`], { data, options: ['--threads', '1', ...options], settings })
      asked.push(site.asked.filter((path) => path !== '/robots.txt'))
    }
  } finally {
    await site.close()
  }
  await assertVerified(data)
  return { data, site, asked }
}

const page = (response: ServerResponse, body: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(200, headers).end(`<title>t</title><p>${body}</p><a href="/a">a</a> <a href="/b">b</a>`)

async function reasonsOf(data: string, path: string): Promise<string[]> {
  return ((await keptVersions(data)).get(path) ?? []).map(({ reason }) => reason)
}

describe('a recrawled page', () => {
  test('is gone on 404, 410 or a redirect, keeps its versions, and can come back', async () => {
    const { data } = await crawlsOf(4, (crawl) => (path, response) => {
      if (path === '/' || crawl === 1 || crawl === 4) return page(response, `page ${path}`)
      if (path === '/a') return void response.writeHead(crawl === 2 ? 404 : 410, { 'x-why': 'closed' }).end('no')
      return void response.writeHead(301, { location: '/elsewhere' }).end()
    })
    assert.deepEqual(await reasonsOf(data, '/a'), ['new', 'gone', 'back'])
    assert.deepEqual(await reasonsOf(data, '/b'), ['new', 'gone', 'back'])
    const versions = await keptVersions(data)
    const [, goneA, backA] = versions.get('/a')!
    assert.equal(goneA!.status, 404)
    assert.ok(goneA!.record !== null, 'the answer is kept as a proof')
    assert.equal(backA!.originalId, versions.get('/a')![0]!.id, 'the body is stored once')
    assert.ok(versions.get('/b')![1]!.location.endsWith('/elsewhere'))
  })

  test('is not gone when the server fails', async () => {
    const { data } = await crawlsOf(
      2,
      (crawl) => (path, response) => {
        if (path === '/a' && crawl === 2) return void response.writeHead(500).end('oh')
        return page(response, 'fine')
      },
      [],
      { crawl: { maxAttempts: 1 } },
    )
    assert.deepEqual(await reasonsOf(data, '/a'), ['new'])
  })

  test('has its stored links followed when it is unchanged', async () => {
    const { data, asked } = await crawlsOf(2, (crawl) => (path, response, request) => {
      if (path === '/' && request.headers['if-none-match'] === '"root"') return void response.writeHead(304).end()
      if (path === '/') return page(response, 'root', { etag: '"root"' })
      return page(response, `${path} ${crawl}`)
    })
    assert.deepEqual(asked[1]!.toSorted(), ['/', '/a', '/b'])
    assert.deepEqual(await reasonsOf(data, '/a'), ['new', 'changed'])
  })

  test('cut at the size limit is fetched without validators, and stored whole once the limit allows it', async () => {
    const asked: (string | undefined)[] = []
    const site = await createHandlerSite((path, response, request) => {
      if (path === '/robots.txt') return void response.writeHead(404).end()
      asked.push(request.headers['if-none-match'])
      if (request.headers['if-none-match'] !== undefined) return void response.writeHead(304).end()
      return void response.writeHead(200, { etag: '"long"' }).end(`<title>t</title><p>${'long '.repeat(1000)}end</p>`)
    })
    const data = newFolder()
    const crawl = (maxBody: string) => runCrawl([`${site.origin}/`], { data, settings: { crawl: { maxBody } } })
    try {
      await crawl('1KB')
      assert.equal((await crawl('1KB')).result.unchanged, 1, 'the same part of the page')
      assert.equal((await crawl('1MB')).result.stored, 1)
      assert.equal((await crawl('1MB')).result.unchanged, 1)
    } finally {
      await site.close()
    }
    assert.deepEqual(asked, [undefined, undefined, undefined, '"long"'])
    const versions = (await keptVersions(data)).get('/')!
    assert.deepEqual(
      versions.map(({ reason, truncated }) => [reason, truncated]),
      [
        ['new', 'length'],
        ['changed', ''],
      ],
    )
    await assertVerified(data)
  })

  test('without validators is compared by fingerprint', async () => {
    const { data } = await crawlsOf(3, (crawl) => (path, response) => {
      page(response, path === '/a' ? `${Math.ceil(crawl / 2)}` : path)
    })
    assert.deepEqual(await reasonsOf(data, '/'), ['new'])
    assert.deepEqual(await reasonsOf(data, '/a'), ['new', 'changed'])
  })

  test('is unchanged if only regions excluded by selector or expression differ', async () => {
    const body = (crawl: number) =>
      `<p>story</p><div class="banner">Buy ${crawl}</div><p>Updated: 12:0${crawl}</p><i id="hits">${crawl}</i>`
    const { data } = await crawlsOf(
      2,
      (crawl) => (path, response) => page(response, path === '/b' ? `other ${crawl}` : body(crawl)),
      ['--omit', '.banner, #hits', '--omit-text', 'Updated: [0-9:]+'],
    )
    assert.deepEqual(await reasonsOf(data, '/a'), ['new'])
    assert.deepEqual(await reasonsOf(data, '/b'), ['new', 'changed'])
  })

  test('follows the rules for its source in the configuration', async () => {
    const { data } = await crawlsOf(
      2,
      (crawl) => (path, response) => page(response, `<div class="banner">Buy ${crawl}</div>${path}`),
      [],
      { sources: [{ match: '127.0.0.1', omit: ['.banner'] }] },
    )
    assert.deepEqual(await reasonsOf(data, '/a'), ['new'])
  })

  test('gets a new version whenever its bytes change, if so configured', async () => {
    const { data } = await crawlsOf(
      2,
      (crawl) => (path, response) => page(response, `<b data-n="${crawl}">same</b>${path}`),
      [],
      { crawl: { compare: 'bytes' } },
    )
    assert.deepEqual(await reasonsOf(data, '/a'), ['new', 'changed'])
  })
})

describe('an unreliable server', () => {
  test('that always answers 304 is detected by a full fetch, and never revalidated again', async () => {
    const conditional: (string | undefined)[] = []
    const { data } = await crawlsOf(
      6,
      (crawl) => (path, response, request) => {
        const tag = request.headers['if-none-match']
        if (path === '/a') conditional.push(tag)
        if (tag !== undefined) return void response.writeHead(304).end()
        return page(response, `${path} ${crawl}`, { etag: '"for ever"' })
      },
      [],
      { crawl: { fullCheckAfter: 2 } },
    )
    const reasons = await reasonsOf(data, '/a')
    assert.ok(reasons.length >= 3, `${reasons.length} versions`)
    const lastAsked = conditional.findLastIndex((tag) => tag !== undefined)
    assert.ok(lastAsked >= 0 && lastAsked <= 3, `asked conditionally at ${lastAsked}`)
  })

  test('with a new ETag for the same content creates no version', async () => {
    const { data } = await crawlsOf(3, (crawl) => (path, response) => page(response, path, { etag: `"${crawl}"` }))
    assert.deepEqual(await reasonsOf(data, '/a'), ['new'])
  })

  test('with local, future or too recent dates gets no If-Modified-Since', async () => {
    const dates: Record<string, string> = {
      '/': 'Sonntag, 01. November 2026 12:00',
      '/a': new Date(Date.now() + 86_400_000).toUTCString(),
      '/b': new Date().toUTCString(),
    }
    const since: Record<string, string | undefined> = {}
    const { data } = await crawlsOf(2, (crawl) => (path, response, request) => {
      since[path] ??= request.headers['if-modified-since']
      if (request.headers['if-modified-since'] !== undefined) return void response.writeHead(304).end()
      const lastModified = path === '/b' ? new Date().toUTCString() : dates[path]!
      return page(response, `${path} ${crawl}`, { 'last-modified': lastModified })
    })
    assert.deepEqual(since, { '/': undefined, '/a': undefined, '/b': undefined })
    for (const path of ['/', '/a', '/b']) assert.deepEqual(await reasonsOf(data, path), ['new', 'changed'])
  })

  test('with a valid date gets it back verbatim in If-Modified-Since', async () => {
    const spelled = 'Sunday, 01-Nov-26 12:00:00 GMT'
    const since: (string | undefined)[] = []
    const { data } = await crawlsOf(2, () => (path, response, request) => {
      if (path === '/a') since.push(request.headers['if-modified-since'])
      if (request.headers['if-modified-since'] === spelled) return void response.writeHead(304).end()
      return page(response, path, { 'last-modified': spelled })
    })
    assert.deepEqual(since, [undefined, spelled])
    assert.deepEqual(await reasonsOf(data, '/a'), ['new'])
  })

  test('that truncates a body it served completely before creates no version', async () => {
    const { data } = await crawlsOf(
      2,
      (crawl) => (path, response) => {
        if (path !== '/a' || crawl === 1) return page(response, path)
        response.writeHead(200, { 'content-length': '100000' })
        response.write('<p>half a pa')
        setImmediate(() => response.destroy())
      },
      [],
      { crawl: { maxAttempts: 1 } },
    )
    assert.deepEqual(await reasonsOf(data, '/a'), ['new'])
  })
})
