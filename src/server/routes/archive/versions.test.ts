import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { paths } from '../../../store/sqlite/folder/folder.ts'
import { ada, createKeptArchive, type KeptArchive } from './archive.testkit.ts'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 3])
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><text>drawn</text></svg>'
const attack = '<title>"><img src=x onerror=alert(1)></title><p>Grüße</p><script>alert(1)</script>'

const answers: Record<string, { body: string | Buffer; type: string; headers?: Record<string, string> }> = {
  '/attack': { body: attack, type: 'text/html; charset=utf-8' },
  '/latin': {
    body: Buffer.from('<meta charset="utf-16"><p>Grüße aus Köln</p>', 'latin1'),
    type: 'Text/HTML ;charset=ISO-8859-1',
  },
  '/own-word': { body: Buffer.from('<meta charset="windows-1253"><p>\xcd\xe5\xe1</p>', 'latin1'), type: 'text/html' },
  '/xhtml': { body: '<html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>', type: 'application/xhtml+xml' },
  '/json': { body: '{"a":"<script>alert(1)</script>"}', type: 'application/json' },
  '/feed': { body: '<rss><channel><title>feed</title></channel></rss>', type: 'application/rss+xml' },
  '/style': { body: 'p { color: red }', type: 'text/css' },
  '/code': { body: 'alert(1)', type: 'application/javascript' },
  '/drawing': { body: svg, type: 'image/svg+xml' },
  '/picture': { body: png, type: 'image/png' },
  '/report': { body: '%PDF-1.7 …', type: 'application/pdf' },
  '/word': { body: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 1]), type: 'application/msword' },
  '/odd': { body: '<script>alert(1)</script>', type: 'text/html"><script>alert(1)</script>' },
  '/many': { body: '<p>two types</p>', type: 'image/png, text/html' },
  '/%22%3Bfilename%3D%22evil.exe%0D%0ASet-Cookie%3A%20a%3Db': { body: png, type: 'application/x-thing' },
  '/..%2F..%2Fetc%2Fpasswd': { body: png, type: 'application/x-thing' },
  '/%E2%80%AEgnp.exe%CE%B1': { body: png, type: 'application/x-thing' },
  [`/${'long'.repeat(300)}`]: { body: png, type: 'application/x-thing' },
  '/leaving': { body: '<p>still here</p>', type: 'text/html' },
  '/damaged': { body: '<p>a body that will be damaged</p>', type: 'text/html' },
  '/cookies': {
    body: '<p>x</p>',
    type: 'text/html',
    headers: { 'set-cookie': 'theirs=1', 'x-frame-options': 'ALLOWALL' },
  },
}

