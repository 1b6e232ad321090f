import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf, until } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

test('a source on a blocked address is never contacted, and the reason is recorded', async () => {
  await withWatching({ pages: [{ '/': { words: 'java' } }] }, async (watching) => {
    const { news, put, begin, checked, notified, watches } = watching
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`)], { java: 1 }))
    begin({ ERACE_NETWORK_ALLOW: '' })
    await checked(2)
    assert.deepEqual(news.site.asked, [])
    assert.deepEqual(await notified(), [])
    const [row] = await watches.all()
    assert.equal(row!.outcome, 'skipped: address')
  })
})

test('a source that redirects to another host is followed there, with its links', async () => {
  const there: Record<string, ChangingPage> = {
    '/home': { words: 'java', links: ['/more', '/'] },
    '/more': { words: 'java too' },
    '/': { words: 'tea' },
  }
  const here: Record<string, ChangingPage> = { '/': {} }
  const addresses = ['127.0.0.1', '127.0.0.2']
  await withWatching({ pages: [here, there], addresses }, async (watching) => {
    const { news, sites, put, begin, checked, notified, watches } = watching
    const landed = `${sites[1]!.origin}/home`
    here['/']!.redirect = landed
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`, { depth: 1 })], { java: 1 }))
    begin()
    await checked(2)
    assert.deepEqual((await notified()).sort(), ['ann java /home new', 'ann java /more new'])
    assert.equal((await watches.all())[0]!.landed, landed)
    there['/more']!.words = 'java moves'
    await checked(2)
    assert.equal((await notified()).at(-1), 'ann java /more changed')
  })
})

test('a failing host is retried with growing delays, and its later content is reported', async () => {
  const pages: Record<string, ChangingPage> = { '/': { words: 'java one' } }
  await withWatching({ pages: [pages, { '/': { words: 'tick' } }] }, async (watching) => {
    const { news, sites, put, begin, checked, notified, watches } = watching
    const ticker = sites[1]!
    await put(
      profileOf('java', ann, [sourceOf(`${news.origin}/`, { everyMs: 200, everyMaxMs: 1600 })], { java: 1 }),
      profileOf('tick', ann, [sourceOf(`${ticker.origin}/`, { everyMs: 200, everyMaxMs: 200 })], { nothing: 1 }),
    )
    // A single attempt: retries would only make the test longer.
    begin({ ERACE_CRAWL_MAXATTEMPTS: '1', ERACE_CRAWL_HOSTREST: '100ms', ERACE_CRAWL_HOSTRESTMAX: '200ms' })
    await checked()
    pages['/']!.status = 500
    const rowOf = async () => (await watches.all()).find(({ uri }) => uri.startsWith(news.origin))!
    await until('a failed check', async () => (await rowOf()).outcome === 'failed: http-server-error')
    assert.equal((await rowOf()).status, 500)
    const from = { news: news.asked('/'), ticker: ticker.asked('/') }
    await until('some failures', () => news.asked('/') >= from.news + 3)
    const ticks = ticker.asked('/') - from.ticker
    assert.ok(ticks > 4, `${ticks} checks of a host that works while one that fails had three`)
    pages['/'] = { words: 'java two' }
    await until('the host to be back', async () => (await rowOf()).outcome === 'changed')
    await checked()
    assert.deepEqual(
      (await notified()).filter((line) => line.includes('java')),
      ['ann java / new', 'ann java / changed'],
    )
  })
})

test('a host that is given up is tried again at the next check', async () => {
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'java one', links: ['/more'] },
    '/more': { words: 'java' },
  }
  await withWatching({ pages: [pages] }, async (watching) => {
    const { news, put, begin, checked, notified, watches } = watching
    const source = sourceOf(`${news.origin}/`, { depth: 1, everyMs: 200, everyMaxMs: 400 })
    await put(profileOf('java', ann, [source], { java: 1 }))
    begin({
      ERACE_CRAWL_MAXATTEMPTS: '2',
      ERACE_CRAWL_HOSTFAILURES: '1',
      ERACE_CRAWL_HOSTREST: '50ms',
      ERACE_CRAWL_HOSTRESTMAX: '100ms',
      ERACE_CRAWL_HOSTRESTS: '1',
    })
    await checked()
    const down = { status: 500 }
    const before = { ...pages }
    Object.assign(pages, { '/': down, '/more': down })
    await until('a failed check', async () => /^failed: /.test((await watches.all())[0]!.outcome))
    const asked = news.asked('/')
    await until('some more', () => news.asked('/') > asked + 3)
    assert.match((await watches.all())[0]!.outcome, /^failed: (?:http-server-error|host-given-up)$/)
    Object.assign(pages, before, { '/more': { words: 'java again' } })
    await until('the host to be back', async () => (await notified()).length > 2)
    assert.equal((await notified()).at(-1), 'ann java /more changed')
  })
})

test('SIGTERM shuts down cleanly, and a restart continues', async () => {
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'java', links: ['/1', '/2', '/3'] },
    '/1': { words: 'java' },
    '/2': { words: 'java' },
    '/3': { words: 'java' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, end, checked, notified, annotations }) => {
    await put(profileOf('java', ann, [sourceOf(`${news.origin}/`, { depth: 1 })], { java: 1 }))
    begin()
    // Stop it during the first check.
    await until('a first page', () => news.answers.some(({ status }) => status === 200))
    await end()
    begin()
    await checked(2)
    assert.equal((await notified()).length, 4)
    for (const path of Object.keys(pages))
      assert.equal(news.answers.filter((answer) => answer.path === path && answer.status === 200).length, 1, path)
    await end()
    pages['/2']!.words = 'java while it was stopped'
    begin()
    await checked(1)
    const all = await annotations()
    assert.equal(all.length, 5)
    assert.deepEqual([all[4]!.kind, all[4]!.backlog], ['changed', false])
  })
})
