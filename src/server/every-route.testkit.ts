import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routesOf } from './route-list.testkit.ts'
import { ada, eve, type KeptArchive, root } from './routes/archive/archive.testkit.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Client = ReturnType<KeptArchive['erace']['nobody']>

/** A call of a route with something of Ada's, and what others get for it. */
type Sample = {
  url: string
  body?: unknown
  /**
   * `hers`: it names something of Ada's, and does not exist for anyone else, administrators included.
   * `own`: all users get their own; nothing of Ada's is in it.
   * `administration`: for administrators. `open`: for anyone.
   */
  kind: 'hers' | 'own' | 'administration' | 'open'
}

/** Ada's source is a whole host, including `/secret-plans`, for which she has an annotation. */
export type RoutesArchive = Pick<KeptArchive, 'erace' | 'url' | 'idOf' | 'versionOf' | 'close'>

export const secretPage = '<title>Secret plans</title><p>solar secret plans</p>'

/** On every engine: each route serves only the callers it is meant for. */
export function testEveryRoute(engine: string, create: () => Promise<RoutesArchive>): void {
  let kept: RoutesArchive
  let samples: Record<string, Sample>
  let secrets: string[]

  const profile = { name: 'x', sources: [{ uri: 'http://127.0.0.1:9/' }] }

  before(async () => {
    kept = await create()
    const { erace } = kept
    const her = erace.as(ada)
    const annotation = (await her.get('/annotations')).json().items[0].id as number
    const source = (await her.get('/sources')).json().items[0].id as number
    const token = (await her.post('/tokens', { name: 'her token' })).json().id as number
    const session = (await her.get('/sessions')).json().items[0].id as number
    const user = (await erace.as(root).get('/users')).json().items[0].id as number
    const url = kept.url('/secret-plans')
    const document = kept.idOf(url)
    const version = kept.versionOf(url, 1)
    await erace.stores.channels.add({
      ...{ id: 'c_ada', owner: ada, kind: 'feed', name: 'her feed', settings: {}, createdAt: 0 },
    })
    await erace.stores.deliveries.log({
      ...{ id: 'm_ada', kind: 'single', subject: 'Secret plans', annotations: [annotation], profiles: ['ada-news'] },
      ...{ leftOut: 0, createdAt: 1, channel: 'c_ada', owner: ada, state: 'failed', attempts: 1, at: 2, answer: 'no' },
    })
    const bank = { user: 'ada at the bank', password: 'her-password' }
    const credentials = (await her.post('/credentials', { name: 'her bank', kind: 'password', values: bank })).json().id
    secrets = [
      'her bank',
      'ada at the bank',
      'her-password',
      'secret-plans',
      'Secret plans',
      'ada-news',
      'her token',
      'her feed',
      ada,
    ]
    const hers = (of: string, body?: unknown): Sample => ({ url: of, body, kind: 'hers' })
    const own = (of: string, body?: unknown): Sample => ({ url: of, body, kind: 'own' })
    const administration = (of: string, body?: unknown): Sample => ({ url: of, body, kind: 'administration' })
    const open = (of: string, body?: unknown): Sample => ({ url: of, body, kind: 'open' })
    const at = encodeURIComponent(url)
    samples = {
      'GET /setup': open('/setup'),
      'POST /setup': open('/setup', { key: 'wrong', email: 'x@example.org', password: 'long enough' }),
      'POST /session': open('/session', { email: 'x@example.org', password: 'wrong one' }),
      'GET /openapi.json': open('/openapi.json'),
      'GET /session': own('/session'),
      'DELETE /session': own('/session'),
      'GET /sessions': own('/sessions'),
      'DELETE /sessions': own('/sessions'),
      'DELETE /sessions/:id': hers(`/sessions/${session}`),
      'GET /me': own('/me'),
      'PATCH /me': own('/me', { name: 'New name' }),
      'POST /me/password': own('/me/password', { current: 'wrong', password: 'long enough' }),
      'GET /tokens': own('/tokens'),
      'POST /tokens': own('/tokens', { name: 'one' }),
      'DELETE /tokens/:id': hers(`/tokens/${token}`),
      'GET /users': administration('/users'),
      'POST /users': administration('/users', { email: 'new@example.org', password: 'long enough' }),
      'GET /users/:id': administration(`/users/${user}`),
      'PATCH /users/:id': administration(`/users/${user}`, { level: 'gold' }),
      'DELETE /users/:id': administration('/users/999999'),
      'GET /profiles': own('/profiles'),
      'POST /profiles': own('/profiles', profile),
      'GET /profiles/:id': hers('/profiles/ada-news'),
      'PUT /profiles/:id': hers('/profiles/ada-news', profile),
      'DELETE /profiles/:id': hers('/profiles/ada-news'),
      'POST /profiles/preview': own('/profiles/preview', { sources: [{ uri: kept.url('/'), depth: 2 }] }),
      'GET /sources': own('/sources'),
      'PATCH /sources': own('/sources', { ids: [source], paused: true }),
      'DELETE /sources': own('/sources', { ids: [source] }),
      'GET /sources/:id': hers(`/sources/${source}`),
      'PATCH /sources/:id': hers(`/sources/${source}`, { paused: true }),
      'DELETE /sources/:id': hers(`/sources/${source}`),
      'POST /sources/check': own('/sources/check', { ids: [source] }),
      'POST /sources/:id/check': hers(`/sources/${source}/check`),
      'POST /sources/import': own('/sources/import', { text: 'http://127.0.0.1:9/imported' }),
      'POST /sources/try': own('/sources/try', { uri: 'http://127.0.0.1:9/' }),
      'GET /protocols': own('/protocols'),
      'GET /sources/export': own('/sources/export?format=list'),
      'GET /annotations': own('/annotations?state=all'),
      'GET /annotations/counts': own('/annotations/counts'),
      'PATCH /annotations': own('/annotations', { ids: [annotation], archived: true }),
      'GET /annotations/:id': hers(`/annotations/${annotation}`),
      'POST /annotations/:id/split': hers(`/annotations/${annotation}/split`, { url }),
      'PATCH /annotations/:id': hers(`/annotations/${annotation}`, { archived: true }),
      'GET /channel-kinds': own('/channel-kinds'),
      'GET /channels': own('/channels'),
      'POST /channels': own('/channels', { kind: 'feed', name: 'one' }),
      'GET /channels/:id': hers('/channels/c_ada'),
      'PATCH /channels/:id': hers('/channels/c_ada', { name: 'another name' }),
      'DELETE /channels/:id': hers('/channels/c_ada'),
      'POST /channels/:id/test': hers('/channels/c_ada/test'),
      'GET /channels/:id/next': hers('/channels/c_ada/next'),
      'GET /deliveries': own('/deliveries'),
      'POST /deliveries/:id/resend': hers('/deliveries/m_ada/resend'),
      'POST /channels/:id/renew': hers('/channels/c_ada/renew'),
      'GET /credentials': own('/credentials'),
      'POST /credentials': own('/credentials', { name: 'one', kind: 'bearer', values: { token: 'x' } }),
      'GET /credentials/:id': hers(`/credentials/${credentials}`),
      'PUT /credentials/:id': hers(`/credentials/${credentials}`, { kind: 'bearer', values: { token: 'x' } }),
      'DELETE /credentials/:id': hers(`/credentials/${credentials}`),
      'GET /documents': own(`/documents?url=${at}`),
      'GET /documents/:id': hers(`/documents/${document}`),
      'GET /documents/:id/versions': hers(`/documents/${document}/versions`),
      'GET /documents/:id/prices': hers(`/documents/${document}/prices`),
      'POST /documents/:id/select': hers(`/documents/${document}/select`, { select: ['p'] }),
      'GET /documents/:id/muted': hers(`/documents/${document}/muted`),
      'PATCH /documents/:id/muted/:block': hers(`/documents/${document}/muted/nothing`, { undone: 'you' }),
      'GET /documents/:id/diff': hers(`/documents/${document}/diff`),
      'GET /documents/:id/screenshots': hers(`/documents/${document}/screenshots`),
      'GET /documents/:id/screenshots/:picture': hers(`/documents/${document}/screenshots/after`),
      'GET /documents/:id/meta': hers(`/documents/${document}/meta`),
      'GET /documents/:id/links': hers(`/documents/${document}/links`),
      'GET /versions/:id': hers(`/versions/${version}`),
      'GET /versions/:id/content': hers(`/versions/${version}/content`),
      'GET /versions/:id/text': hers(`/versions/${version}/text`),
      'GET /versions/:id/markdown': hers(`/versions/${version}/markdown`),
      'GET /search': own('/search?q=secret'),
      'GET /explain': own('/explain?url=http%3A%2F%2Fwww.example.org%2F'),
      'GET /crawl': administration('/crawl'),
      'POST /crawl': administration('/crawl', { seeds: ['http://127.0.0.1:9/'] }),
      'GET /crawl/:id': administration('/crawl/999999'),
      'DELETE /crawl/:id': administration('/crawl/999999'),
      'GET /crawl/graph': administration('/crawl/graph'),
      'POST /crawl/set-aside/retry': administration('/crawl/set-aside/retry', {}),
      'GET /hosts': administration('/hosts'),
      'GET /nodes': administration('/nodes'),
      'PATCH /nodes/:id': administration('/nodes/nobody', { draining: true }),
      'PATCH /crawl': administration('/crawl', { paused: false }),
    }
  })
  after(() => kept.close())

  /** Streams never end, so they are excluded here. Their guard is the same as for all others; `events.test.ts` tests their content. */
  const streams = new Set(['GET /events'])

  const guarded = (): [string, Sample][] => Object.entries(samples).filter(([, { kind }]) => kind !== 'open')
  const methodOf = (name: string): Method => name.split(' ')[0] as Method

  function call(client: Client, name: string, { url, body }: Sample, headers: Record<string, string> = {}) {
    const payload = body as Record<string, unknown> | undefined
    switch (methodOf(name)) {
      case 'GET':
        return client.get(url, { headers })
      case 'POST':
        return client.post(url, payload, { headers })
      case 'PUT':
        return client.put(url, payload, { headers })
      case 'PATCH':
        return client.patch(url, payload, { headers })
      case 'DELETE':
        return client.delete(url, payload, { headers })
    }
  }

  describe(`every route on the ${engine} engine`, () => {
    test('is covered by these tests', () => {
      const names = routesOf(kept.erace.server)
        .filter(({ method, path }) => path.startsWith('/api/v1/') && method !== 'HEAD')
        .map(({ method, path }) => `${method} ${path.slice('/api/v1'.length)}`)
      assert.deepEqual(names.filter((name) => !streams.has(name)).sort(), Object.keys(samples).sort())
    })

    test('that requires a caller rejects anonymous requests and invalid tokens', async () => {
      for (const client of [
        kept.erace.nobody(),
        kept.erace.nobody({ authorization: 'Bearer erace_wrong' }),
        kept.erace.nobody({ cookie: 'erace_session=wrong' }),
      ])
        for (const [name, sample] of [
          ...guarded(),
          ['GET /events', { url: '/events', kind: 'own' }] as [string, Sample],
        ]) {
          const answer = await call(client, name, sample)
          assert.deepEqual([name, answer.statusCode, answer.json().error.code], [name, 401, 'not-signed-in'])
        }
    })

    test('that changes something rejects cross-site requests', async () => {
      const her = kept.erace.as(ada)
      for (const [name, sample] of Object.entries(samples)) {
        if (methodOf(name) === 'GET') continue
        for (const headers of [
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
          { origin: 'http://evil.example' },
        ]) {
          const answer = await call(her, name, sample, headers as Record<string, string>)
          assert.deepEqual([name, answer.statusCode, answer.json().error.code], [name, 403, 'cross-site'])
        }
      }
    })

    test("hides a user's data from other users and administrators, and lets neither change it", async () => {
      for (const email of [eve, root])
        for (const [name, sample] of guarded()) {
          if (email === root && sample.kind === 'administration') continue
          // A new session for each call, since some of them end it.
          const answer = await call(kept.erace.as(email), name, sample)
          const about = `${email} ${name} ${answer.statusCode} ${answer.payload.slice(0, 300)}`
          if (sample.kind === 'hers') assert.equal(answer.statusCode, 404, about)
          else if (sample.kind === 'administration') assert.equal(answer.statusCode, 403, about)
          else assert.ok(answer.statusCode < 500 && answer.statusCode !== 401 && answer.statusCode !== 403, about)
          for (const secret of secrets) assert.ok(!answer.payload.includes(secret), about)
        }
      const her = kept.erace.as(ada)
      for (const [name, sample] of guarded()) {
        if (methodOf(name) !== 'GET' || sample.kind !== 'hers') continue
        // Only these two fail: the document has a single version to compare, and no screenshot, since no browser has opened it.
        const answer = await call(her, name, sample)
        if (!/\/(?:diff|:picture)$/.test(name))
          assert.equal(answer.statusCode, 200, `${name} ${answer.payload.slice(0, 200)}`)
      }
      const [annotation] = (await her.get('/annotations?state=all')).json().items
      assert.equal(annotation.archived, false)
      const [source] = (await her.get('/sources')).json().items
      assert.deepEqual([source.paused, source.profile.id], [false, 'ada-news'])
    })

    test('that replays a page does so only for users who may see it', async () => {
      const url = kept.url('/secret-plans')
      for (const path of [`/web/2099/${url}`, `/web/2099if_/${url}`, `/web/*/${url}`, `/web/timemap/link/${url}`]) {
        const hers = await kept.erace.as(ada).get(path)
        assert.ok(hers.statusCode === 200 || hers.statusCode === 302, `${path} ${hers.payload.slice(0, 200)}`)
        for (const email of [eve, root]) {
          const { statusCode, payload } = await kept.erace.as(email).get(path)
          assert.equal(statusCode, 404, path)
          assert.doesNotMatch(payload, /solar|Secret plans/)
        }
      }
      assert.match((await kept.erace.as(ada).get(`/web/2099if_/${url}`)).payload, /solar secret plans/)
    })

    test('for administration requires an administrator, or a token of one with the admin scope', async () => {
      const administration = guarded().filter(([, { kind }]) => kind === 'administration')
      for (const [name, sample] of administration) {
        const answer = await call(kept.erace.as(root), name, sample)
        assert.ok(answer.statusCode < 300 || answer.statusCode === 404, `${name} ${answer.payload.slice(0, 300)}`)
        const weak = await call(kept.erace.asToken(root, ['read', 'write']), name, sample)
        assert.deepEqual([name, weak.statusCode], [name, 403])
        const foreign = await call(kept.erace.asToken(eve, ['admin']), name, sample)
        assert.deepEqual([name, foreign.statusCode], [name, 403])
      }
    })

    test('that changes something rejects read-only tokens', async () => {
      const token = kept.erace.asToken(ada, ['read'])
      for (const [name, sample] of guarded()) {
        // These store nothing; they use POST because their input is too long for a URL.
        if (methodOf(name) === 'GET' || ['POST /profiles/preview', 'POST /documents/:id/select'].includes(name))
          continue
        const answer = await call(token, name, sample)
        assert.deepEqual([name, answer.statusCode, answer.json().error.code], [name, 403, 'forbidden'])
      }
    })

    test('never answers invalid input with a server error', async () => {
      const her = kept.erace.as(ada)
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
      const bodies = ['', '{', 'null', '[]', '"text"', '{"a":1}', '{"__proto__":{"x":1}}', `{"sources":${deep}}`, deep]
      for (const [name, { url }] of Object.entries(samples)) {
        if (['GET', 'DELETE'].includes(methodOf(name))) continue
        for (const body of bodies) {
          const answer = await kept.erace.server.inject({
            method: methodOf(name),
            url: `/api/v1${url}`,
            headers: { 'content-type': 'application/json', cookie: await cookieOf(her) },
            payload: body,
          })
          assert.ok(answer.statusCode < 500, `${name} with ${body.slice(0, 40)}: ${answer.payload}`)
        }
      }
      for (const [name, { url }] of Object.entries(samples)) {
        if (methodOf(name) !== 'GET') continue
        for (const query of [
          'limit=x',
          'limit=-1',
          'limit=1e9',
          'cursor=nonsense',
          'cursor=bnVsbA',
          'cursor=W10',
          'from=0',
          'q=%00',
          'url=%ff',
          'state=x',
        ]) {
          const answer = await her.get(`${url}${url.includes('?') ? '&' : '?'}${query}`)
          assert.ok(answer.statusCode < 500, `${name} with ${query}: ${answer.payload}`)
        }
      }
    })
  })
}

async function cookieOf(client: Client): Promise<string> {
  const { headers } = (await client.get('/session')).raw.req
  return String(headers.cookie)
}
