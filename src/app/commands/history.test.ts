import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startErace } from '../../../test/kit/erace.ts'
import { runCrawl } from '../../../test/site/crawl-run.ts'
import { createSite, type Site } from '../../../test/site/site.ts'
import { readConfig } from '../../config/load-config.ts'
import type { CompareRequest } from '../../core/reports/history-report.ts'
import { diff, history, show } from './archive.ts'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])

const large = Array.from({ length: 60_000 }, (_, i) => `<p>line ${i}</p>\n`).join('')

function news(edition: number): string {
  const links =
    '<a href="/gone">g</a> <a href="/@user">u</a> <a href="/same">s</a> <a href="/picture">p</a> <a href="/?id=7">i</a> <a href="/large">l</a>'
  return `<title>News ${edition}</title><h1>News</h1><p>Edition ${edition} is out.</p><p>Steady words &lt;here&gt;.</p>${links}`
}

describe('reading archived pages', () => {
  let site: Site
  let target: Parameters<typeof history>[0]
  let betweenFirstAndSecond = ''
  const url = (path: string) => `${site.origin()}${path}`
  const compare = (changes: Partial<CompareRequest> = {}): CompareRequest => ({
    from: undefined,
    to: undefined,
    form: 'lines',
    context: 3,
    raw: false,
    ...changes,
  })

  before(async () => {
    site = await createSite({ pages: 0 })
    site.set('/gone', { body: '<p>Still here' })
    site.set('/@user', { body: '<p>The page of a user' })
    site.set('/same', { body: '<p>The page of a user', gzip: true, headers: { 'x-own': 'Grüße' } })
    site.set('/?id=7', { body: '<p>With a parameter' })
    site.set('/large', { body: large })
    site.set('/picture', { body: png, headers: { 'content-type': 'application/octet-stream' } })
    const settings = { crawl: { perHost: 1 } }
    site.set('/', { body: news(1), gzip: true, etag: '"1"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' })
    const { data } = await runCrawl([url('/')], { settings })
    betweenFirstAndSecond = new Date().toISOString()
    site.set('/', { body: news(2), gzip: true, etag: '"2"' })
    site.set('/gone', { status: 410, body: 'Gone' })
    await runCrawl([url('/')], { settings, data })
    site.set('/', { body: news(3) })
    await runCrawl([url('/')], { settings, data })
    const { config } = await readConfig({ file: undefined, cwd: data, env: {}, overrides: [] })
    target = { dataDir: data, store: null, config }
  })
  after(() => site.close())

  test('the history lists all versions with their details', async () => {
    const { versions, more, url: named, outcome } = await history(target, url('/'), { limit: 50, changes: true })
    assert.deepEqual([named, outcome, more], [url('/'), 'stored', 0])
    assert.deepEqual(
      versions.map(({ n, reason, status, title, etag, body, links }) => [n, reason, status, title, etag, body, links]),
      [
        [1, 'new', 200, 'News 1', '"1"', 'kept', 6],
        [2, 'changed', 200, 'News 2', '"2"', 'kept', 6],
        [3, 'changed', 200, 'News 3', '', 'kept', 6],
      ],
    )
    assert.equal(versions[0]!.lastModified, 'Thu, 01 Jan 2026 00:00:00 GMT')
    assert.equal(versions[0]!.size, news(1).length)
    assert.match(versions[0]!.digest, /^sha256:[A-Z2-7]{52}====$/)
    assert.match(versions[0]!.textDigest!, /^[0-9a-f]{32}$/)
    assert.equal(versions[0]!.address, '127.0.0.1')
    assert.ok(versions[0]!.firstSeenAt < versions[1]!.firstSeenAt)
    assert.equal(versions[0]!.changes, null)
    assert.equal(versions[1]!.changes!.added, versions[1]!.changes!.removed)
    assert.ok(versions[1]!.changes!.passages.includes('2'))
  })

  test('a limited history lists the newest versions, and the number of older ones', async () => {
    const { versions, more } = await history(target, url('/'), { limit: 1, changes: true })
    assert.deepEqual([versions.length, versions[0]!.n, more], [1, 3, 2])
    assert.ok(versions[0]!.changes!.passages.includes('3'))
  })

  test('finds a version by number, by time, and by @first or @last', async () => {
    for (const [choice, n] of [
      ['', 3],
      ['@2', 2],
      ['@first', 1],
      ['@last', 3],
      [`@${betweenFirstAndSecond}`, 1],
      ['@2999-01-01', 3],
    ] as const) {
      const { version, content } = await show(target, `${url('/')}${choice}`)
      assert.equal(version.n, n, choice)
      assert.ok(content.kind === 'body')
      assert.equal(content.bytes.toString(), news(n))
      assert.equal(content.source, news(n))
    }
  })

  test('accepts equivalent spellings of a URL, also without its scheme', async () => {
    const bare = url('/').replace('http://', '')
    for (const address of [bare, `${bare}@2`, `${url('/')}#part`, `${url('/')}?utm_source=x`, url('')]) {
      assert.equal((await show(target, address)).url, url('/'), address)
    }
    assert.equal((await show(target, `${url('/')}#part@2`)).version.n, 2)
    assert.equal((await show(target, `${url('/?id=7')}@1`)).url, url('/?id=7'))
  })

  test('does not mistake an @ in a URL for a version', async () => {
    assert.equal((await show(target, url('/@user'))).url, url('/@user'))
    assert.equal((await show(target, `${url('/@user')}@1`)).url, url('/@user'))
  })

  test('shows the text, header and links of a version', async () => {
    const { text, header, links } = await show(target, `${url('/')}@1`)
    assert.match(text!, /^News 1\nNews\nEdition 1 is out\.\nSteady words <here>\./)
    assert.match(header, /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*content-encoding: gzip\r\n/i)
    assert.deepEqual(links.slice(0, 2), [url('/gone'), url('/@user')])
  })

  test('shows a body stored under another URL with the header of the requested URL', async () => {
    const { content, header, url: named } = await show(target, url('/same'))
    assert.equal(named, url('/same'))
    assert.ok(content.kind === 'body')
    assert.equal(content.bytes.toString(), '<p>The page of a user')
    assert.match(header, /x-own: Grüße\r\n/i)
  })

  test('reports a document as gone, and keeps its earlier versions', async () => {
    const { version, content } = await show(target, url('/gone'))
    assert.deepEqual([version.reason, version.status, content], ['gone', 410, { kind: 'absent', why: 'gone' }])
    const { content: earlier } = await show(target, `${url('/gone')}@1`)
    assert.ok(earlier.kind === 'body')
    const { versions } = await history(target, url('/gone'), { limit: 50, changes: true })
    assert.deepEqual(
      versions.map(({ n, reason }) => [n, reason]),
      [
        [1, 'new'],
        [2, 'gone'],
      ],
    )
    const { from, to, equal } = await diff(target, url('/gone'), compare())
    assert.deepEqual([from.n, to.n, equal], [1, 1, true])
    const gone = { code: 'not-found', message: /version 2 of .* is gone/ }
    await assert.rejects(diff(target, url('/gone'), compare({ from: '1', to: '2' })), gone)
  })

  test('a diff compares the last two versions, or the given ones', async () => {
    const last = await diff(target, url('/'), compare())
    assert.deepEqual([last.from.n, last.to.n, last.equal, last.coarse], [2, 3, false, false])
    assert.deepEqual(last.words, { added: 2, removed: 2 })
    assert.deepEqual(last.hunks[0]!.pieces.slice(0, 2), [
      { kind: 'removed', text: 'News 2' },
      { kind: 'added', text: 'News 3' },
    ])
    const one = await diff(target, url('/'), compare({ from: '1', form: 'words' }))
    assert.deepEqual([one.from.n, one.to.n], [1, 3])
    assert.deepEqual(one.hunks[0]!.pieces.slice(0, 3), [
      { kind: 'same', text: 'News ' },
      { kind: 'removed', text: '1' },
      { kind: 'added', text: '3' },
    ])
    const two = await diff(target, url('/'), compare({ from: 'last', to: betweenFirstAndSecond, raw: true }))
    assert.deepEqual([two.from.n, two.to.n, two.compared], [3, 1, 'source'])
    assert.match(two.hunks[0]!.pieces[0]!.text, /^<title>News 3<\/title>/)
  })

  test('a large body is written completely to a pipe', async () => {
    const { exitCode, stdout } = await startErace(['show', url('/large'), '--data', target.dataDir]).ended
    assert.equal(exitCode, 0)
    assert.ok(stdout === large)
  })

  test('reports a missing version together with the existing ones', async () => {
    for (const [address, message] of [
      ['/absent', /\/absent is not in the archive; archived from that host: http:.*\/ /],
      ['/@9', /has no version 9; there are versions 1 to 3$/],
      ['/@2001-01-01', /had no version at that time; version 1 dates from 20/],
    ] as const) {
      await assert.rejects(show(target, url(address)), { code: 'not-found', message }, address)
    }
    await assert.rejects(history(target, 'http://other.example/', { limit: 1, changes: false }), {
      code: 'not-found',
      message: 'http://other.example/ is not in the archive',
    })
    await assert.rejects(history(target, 'http://[', { limit: 1, changes: false }), { code: 'not-found' })
    await assert.rejects(diff(target, url('/'), compare({ from: 'yesterday' })), { code: 'usage-wrong' })
    await assert.rejects(show(target, url('/picture')), {
      code: 'not-found',
      message: /no version of .*\/picture is kept; outcome of the last request: skipped with status 200/,
    })
    await assert.rejects(show({ ...target, dataDir: `${target.dataDir}-other` }, url('/')), { code: 'store-missing' })
  })
})
