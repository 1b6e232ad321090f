import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSqliteInbox } from '../../../store/sqlite/inbox/inbox.ts'
import { annotate, withServer } from '../inbox/inbox.testkit.ts'

const ada = 'ada@example.org'
const bob = 'bob@example.org'
const asXml = { headers: { accept: 'application/xml' } }
const xmlBody = { headers: { 'content-type': 'application/xml' } }

const javaResearch = {
  name: 'Java research',
  sources: [
    { uri: 'http://www.cs.ucy.ac.cy/default.html', every: '10m', depth: 4, scope: 'host', process: 'filter' },
    { uri: 'https://example.org/news?a=1', every: '1h', everyMax: '1d', scope: 'a|b', window: { from: '08:00' } },
  ],
  interests: {
    keywords: [{ key: 'ibm', weight: 3 }, 'research <&> "more"'],
    exclude: ['job advert'],
    threshold: 4,
  },
  urgency: 2,
}
const one = { name: 'One', sources: [{ uri: 'https://example.org/' }] }

describe('profiles', () => {
  test(
    'are created, read, replaced and deleted',
    withServer(async (server) => {
      const user = server.as(ada)
      const made = await user.post('/profiles', javaResearch)
      assert.equal(made.statusCode, 201)
      const { id } = made.json()
      assert.equal(made.headers.location, `/api/v1/profiles/${id}`)
      assert.equal((await server.stores.profiles.urdsOf(id)).length, 2)
      const read = await user.get(`/profiles/${id}`)
      assert.deepEqual(read.json(), made.json())
      assert.equal(read.json().owner, undefined)
      assert.deepEqual(read.json().sources[1].window, {
        zone: 'UTC',
        days: [1, 2, 3, 4, 5, 6, 7],
        from: '08:00',
        to: read.json().sources[1].window.to,
      })
      const put = await user.put(`/profiles/${id}`, { ...read.json<object>(), name: 'Other', paused: true })
      assert.deepEqual([put.statusCode, put.json().name, put.json().paused], [200, 'Other', true])
      assert.deepEqual((await user.get('/profiles')).json(), { items: [put.json()], next: null })
      assert.equal((await user.delete(`/profiles/${id}`)).statusCode, 204)
      assert.equal((await user.get(`/profiles/${id}`)).statusCode, 404)
      assert.equal((await user.delete(`/profiles/${id}`)).statusCode, 404)
    }),
  )

  test(
    'keep {keywords} in a source URL as written, and watch the URL with the keywords filled in',
    withServer(async (server) => {
      const user = server.as(ada)
      const uri = 'https://example.org/search?q={keywords}'
      const watched = async () => (await user.get('/sources')).json().items.map((source: { uri: string }) => source.uri)
      const given = { name: 'Tea', sources: [{ uri }], interests: { keywords: ['tea', 'cup'] } }
      const { id } = (await user.post('/profiles', given)).json()
      const read = (await user.get(`/profiles/${id}`)).json()
      assert.equal(read.sources[0].uri, uri)
      assert.deepEqual(await watched(), ['https://example.org/search?q=tea%20cup'])
      const xml = (await user.get(`/profiles/${id}`, asXml)).body
      assert.ok(xml.includes(`<uri>${uri}</uri>`), xml)
      assert.equal((await user.put(`/profiles/${id}`, xml.replace('cup', 'pot'), xmlBody)).statusCode, 200)
      assert.deepEqual(await watched(), ['https://example.org/search?q=tea%20pot'])
      await user.put(`/profiles/${id}`, { ...read, interests: { ...read.interests, keywords: ['coffee'] } })
      assert.equal((await user.get(`/profiles/${id}`)).json().sources[0].uri, uri)
      assert.deepEqual(await watched(), ['https://example.org/search?q=coffee'])
      const without = await user.put(`/profiles/${id}`, { ...read, interests: {} })
      assert.equal(without.statusCode, 400)
      assert.match(without.body, /no keywords/)
    }),
  )

  test(
    'survive a round trip as XML, replaced by id or created again without it',
    withServer(async (server) => {
      const user = server.as(ada)
      const { id, ...json } = (await user.post('/profiles', javaResearch)).json()
      const answer = await user.get(`/profiles/${id}`, asXml)
      assert.equal(answer.headers['content-type'], 'application/xml; charset=utf-8')
      assert.equal(answer.headers.vary, 'Accept')
      assert.doesNotMatch(answer.payload, /ada@/)
      const put = await user.put(`/profiles/${id}`, answer.payload, xmlBody)
      assert.deepEqual(put.json(), { id, ...json })
      const xml = answer.payload.replace(` id="${id}"`, '')
      const made = await user.post('/profiles', xml, {
        headers: { 'content-type': 'text/xml; charset=utf-8', ...asXml.headers },
      })
      assert.equal(made.statusCode, 201)
      assert.equal(made.payload.replace(/ id="[^"]*"/, ''), xml)
      const list = await user.get('/profiles', asXml)
      assert.equal([...list.payload.matchAll(/<profile /g)].length, 2)
      assert.equal((await user.get('/profiles', { headers: { accept: 'text/html' } })).statusCode, 406)
    }),
  )

  test(
    'are listed page by page with a cursor',
    withServer(async (server) => {
      const user = server.as(ada)
      for (let n = 0; n < 5; n++) await user.post('/profiles', { ...one, name: `P${n}` })
      const first = (await user.get('/profiles?limit=3')).json()
      const second = (await user.get(`/profiles?limit=3&cursor=${first.next}`)).json()
      const names = [...first.items, ...second.items].map(({ name }: { name: string }) => name)
      assert.deepEqual(names.sort(), ['P0', 'P1', 'P2', 'P3', 'P4'])
      assert.equal(second.next, null)
    }),
  )

  test(
    'of other users are answered with 404',
    withServer(async (server) => {
      const { id } = (await server.as(ada).post('/profiles', one)).json()
      const other = server.as(bob)
      assert.deepEqual((await other.get('/profiles')).json().items, [])
      assert.equal((await other.get(`/profiles/${id}`)).statusCode, 404)
      assert.equal((await other.put(`/profiles/${id}`, { ...one, name: 'Mine' })).statusCode, 404)
      assert.equal((await other.put(`/profiles/${id}`, { nonsense: 1 })).statusCode, 404)
      assert.equal((await other.delete(`/profiles/${id}`)).statusCode, 404)
      assert.equal((await server.as(ada).get(`/profiles/${id}`)).json().name, 'One')
    }),
  )

  test(
    'with an owner in the body are accepted only if it is the caller, in JSON and XML',
    withServer(async (server) => {
      const user = server.as(ada)
      const { id } = (await user.post('/profiles', one)).json()
      const xmlOf = (owner: string): string =>
        `<profile owner="${owner}" name="Theirs"><data><source><uri>https://example.org/</uri></source></data></profile>`
      const sendings = (owner: string) => [
        user.post('/profiles', { ...one, name: 'Theirs', owner }),
        user.post('/profiles', xmlOf(owner), xmlBody),
        user.put(`/profiles/${id}`, { ...one, name: 'Theirs', owner }),
        user.put(`/profiles/${id}`, xmlOf(owner), xmlBody),
      ]
      const refusals = [
        [bob, 'is another user'],
        [' BOB@Example.org', 'is another user'],
        ['csyiazt1', 'expected an email address'],
      ] as const
      for (const [owner, message] of refusals)
        for (const sending of sendings(owner)) {
          const { statusCode, payload } = await sending
          assert.equal(statusCode, 400, payload)
          assert.deepEqual(JSON.parse(payload).error.details, [{ place: 'owner', message }])
        }
      assert.deepEqual((await server.as(bob).get('/profiles')).json().items, [])
      assert.deepEqual(
        (await user.get('/profiles')).json().items.map(({ name }: { name: string }) => name),
        ['One'],
      )
      for (const sending of sendings(' Ada@Example.org')) assert.ok((await sending).statusCode < 300)
      assert.equal((await user.get('/profiles')).json().items.length, 3)
    }),
  )

  test(
    'report all errors at once with their places',
    withServer(async (server) => {
      const user = server.as(ada)
      const answer = await user.post('/profiles', {
        name: 1,
        sources: [{ uri: 'nonsense', every: 'often' }],
        interests: { keywords: [{ key: 'x', weight: 'heavy' }] },
        colour: 'red',
      })
      assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'request-invalid'])
      const places = answer.json().error.details.map(({ place }: { place: string }) => place)
      for (const place of ['name', 'sources[0].uri', 'sources[0].every', 'interests.keywords[0].weight', 'colour'])
        assert.ok(places.includes(place), place)
      const xml = await user.post('/profiles', '<profile name="x">\n<data>\n<source/>\n</data></profile>', xmlBody)
      assert.equal(xml.statusCode, 400)
      assert.match(xml.json().error.details[0].place, /^line \d+$/)
    }),
  )

  test(
    'refuse invalid bodies',
    withServer(async (server) => {
      const user = server.as(ada)
      const { id } = (await user.post('/profiles', one)).json()
      const json = { headers: { 'content-type': 'application/json' } }
      const two = (await user.get('/profiles', asXml)).payload.replace(/<profile .*<\/profile>/s, (each) =>
        (each + each).replaceAll(` id="${id}"`, ''),
      )
      const cases: [body: string, extra: { headers: Record<string, string> }, status: number, code: string][] = [
        ['{', json, 400, 'request-invalid'],
        ['[]', json, 400, 'request-invalid'],
        ['"x"', json, 400, 'request-invalid'],
        ['null', json, 400, 'request-invalid'],
        ['{"a":'.repeat(50_000), json, 400, 'request-invalid'],
        [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, json, 400, 'request-invalid'],
        ['{"__proto__":{"x":1},"sources":[{"uri":"https://example.org/"}]}', json, 400, 'request-invalid'],
        [JSON.stringify({ ...one, id }), json, 400, 'request-invalid'],
        [JSON.stringify({ ...one, owner: bob }), json, 400, 'request-invalid'],
        ['<profile', xmlBody, 400, 'request-invalid'],
        ['', xmlBody, 400, 'request-invalid'],
        ['<!DOCTYPE p [<!ENTITY a "b">]><profile name="&a;"/>', xmlBody, 400, 'request-invalid'],
        [two, xmlBody, 400, 'request-invalid'],
        ['name: x', { headers: { 'content-type': 'text/yaml' } }, 415, 'type-unsupported'],
        ['x'.repeat(3_000_000), json, 413, 'body-too-large'],
      ]
      for (const [body, extra, status, code] of cases) {
        const answer = await user.post('/profiles', body, extra)
        assert.deepEqual([answer.statusCode, answer.json().error.code], [status, code], body.slice(0, 60))
      }
      const differs = await user.put(`/profiles/${id}`, { ...one, id: 'another' })
      assert.deepEqual([differs.statusCode, differs.json().error.details[0].place], [400, 'id'])
      assert.equal((await user.get(`/profiles/${'x'.repeat(201)}`)).statusCode, 400)
      assert.equal((await user.get('/profiles?cursor=MQ')).json().error.code, 'cursor-invalid')
    }),
  )

  test(
    'are limited in number per user, with their sources, even with concurrent requests',
    withServer(
      async (server) => {
        const user = server.as(ada)
        const answers = await Promise.all(Array.from({ length: 6 }, () => user.post('/profiles', one)))
        assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 201, 201, 400, 400, 400])
        const { id } = answers.find(({ statusCode }) => statusCode === 201)!.json()
        const sources = (count: number) =>
          Array.from({ length: count }, (_, n) => ({ uri: `https://example.org/${n}` }))
        const tooMany = await user.put(`/profiles/${id}`, { ...one, sources: sources(4) })
        assert.deepEqual([tooMany.statusCode, tooMany.json().error.details[0].place], [400, 'sources'])
        assert.equal((await user.put(`/profiles/${id}`, { ...one, sources: sources(3) })).statusCode, 200)
        assert.equal((await server.as(bob).post('/profiles', one)).statusCode, 201)
        assert.equal((await user.delete(`/profiles/${id}`)).statusCode, 204)
        assert.equal((await user.post('/profiles', { ...one, sources: sources(3) })).statusCode, 201)
      },
      { settings: { 'server.maxProfiles': 3, 'server.maxSources': 5 } },
    ),
  )

  test(
    'leave their annotations in the inbox when deleted',
    withServer(async (server) => {
      const user = server.as(ada)
      const { id } = (await user.post('/profiles', one)).json()
      const annotation = await annotate(server, ada, { profile: id })
      await user.delete(`/profiles/${id}`)
      assert.deepEqual((await user.get(`/annotations/${annotation}`)).json().profile, { id, name: '' })
      assert.equal((await createSqliteInbox(server.db).counts(ada)).unread, 1)
    }),
  )
})
