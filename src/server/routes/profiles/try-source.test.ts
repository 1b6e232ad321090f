import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openReach } from '../../../app/trying.ts'
import { configOf } from '../../../config/load-config.ts'
import { systemClock } from '../../../core/clock.ts'
import { partDefaults, type Source } from '../../../core/profile.ts'
import { credentialsId } from '../../../core/url/access.ts'
import { startVsftpd, vsftpdSkip } from '../../../fetchers/files/vsftpd.testkit.ts'
import { createTrySource } from '../../../services/sources/trying/try-source.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'

const ann = 'ann@example.org'
const eve = 'eve@example.org'
const allow = { 'network.allow': ['127.0.0.0/8', '::1'] }

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
${Array.from({ length: 25 }, (_, n) => `<item><title>Entry ${n}</title><link>/entries/${n}</link></item>`).join('\n')}
</channel></rss>`

const answers: Record<string, RequestListener> = {
  '/robots.txt': (_, response) => response.end('User-agent: *\nDisallow: /private'),
  '/': (_, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<title>Shop</title><p>Kettle</p><p class="price">39.90</p><footer>Visitor 4711</footer>'),
  '/blog': (_, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<title>Blog</title><link rel="alternate" type="application/rss+xml" title="All posts" href="/feed">'),
  '/feed': (_, response) => response.setHeader('content-type', 'application/rss+xml').end(feed),
  '/moved': (_, response) => response.writeHead(302, { location: '/' }).end(),
  '/signed-in': (request, response) => {
    const isAnn = request.headers.authorization === `Basic ${Buffer.from('ann:right').toString('base64')}`
    response.writeHead(isAnn ? 200 : 401, { 'content-type': 'text/plain' }).end(isAnn ? 'hello ann' : '')
  },
  '/long': (_, response) => response.setHeader('content-type', 'text/plain').end('word '.repeat(1_000_000)),
  '/private': (_, response) => response.end('private'),
  '/search?q=green%20tea%20cup': (_, response) => response.setHeader('content-type', 'text/plain').end('one result'),
}

describe('trying a source', () => {
  let server: TestServer
  let folder: string
  let port: number
  const hits: string[] = []
  const origin = createServer((request, response) => {
    hits.push(request.url!)
    const answer = Object.hasOwn(answers, request.url!) ? answers[request.url!] : undefined
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'erace-try-'))
    await mkdir(join(folder, 'reports'))
    await writeFile(join(folder, 'notes.txt'), 'remember the kettle')
    await symlink('/etc', join(folder, 'out'))
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
    ;({ port } = origin.address() as AddressInfo)
    server = await createTestServer({ settings: { ...allow, 'files.roots': [folder] } })
    await server.addUser(ann)
    await server.addUser(eve)
  })
  after(async () => {
    await server.close()
    origin.close()
    await rm(folder, { recursive: true })
  })

  /** Uses a new user each time, to stay below the limits. */
  let users = 0
  async function tryIt(source: Record<string, unknown>) {
    const email = `user${++users}@example.org`
    await server.addUser(email)
    return server.as(email).post('/sources/try', source)
  }

  const at = (path: string) => `http://127.0.0.1:${port}${path}`

  test('shows the text of a page, or of the selected parts', async () => {
    const whole = (await tryIt({ uri: at('/') })).json()
    assert.deepEqual(
      [whole.kind, whole.title, whole.text, whole.url],
      ['page', 'Shop', 'Shop\nKettle\n39.90\nVisitor 4711', at('/')],
    )
    assert.equal((await tryIt({ uri: at('/'), select: ['.price'] })).json().text, '39.90')
    assert.equal((await tryIt({ uri: at('/'), omit: ['footer'] })).json().text, 'Shop\nKettle\n39.90')
    const none = (await tryIt({ uri: at('/'), select: ['.nothing'] })).json()
    assert.deepEqual([none.text, none.left], ['', 'The selectors match nothing in it.'])
  })

  test('fills keywords into a URL with {keywords}', async () => {
    const found = (await tryIt({ uri: at('/search?q={keywords}'), keywords: ['green tea', 'cup'] })).json()
    assert.deepEqual([found.url, found.text], [at('/search?q=green%20tea%20cup'), 'one result'])
    const without = await tryIt({ uri: at('/search?q={keywords}') })
    assert.equal(without.statusCode, 400)
    assert.deepEqual(
      without.json().error.details.map(({ place }: { place: string }) => place),
      ['uri'],
    )
    const wrong = await tryIt({ uri: at('/'), keywords: [{ key: 'tea' }] })
    assert.deepEqual(
      wrong.json().error.details.map(({ place }: { place: string }) => place),
      ['keywords[0]'],
    )
  })

  test('shows the target of a redirect, and that a long page was cut', async () => {
    assert.equal((await tryIt({ uri: at('/moved') })).json().url, at('/'))
    const long = (await tryIt({ uri: at('/long') })).json()
    assert.deepEqual([long.text.length, long.left], [2000, 'It is long: only its beginning was read.'])
  })

  test('shows the first entries of a feed', async () => {
    const { kind, title, items, count, more } = (await tryIt({ uri: at('/feed') })).json()
    assert.deepEqual([kind, title, items.length, count, more], ['feed', 'News', 20, 25, true])
    assert.deepEqual(items[0], { name: 'Entry 0', url: at('/entries/0') })
  })

  test('shows the feeds that a page links to', async () => {
    assert.deepEqual((await tryIt({ uri: at('/blog') })).json().feeds, [{ title: 'All posts', url: at('/feed') }])
  })

  test('lists a folder, and shows the text of a file', async () => {
    const list = (await tryIt({ uri: pathToFileURL(`${folder}/`).href })).json()
    assert.equal(list.kind, 'list', JSON.stringify(list))
    assert.deepEqual(
      list.items.map(({ name, type }: { name: string; type?: string }) => [name.replace(/\/$/, ''), type]),
      [
        ['reports', 'list'],
        ['notes.txt', undefined],
      ],
    )
    const file = (await tryIt({ uri: pathToFileURL(join(folder, 'notes.txt')).href })).json()
    assert.deepEqual([file.kind, file.title, file.text], ['page', 'notes.txt', 'remember the kettle'])
  })

  test('reports failures with a code, the field and a message', async () => {
    const failed = async (source: Record<string, unknown>) => {
      const answer = await tryIt(source)
      assert.equal(answer.statusCode, 200, answer.body)
      const { kind, code, field, message } = answer.json()
      assert.equal(kind, 'failed')
      return [code, field, message]
    }
    assert.deepEqual(await failed({ uri: at('/none') }), [
      ...['not-found', 'uri', 'There is no such page (status 404). Check the address.'],
    ])
    const [robots, , words] = await failed({ uri: at('/private') })
    assert.deepEqual([robots, hits.includes('/private')], ['blocked-by-robots', false])
    assert.match(words, /robots\.txt of 127\.0\.0\.1:\d+ doesn't allow/)
    const [, field, why] = await failed({ uri: at('/signed-in') })
    assert.deepEqual([field, why], ['credentials', 'Sign-in failed: the page requires signing in (status 401).'])
    assert.equal((await failed({ uri: 'http://10.0.0.1/' }))[0], 'address-refused')
    assert.equal((await failed({ uri: 'http://nowhere.invalid/' }))[0], 'dns-not-found')
    assert.equal((await failed({ uri: pathToFileURL(join(folder, 'out/passwd')).href }))[0], 'file-refused')
  })

  test('validates the source like that of a profile', async () => {
    const wrong = async (source: Record<string, unknown>): Promise<string[]> => {
      const answer = await tryIt(source)
      assert.equal(answer.statusCode, 400, answer.body)
      return answer.json().error.details.map(({ place }: { place: string }) => place)
    }
    assert.deepEqual(await wrong({}), ['uri'])
    assert.deepEqual(await wrong({ uri: 'nonsense', depth: -1 }), ['uri', 'depth'])
    assert.deepEqual(await wrong({ uri: 'http://ann:right@127.0.0.1/' }), ['uri'])
    assert.deepEqual(await wrong({ uri: 'file:///x', render: 'browser' }), ['render'])
    assert.deepEqual(await wrong({ uri: at('/'), method: 'push' }), ['method'])
    assert.deepEqual(await wrong({ uri: at('/'), select: ['p['] }), ['select[0]'])
    assert.deepEqual(await wrong({ uri: at('/'), colour: 'red' }), ['colour'])
    assert.deepEqual(await wrong({ uri: at('/#!dance=1'), render: 'browser' }), ['uri'])
    assert.deepEqual(await wrong({ uri: at('/'), credentials: "another user's" }), ['credentials'])
    assert.deepEqual(await wrong({ uri: 'file:///etc/passwd' }), ['uri'])
    assert.deepEqual(await wrong({ uri: 'wais://x.example/' }), ['uri'])
  })

  test('uses stored credentials of the caller, and not those of others', async () => {
    const [her, him] = ['her@example.org', 'him@example.org']
    for (const email of [her, him]) await server.addUser(email)
    const values = { user: 'ann', password: 'right' }
    const stored = await server.as(her).post('/credentials', { name: 'shop', kind: 'password', values })
    assert.equal(stored.statusCode, 201, stored.body)
    const source = { uri: at('/signed-in'), credentials: 'shop' }
    assert.equal((await server.as(her).post('/sources/try', source)).json().text, 'hello ann')
    const refused = await server.as(him).post('/sources/try', source)
    assert.deepEqual([refused.statusCode, refused.json().error.details[0].place], [400, 'credentials'])
  })

  test('is limited to one at a time and ten per minute for each account', async () => {
    const release: (() => void)[] = []
    const asked = new Promise<void>((resolve) => {
      answers['/slow'] = (_, response) => {
        release.push(() => response.end('late'))
        resolve()
      }
    })
    const her = server.as(ann)
    const first = her.post('/sources/try', { uri: at('/slow') })
    await asked
    const second = await her.post('/sources/try', { uri: at('/') })
    assert.deepEqual([second.statusCode, second.json().error.code], [429, 'too-many-tries'])
    release[0]!()
    assert.equal((await first).statusCode, 200)
    const codes: number[] = []
    for (let n = 0; n < 10; n++) codes.push((await her.post('/sources/try', { uri: at('/none') })).statusCode)
    assert.deepEqual([codes.at(0), codes.at(-1)], [200, 429])
    assert.equal((await server.as(eve).post('/sources/try', { uri: at('/') })).statusCode, 200)
  })
})

