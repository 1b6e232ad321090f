import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as packaged from 'erace'
import * as library from '../src/library/index.ts'
import { type CrawlOptions, crawl, crawlPages, isAppError, openArchive, startService } from '../src/library/index.ts'
import { createDatabase, usePostgres } from '../src/store/postgres/testkit/postgres.testkit.ts'
import { whileIdle } from '../src/store/sqlite/folder/lock.ts'
import { createHandlerSite } from './site/handler-site.ts'
import { createGate, createSite, type Site } from './site/site.ts'
import { until } from './watch/up-run.ts'

usePostgres()

const root = mkdtempSync(join(tmpdir(), 'erace-library-'))
after(() => rmSync(root, { recursive: true }))
let folders = 0

const config = { network: { allow: ['127.0.0.0/8'] }, crawl: { delay: 0, threads: 1 } }
const newOptions = (seeds: string): CrawlOptions => ({ seeds, config, data: join(root, `data-${++folders}`) })
const isCode = (code: string) => (error: unknown) => isAppError(error) && error.code === code

test('the package exports the same names as the library', () => {
  assert.deepEqual(Object.keys(packaged).toSorted(), Object.keys(library).toSorted())
})

describe('a crawl through the library', () => {
  let site: Site
  before(async () => {
    site = await createSite({ pages: 12 })
  })
  after(() => site.close())

  test('passes each page to the handler once, and only changed pages when repeated', async () => {
    const options = newOptions(`${site.origin()}/`)
    const urls: string[] = []
    let text = ''
    const first = await crawl(options, {
      async onPage(page) {
        urls.push(page.url)
        if (page.url.endsWith('/')) text = (await page.text()) ?? ''
      },
    })
    assert.equal(first.stored, 12)
    assert.deepEqual(first.pages, { handled: 12, failed: 0, errors: [] })
    assert.equal(new Set(urls).size, 12)
    assert.ok(text.length > 0)

    site.change(3)
    const changed: [string, number, string][] = []
    const again = await crawl(options, { onPage: (page) => changed.push([page.reason, page.version, page.type]) })
    assert.equal(again.finished, true)
    assert.deepEqual(changed, [['changed', 2, 'text/html']])
  })

  test('reports a page whose handler throws, and handles the others', async () => {
    const seen: string[] = []
    const { pages, finished } = await crawl(newOptions(`${site.origin()}/`), {
      concurrency: 3,
      onPage({ url }) {
        if (url.endsWith('/')) throw new Error('cannot be handled')
      },
      onPageError: (error, page) => seen.push(`${page.url}: ${(error as Error).message}`),
    })
    assert.equal(finished, true)
    assert.deepEqual(pages, {
      ...{ handled: 11, failed: 1 },
      errors: [{ url: `${site.origin()}/`, message: 'cannot be handled' }],
    })
    assert.deepEqual(seen, [`${site.origin()}/: cannot be handled`])
  })

  test('times out a handler that never returns, and handles the other pages', async () => {
    const { pages, finished } = await crawl(newOptions(`${site.origin()}/`), {
      pageTimeoutMs: 100,
      onPage: ({ url }) => (url.endsWith('/') ? new Promise(() => {}) : undefined),
    })
    assert.equal(finished, true)
    assert.deepEqual(pages, {
      ...{ handled: 11, failed: 1 },
      errors: [{ url: `${site.origin()}/`, message: 'onPage took longer than 0.1 s' }],
    })
  })

  test('lets a handler read its page even after the crawl has ended', async () => {
    const options = newOptions(`${site.origin()}/`)
    const { pages } = await crawl(
      { ...options, depth: 0 },
      {
        concurrency: 2,
        async onPage(page) {
          await until('the crawl has ended', () => whileIdle(options.data!, 'test', () => {}))
          await page.text()
        },
      },
    )
    assert.deepEqual(pages, { handled: 1, failed: 0, errors: [] })
  })

  test('is iterable; leaving the loop stops it, and the next call yields the remaining pages', async () => {
    const options = newOptions(`${site.origin()}/`)
    const first: { id: number; url: string }[] = []
    for await (const page of crawlPages(options)) {
      first.push(page)
      break
    }
    const rest: string[] = []
    const { finished } = await crawl(options, { after: first[0]!.id, onPage: (page) => rest.push(page.url) })
    assert.equal(finished, true)
    assert.equal(new Set([first[0]!.url, ...rest]).size, 12)
    assert.equal(rest.length, 11)
  })

  test('ends early when its signal is aborted, with every stored page handled', async () => {
    const stopping = new AbortController()
    const gate = createGate()
    const links = Array.from({ length: 50 }, (_, n) => `<a href="/${n}">x</a>`).join('')
    // Only the first page is answered before the crawl is aborted.
    const held = await createHandlerSite(async (path, response) => {
      if (path === '/robots.txt') return void response.writeHead(404).end()
      if (path !== '/') await gate.opened
      response.end(path === '/' ? links : `<p>page ${path}`)
    })
    try {
      const { pages, ...result } = await crawl(newOptions(`${held.origin}/`), {
        signal: stopping.signal,
        onPage() {
          stopping.abort()
          gate.open()
        },
      })
      assert.deepEqual([result.interrupted, result.finished], [true, false])
      assert.ok(result.stored < 51, `${result.stored} pages`)
      assert.deepEqual(pages, { handled: result.stored, failed: 0, errors: [] })
    } finally {
      await held.close()
    }
  })

  test('works on a shared store', async () => {
    const { address, destroy } = await createDatabase()
    try {
      const urls = new Set<string>()
      const { stored, pages } = await crawl(
        { seeds: `${site.origin()}/`, config, store: address },
        { onPage: (page) => urls.add(page.url) },
      )
      assert.deepEqual([stored, urls.size, pages.failed], [12, 12, 0])
      await using archive = await openArchive(address)
      assert.equal((await archive.page(`${site.origin()}/`)).version, 1)
    } finally {
      await destroy()
    }
  })

  test('reports all invalid options before it starts', async () => {
    const wrong = { seeds: ['example.org', 'x'], depth: -1, restrict: /a/i }
    await assert.rejects(crawl(wrong), (error: Error) => {
      assert.ok(isCode('usage-wrong')(error))
      for (const place of ['example.org', 'x', 'depth', 'restrict']) assert.match(error.message, new RegExp(place))
      return true
    })
    const unknown = { crawl: { dealy: '2s' } } as object
    await assert.rejects(crawl({ seeds: 'http://127.0.0.1/', config: unknown }), isCode('config-invalid'))
    await assert.rejects(crawl({ data: join(root, 'none') }), isCode('usage-wrong'))
  })
})