describe('content of versions over HTTP', () => {
  let kept: KeptArchive
  const folder = mkdtempSync(join(tmpdir(), 'erace-types-'))

  before(async () => {
    const mime = join(folder, 'mime.types')
    writeFileSync(mime, '*/*')
    const pages = Object.entries(answers).map(([path, { body, type, headers }]) => {
      return [path, { body, headers: { ...headers, 'content-type': type } }] as const
    })
    kept = await createKeptArchive(
      Object.fromEntries(pages),
      {},
      {
        options: ['--mime', mime],
        change: (site) => site.set('/leaving', { status: 410, body: 'Gone' }, 0),
      },
    )
  })
  after(async () => {
    await kept.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function get(path: string, what = 'content', n = 1) {
    return kept.erace.as(ada).get(`/versions/${kept.versionOf(kept.url(path), n)}/${what}`)
  }

  test('all content is sandboxed, and headers of the original site are dropped', async () => {
    for (const path of Object.keys(answers)) {
      const answer = await get(path)
      assert.equal(answer.statusCode, 200, path)
      const policy = String(answer.headers['content-security-policy'])
      // Links in pages open in a new tab.
      const isPage = String(answer.headers['content-type']).startsWith('text/html')
      const popups = isPage ? ' allow-popups allow-popups-to-escape-sandbox' : ''
      assert.ok(policy.startsWith(`sandbox${popups}; default-src 'none'; `), path)
      assert.doesNotMatch(policy, /script|same-origin|forms|top-navigation|https?:/, path)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers['x-frame-options'], 'SAMEORIGIN')
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.match(String(answer.headers.etag), /^"\d+-inert"$/)
    }
  })

  test('only a few content types are displayed; others are downloads', async () => {
    const types: Record<string, string> = {
      '/attack': 'text/html; charset=utf-8',
      '/xhtml': 'text/html; charset=utf-8',
      '/json': 'text/plain; charset=utf-8',
      '/feed': 'text/plain; charset=utf-8',
      '/style': 'text/plain; charset=utf-8',
      '/code': 'text/plain; charset=utf-8',
      '/drawing': 'text/plain; charset=utf-8',
      '/picture': 'image/png',
      '/report': 'application/pdf',
      '/word': 'application/octet-stream',
    }
    for (const [path, type] of Object.entries(types)) {
      const { headers } = await get(path)
      assert.equal(headers['content-type'], type, path)
      assert.equal(headers['content-disposition'] !== undefined, type === 'application/octet-stream', path)
    }
    for (const path of ['/odd', '/many'])
      assert.match(
        String((await get(path)).headers['content-type']),
        /^(?:text\/(?:html|plain); charset=utf-8|image\/png|application\/octet-stream)$/,
      )
  })

  test('a page is served as UTF-8, regardless of its own encoding and declarations', async () => {
    const latin = await get('/latin')
    assert.match(latin.body, /Grüße aus Köln/)
    assert.equal(latin.headers['content-type'], 'text/html; charset=utf-8')
    assert.match((await get('/own-word')).body, /Νεα/)
    const text = await get('/latin', 'text')
    assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(text.body.trim(), 'Grüße aus Köln')
    assert.equal((await get('/picture', 'text')).statusCode, 404)
  })

  test('Markdown keeps text and structure, and no scripts', async () => {
    const page = await get('/attack', 'markdown')
    assert.equal(page.headers['content-type'], 'text/markdown; charset=utf-8')
    assert.equal(page.body, '# ">\\<img src=x onerror=alert(1)>\n\nGrüße\n')
    assert.match((await get('/json', 'markdown')).body, /^```json\n\{"a"/)
    assert.equal((await get('/latin', 'markdown?part=page')).body, 'Grüße aus Köln\n')
    assert.equal((await get('/latin', 'markdown?part=all')).statusCode, 400)
    for (const path of ['/picture', '/report']) assert.equal((await get(path, 'markdown')).statusCode, 404, path)
  })

  test('a download has the original bytes and a safe file name', async () => {
    for (const path of Object.keys(answers)) {
      const answer = await get(path, 'content?download')
      const { body } = answers[path]!
      assert.ok(answer.rawPayload.equals(Buffer.from(body)), path)
      assert.equal(answer.headers['content-type'], 'application/octet-stream')
      const disposition = String(answer.headers['content-disposition'])
      assert.match(disposition, /^attachment; filename="[^"\\/\r\n]{1,120}"(?:; filename\*=UTF-8''[\w.~%-]+)?$/, path)
      assert.doesNotMatch(decodeURIComponent(disposition.replace(/^.*''/, '')), /[\r\n\u202e/\\]/)
    }
    assert.match(String((await get('/attack', 'content?download')).headers['content-disposition']), /"attack\.html"/)
  })

  test('the version of a page that is gone answers 410 with the reason', async () => {
    const answer = await get('/leaving', 'content', 2)
    assert.deepEqual([answer.statusCode, answer.json().error.code], [410, 'body-gone'])
    assert.match(answer.json().error.message, /gone \(status 410\)/)
    assert.equal((await get('/leaving', 'content', 1)).statusCode, 200)
  })

  test('a deleted or lost body answers 410 with the reason', async () => {
    const id = kept.versionOf(kept.url('/style'), 1)
    const set = kept.erace.db.prepare('UPDATE versions SET body = ? WHERE id = ?')
    set.run('dropped', id)
    const dropped = await get('/style')
    assert.deepEqual([dropped.statusCode, dropped.json().error.code], [410, 'body-gone'])
    assert.match(dropped.json().error.message, /deleted to save space/)
    set.run('lost', id)
    assert.deepEqual(
      [(await get('/style', 'text')).statusCode, (await get('/style')).json().error.code],
      [410, 'record-damaged'],
    )
    set.run('kept', id)
    assert.equal((await get('/style')).statusCode, 200)
  })

  test('a damaged record is reported without revealing its location', async () => {
    const archive = paths.archive(kept.folder)
    for (const name of readdirSync(archive)) {
      const file = join(archive, name)
      const bytes = readFileSync(file)
      const at = bytes.indexOf('a body that will be damaged')
      if (at === -1) continue
      bytes.write('X', at)
      writeFileSync(file, bytes)
    }
    const id = kept.idOf(kept.url('/damaged'))
    const ways = [get('/damaged'), get('/damaged', 'text'), kept.erace.as(ada).get(`/documents/${id}/diff?from=1&to=1`)]
    for (const answer of await Promise.all(ways)) {
      assert.deepEqual([answer.statusCode, answer.json().error.code], [410, 'record-damaged'])
      assert.ok(!answer.body.includes(kept.folder))
    }
    assert.equal((await get('/attack')).statusCode, 200)
  })
})