describe('createTrySource', () => {
  const source = (uri: string, credentials: string): Source => ({
    ...{ uri, everyMs: 1, everyMaxMs: 1, depth: 0, scope: { kind: 'page' }, process: 'track', window: null },
    ...{ ...partDefaults, credentials },
  })
  const kept = new Map([
    [credentialsId(ann, 'right'), { kind: 'password', user: 'ann', password: 'right' }],
    [credentialsId(ann, 'wrong'), { kind: 'password', user: 'ann', password: 'hunter2' }],
  ])
  const config = configOf(allow)
  const clock = systemClock
  const trySource = createTrySource({
    openSecret: async (id) => kept.get(id) ?? null,
    clock,
    openReach: () => openReach({ config, clock }),
  })

  test('uses only credentials of the owner, and does not send them to another origin', async () => {
    const elsewhere: (string | undefined)[] = []
    const other = createServer((request, response) => {
      elsewhere.push(request.headers.authorization)
      response.setHeader('content-type', 'text/plain').end('elsewhere')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const otherPort = (other.address() as AddressInfo).port
    const origin = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.1:${otherPort}/` }).end()
      else if (request.url === '/robots.txt') response.writeHead(404).end()
      else answers['/signed-in']!(request, response)
    })
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
    const uri = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`
    try {
      const read = await trySource(ann, source(uri, 'right'))
      assert.equal(read.kind === 'failed' ? read.message : read.text, 'hello ann')
      for (const [owner, name] of [
        [ann, 'wrong'],
        [eve, 'right'],
      ] as const) {
        const failed = await trySource(owner, source(uri, name))
        assert.deepEqual(failed.kind === 'failed' && [failed.code, failed.field], ['sign-in-failed', 'credentials'])
        assert.doesNotMatch(JSON.stringify(failed), /hunter2/)
      }
      await trySource(ann, source(`${uri}away`, 'right'))
      assert.deepEqual(new Set(elsewhere), new Set([undefined]))
    } finally {
      origin.close()
      other.close()
    }
  })

  test('times out, and then allows another try', async () => {
    const origin = createServer(() => {})
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
    const uri = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`
    const hasty = createTrySource({
      ...{ openSecret: async () => null, clock, limits: { timeMs: 200 } },
      openReach: () => openReach({ config, clock }),
    })
    try {
      for (let n = 0; n < 2; n++) {
        const failed = await hasty(ann, source(uri, ''))
        assert.equal(failed.kind === 'failed' && failed.code, 'total-timeout')
      }
    } finally {
      origin.closeAllConnections()
      origin.close()
    }
  })

  test('reports a missing browser', async () => {
    const without = configOf({ ...allow, 'browser.executable': '/nowhere/chromium', 'crawl.respectRobots': false })
    const tryWithout = createTrySource({
      ...{ openSecret: async () => null, clock },
      openReach: () => openReach({ config: without, clock }),
    })
    const failed = await tryWithout(ann, { ...source('http://127.0.0.1:9/', ''), render: 'browser' })
    assert.deepEqual(failed.kind === 'failed' && [failed.code, failed.field], ['browser-missing', 'render'])
  })

  test('reports a failed FTP sign-in without revealing the password', { skip: vsftpdSkip }, async () => {
    const ftp = await startVsftpd({ password: 'right' })
    try {
      const failed = await trySource(ann, source(`ftp://127.0.0.1:${ftp.port}/`, 'wrong'))
      assert.deepEqual(failed.kind === 'failed' && [failed.code, failed.field], ['sign-in-failed', 'credentials'])
      assert.match(failed.kind === 'failed' ? failed.message : '', /^Sign-in failed/)
      assert.doesNotMatch(JSON.stringify(failed), /hunter2/)
    } finally {
      await ftp.close()
    }
  })
})