test('a crawl waits for a slow handler', async () => {
  const pages = 1200
  const links = Array.from({ length: pages }, (_, n) => `<a href="/${n}">x</a>`).join('')
  const site = await createHandlerSite((path, response) => {
    if (path === '/robots.txt') response.writeHead(404)
    response.end(path === '/' ? links : `<title>${path}</title><p>page ${path}`)
  })
  try {
    const gate = createGate()
    const stored: number[] = []
    const result = await crawl(newOptions(`${site.origin}/`), {
      onPage: () => gate.opened,
      onProgress(snapshot) {
        stored.push(snapshot.stored)
        // Nothing was stored for a second although there is more, so it is waiting.
        if (snapshot.stored > 500 && stored.slice(-6).every((n) => n === snapshot.stored) && stored.length > 6)
          gate.open()
      },
    })
    assert.ok(
      stored.some((n, index) => n > 500 && n < pages && stored[index + 5] === n),
      `it did not wait: ${stored.join(' ')}`,
    )
    assert.equal(result.pages.handled, pages + 1)
  } finally {
    await site.close()
  }
})

describe('the archive through the library', () => {
  test('gives access to versions, history, diffs and search', async () => {
    let words = 'an early text about whales'
    const site = await createHandlerSite((path, response) => {
      if (path === '/robots.txt') response.writeHead(404)
      response.end(`<title>News</title><p>${words}</p><a href="/other">other</a>`)
    })
    const options = newOptions(`${site.origin}/`)
    try {
      await crawl({ ...options, depth: 0 })
      words = 'a later text about whales'
      await crawl({ ...options, depth: 0 })
    } finally {
      await site.close()
    }
    await using archive = await openArchive(options.data!)
    const first = await archive.page(`${site.origin}/@1`)
    assert.deepEqual(
      [first.version, first.reason, first.status, first.title, first.type],
      [1, 'new', 200, 'News', 'text/html'],
    )
    assert.match((await first.text())!, /an early text about whales/)
    assert.match((await first.source())!, /<p>an early text/)
    assert.equal((await first.bytes()).length, first.size)
    assert.ok((await first.headers()).some(([name, value]) => /^content-type$/i.test(name) && value === 'text/html'))
    assert.deepEqual(await first.links(), [`${site.origin}/other`])
    const versions: string[] = []
    for await (const page of archive.versions()) versions.push(`${page.version} ${page.reason}`)
    assert.deepEqual(versions, ['1 new', '2 changed'])
    assert.equal((await archive.history(`${site.origin}/`)).versions.length, 2)
    const { words: changed } = await archive.diff(`${site.origin}/`)
    assert.ok(changed.added > 0 && changed.removed > 0)
    const { items } = await archive.search('later whales')
    assert.deepEqual(
      items.map(({ n }) => n),
      [2],
    )
    await assert.rejects(archive.page(`${site.origin}/missing`), isCode('not-found'))
    await assert.rejects(archive.search('before:nonsense'), isCode('usage-wrong'))
    await assert.rejects(openArchive(join(root, 'no such folder')), isCode('store-missing'))
  })
})

test('a service started by the library runs until it is stopped', async () => {
  const lines: string[] = []
  const service = await startService({
    data: join(root, 'service'),
    config: { server: { port: 0 }, crawl: { threads: 1 } },
    administrator: { email: 'ada@example.org', password: 'a long enough password' },
    onLog: ({ level, message }) => lines.push(`${level} ${message}`),
  })
  try {
    assert.equal(service.setupUrl, null)
    const ready = await fetch(`${service.url}/readyz`)
    assert.equal(ready.status, 200)
    assert.ok(lines.includes('info watching'))
  } finally {
    await service.stop()
  }
  await service.ended
  await assert.rejects(fetch(`${service.url}/readyz`))
})

test('startService rejects an invalid configuration', async () => {
  await assert.rejects(
    startService({ data: join(root, 'service'), config: { server: { port: 70_000 } } }),
    isCode('config-invalid'),
  )
})

test('a service that cannot start leaves its folder to others', async () => {
  const parts = { storage: ['./examples/markdown-files/markdown-files.ts'] } // without the archive
  const start = () => startService({ data: join(root, 'refused'), config: { crawl: { threads: 1 }, parts } })
  await assert.rejects(start, isCode('config-invalid'))
  await assert.rejects(start, isCode('config-invalid'))
})
