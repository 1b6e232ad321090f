import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ada, createKeptArchive, eve, type KeptArchive } from '../archive/archive.testkit.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const html = (body: string) => ({ body, headers: { 'content-type': 'text/html; charset=utf-8' } })

describe('replay over HTTP', () => {
  let kept: KeptArchive
  const folder = mkdtempSync(join(tmpdir(), 'erace-types-'))

  before(async () => {
    const mime = join(folder, 'mime.types')
    writeFileSync(mime, '*/*')
    kept = await createKeptArchive(
      {
        '/page': html(
          `<title>A page</title><link rel=stylesheet href="/style"><link rel=stylesheet href="http://third.example/x.css"><script>alert(1)</script>
          <p>Kept</p><img src="/dot" alt=dot><img src="http://third.example/y.png"><a href="/other?a=1&amp;b=2#c">other</a> <a href="#below">below</a>
          <a href="mailto:ada@example.org">mail</a><a href="javascript:alert(1)">bad</a><form action=/x><input name=q></form><a href="/style"></a><a href="/dot"></a>`,
        ),
        '/style': {
          body: '@import "sub/more" screen;p{color:red;background:url(dot)}@import "http://third.example/z.css";',
          headers: { 'content-type': 'text/css' },
        },
        '/sub/more': {
          body: '@import url("http://third.example/y.css");@import "../style";i{background:url(../dot)}@font-face{font-family:k;src:url(/font) format("woff2")}',
          headers: { 'content-type': 'text/css' },
        },
        '/font': { body: 'wOF2 and more', headers: { 'content-type': 'application/octet-stream' } },
        '/dot': { body: png, headers: { 'content-type': 'image/png' } },
        '/other?a=1&b=2': html('<p>other</p>'),
        '/caf%E9': html('<p>latin</p>'),
        '/thing': { body: Buffer.from([0, 1, 2]), headers: { 'content-type': 'application/x-thing' } },
        '/leaving': html('<p>still here</p>'),
      },
      { '/secret': html('<p>Confidential</p>') },
      { options: ['--mime', mime], change: (site) => site.set('/leaving', { status: 410, body: 'Gone' }, 0) },
    )
    // Both crawls may be in the same second, and times of captures are in seconds.
    kept.erace.db.exec('UPDATE versions SET at = at - 60000, seen_at = seen_at - 60000 WHERE n = 1')
  })
  after(async () => {
    await kept.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = (path: string, headers: Record<string, string> = {}, email: string | null = ada) => {
    const client = email === null ? kept.erace.nobody(headers) : kept.erace.as(email)
    return client.get(path, { headers })
  }
  const digits = async (url: string, n: number) => {
    const version = await kept.erace.stores.versions.version(kept.versionOf(url, n))
    return new Date(version!.firstSeenAt).toISOString().replace(/\D/g, '').slice(0, 14)
  }

  test('redirects any time to the capture current then, shown with a banner and links to its neighbours', async () => {
    const url = kept.url('/')
    const [first, second] = [await digits(url, 1), await digits(url, 2)]
    for (const [time, to] of [
      ['1999', first],
      ['2099', second],
      ['', second],
    ]) {
      const answer = await get(`/web/${time}${time === '' ? '' : '/'}${url}`)
      assert.deepEqual([answer.statusCode, answer.headers.location], [302, `/web/${to}/${url}`])
    }
    const page = await get(`/web/${first}/${url}`)
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /<header><p>Captured <strong>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC</)
    assert.ok(page.body.includes(`src="/web/${first}if_/${url}"`))
    assert.ok(page.body.includes(`href="/documents/${kept.idOf(url)}"`))
    assert.ok(page.body.includes(`<a href="/web/${second}/${url}">Next →</a>`))
    assert.doesNotMatch(page.body, /Previous<\/a>/)
    const newest = await get(`/web/${second}/${url}`)
    assert.ok(newest.body.includes(`<a href="/web/${first}/${url}">← Previous</a>`))
    assert.doesNotMatch(newest.body, /Next →<\/a>/)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; frame-src 'self'; /)
    assert.doesNotMatch(policy, /script|unsafe/)
    assert.match(String(page.headers['memento-datetime']), / GMT$/)
    assert.match(String(page.headers.link), /rel="original".*rel="timegate".*rel="timemap"/)
  })

  test('the frame inlines archived styles and images, and its links stay in the archive', async () => {
    const url = kept.url('/page')
    const time = await digits(url, 1)
    const { body, headers } = await get(`/web/${time}if_/${url}`)
    const dot = `data:image/png;base64,${png.toString('base64')}`
    const font = `data:font/woff2;base64,${Buffer.from('wOF2 and more').toString('base64')}`
    const face = `@font-face{font-family:k;src:url("${font}") format("woff2")}`
    assert.ok(body.includes(`i{background:url("${dot}")}${face}}p{color:red;background:url("${dot}")}`), body)
    assert.match(body, /<style>@media screen\{ @media/)
    assert.ok(body.includes(`<img alt="dot" src="${dot}">`))
    assert.ok(body.includes(`href="/web/${time}/${kept.url('/other?a=1&amp;b=2#c')}" target="_top"`))
    assert.match(body, /<a href="#below">/)
    assert.match(body, /href="\/leave#mailto%3Aada%40example.org"/)
    assert.doesNotMatch(body, /third|script|<form|<link|@import/)
    assert.match(
      String(headers['content-security-policy']),
      /^sandbox allow-top-navigation-by-user-activation; default-src 'none'; /,
    )
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN')
  })

  test('serves URLs of any encoding, and content other than pages', async () => {
    for (const [path, type] of [
      ['/caf%E9', 'text/html; charset=utf-8'],
      ['/dot', 'image/png'],
      ['/style', 'text/plain; charset=utf-8'],
      ['/thing', 'application/octet-stream'],
      ['/other?a=1&b=2', 'text/html; charset=utf-8'],
    ] as const) {
      const url = kept.url(path)
      const answer = await get(`/web/${await digits(url, 1)}if_/${url}`)
      assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, type], path)
      assert.equal((await get(`/web/${await digits(url, 1)}/${url}`)).statusCode, 200, path)
    }
  })

  test('a page that was gone says so and links to earlier captures, which are also listed', async () => {
    const url = kept.url('/leaving')
    const gone = await get(`/web/${await digits(url, 2)}/${url}`)
    assert.ok(gone.body.includes(`<a href="/web/${await digits(url, 1)}/${url}">← Previous</a>`))
    assert.equal(gone.statusCode, 404)
    assert.match(gone.body, /The page was gone \(status 410\)/)
    assert.doesNotMatch(gone.body, /<iframe/)
    assert.equal((await get(`/web/${await digits(url, 2)}if_/${url}`)).statusCode, 410)
    const list = await get(`/web/*/${url}`)
    assert.equal(list.body.match(/<tr><td>/g)?.length, 2)
    const map = await get(`/web/timemap/link/${url}`)
    assert.equal(map.headers['content-type'], 'application/link-format')
    assert.equal(map.body.match(/rel="memento"/g)?.length, 2)
  })

  test('answers 404 for pages that the caller may not see', async () => {
    const secret = kept.url('/secret', 1)
    for (const [email, url] of [
      [ada, secret],
      [eve, secret],
      [eve, kept.url('/page')],
      [ada, 'https://none.example/"><script>x</script>'],
    ] as const)
      for (const path of [
        `/web/2099/${url}`,
        `/web/${url}`,
        `/web/*/${url}`,
        `/web/2099if_/${url}`,
        `/web/timemap/link/${url}`,
      ]) {
        const answer = await get(path, {}, email)
        assert.equal(answer.statusCode, 404, path)
        assert.doesNotMatch(answer.body, /Confidential|Kept|<script/)
      }
  })

  test('redirects to sign-in without a session, or reloads itself after a cross-site navigation', async () => {
    const path = `/web/2099/${kept.url('/page')}`
    const away = await get(path, {}, null)
    assert.deepEqual([away.statusCode, away.headers.location], [302, `/sign-in?next=${encodeURIComponent(path)}`])
    const followed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const again = await get(`${path}?"><b>`, { ...followed, 'sec-fetch-site': 'cross-site' }, null)
    assert.ok(again.body.includes(`content="0;url=${path}?`))
    assert.doesNotMatch(again.body, /<b>/)
    assert.equal((await get(path, { ...followed, 'sec-fetch-site': 'same-origin' }, null)).statusCode, 302)
    assert.equal((await get(path, { authorization: 'Bearer erace_wrong' }, null)).statusCode, 401)
  })

  test('refuses invalid times and URLs', async () => {
    for (const path of [
      '/web/',
      '/web/2026',
      '/web/20261399/https://a.example/',
      `/web/2026/https://a.example/${'x'.repeat(9000)}`,
    ])
      assert.equal((await get(path)).statusCode, 400, path.slice(0, 60))
    assert.equal((await get('/web/..%2F..%2Fetc%2Fpasswd')).statusCode, 400)
  })
})
