import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { nothing } from '../../../store/conformance/annotations-suite.testkit.ts'
import { alsoAtOf } from '../../../store/conformance/stories-suite.testkit.ts'
import { readAcis } from '../../../xml/aci/aci-reader.ts'
import { xmllintSkip } from '../../../xml/xmllint.testkit.ts'
import type { TestServer } from '../../server.testkit.ts'
import { annotate, withServer } from './inbox.testkit.ts'

const ada = 'ada@example.org'
const bob = 'bob@example.org'

async function many(server: TestServer, owner: string, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < count; n++) ids.push(await annotate(server, owner))
  return ids
}

const idsOf = (answer: { json(): { items: { id: number }[] } }): number[] => answer.json().items.map(({ id }) => id)

describe('inbox', () => {
  test(
    'shows an annotation with all its details',
    withServer(async (server) => {
      const sources = [{ uri: 'http://www.example.org/' }]
      const made = await server.as(ada).post('/profiles', { name: 'Research', sources })
      const profile: string = made.json().id
      const id = await annotate(server, ada, { profile, url: 'http://www.example.org/x', expiresAt: 1e12 })
      const answer = await server.as(ada).get('/annotations')
      assert.equal(answer.statusCode, 200)
      const [item] = answer.json().items
      const { document, version, n, title, summary, explanation, ...facts } = item
      assert.deepEqual(facts, {
        id,
        kind: 'new',
        at: '2026-01-01T12:00:00.000Z',
        url: 'http://www.example.org/x',
        source: 'www.example.org',
        profile: { id: profile, name: 'Research' },
        relevance: 4.5,
        urgency: 1,
        backlog: false,
        read: false,
        starred: false,
        archived: false,
        alsoAt: [],
        link: 'http://www.example.org/x',
        changes: [{ kind: 'added', path: 'Shop › Kettle', after: 'ïdea' }],
        moreChanges: 2,
        entry: null,
        format: 'html',
        size: 1234,
        expiresAt: '2001-09-09T01:46:40.000Z',
      })
      assert.deepEqual(summary.marks, [[4, 12]])
      assert.equal(explanation.terms[0].key, 'research')
      assert.deepEqual((await server.as(ada).get(`/annotations/${id}`)).json(), item)
      await server.as(ada).put(`/profiles/${profile}`, { name: 'Renamed', sources })
      assert.equal((await server.as(ada).get(`/annotations/${id}`)).json().profile.name, 'Renamed')
    }),
  )

  test(
    'gives an also-at page an annotation when it is split off',
    withServer(async (server) => {
      const id = await annotate(server, ada, { cluster: 5 })
      const other = (await server.stores.annotations.find(await annotate(server, bob)))!
      const page = { id: 777, documentId: other.documentId, url: other.url }
      await server.stores.annotations.commit({ ...nothing, alsoAt: [alsoAtOf(id, page)] })
      const { url } = other
      assert.deepEqual((await server.as(ada).get(`/annotations/${id}`)).json().alsoAt, [url])
      assert.equal((await server.as(bob).post(`/annotations/${id}/split`, { url })).statusCode, 404)
      assert.equal((await server.as(ada).post(`/annotations/${id}/split`, { url: 'http://x/' })).statusCode, 404)
      assert.equal((await server.as(ada).post(`/annotations/${id}/split`, {})).statusCode, 400)
      const answer = await server.as(ada).post(`/annotations/${id}/split`, { url })
      assert.equal(answer.statusCode, 200)
      const [fresh] = answer.json().items
      assert.deepEqual([fresh.url, fresh.read, fresh.alsoAt, fresh.document], [url, false, [], other.documentId])
      assert.deepEqual((await server.as(ada).get(`/annotations/${id}`)).json().alsoAt, [])
      const listed = (await server.as(ada).get('/annotations')).json().items
      assert.deepEqual(
        listed.map((item: { id: number }) => item.id),
        [fresh.id, id],
      )
      assert.equal((await server.as(ada).post(`/annotations/${id}/split`, { url })).statusCode, 404, 'once only')
    }),
  )

  test(
    'shows the title and link of a feed entry, and the parts of a change',
    withServer(async (server) => {
      const parts = [
        { kind: 'removed', text: '€ 39' },
        { kind: 'sign', text: ' → ' },
        { kind: 'added', text: '€ 34' },
      ] as const
      const summary = { text: '€ 39 → € 34', marks: [], parts, more: 3 }
      const pieces = [{ kind: 'same', text: '€ ' }] as const
      const change = { kind: 'changed', path: '', before: '€ 39', after: '€ 34', pieces } as const
      const feed = {
        url: 'http://www.example.org/feed',
        entry: 'tag:1',
        link: 'http://www.example.org/1',
        channel: 'News',
      }
      const changes = { list: [change], more: 0 }
      const id = await annotate(server, ada, { ...feed, title: 'Rain', summary, changes })
      const item = (await server.as(ada).get(`/annotations/${id}`)).json()
      assert.deepEqual(item.entry, { id: 'tag:1', title: 'Rain', link: feed.link, channel: 'News' })
      assert.deepEqual([item.url, item.link, item.title], [feed.url, feed.link, 'Rain'])
      assert.deepEqual([item.summary, item.changes, item.moreChanges], [summary, [change], 0])
    }),
  )

  test(
    'is listed page by page, newest first, without gaps or repetitions',
    withServer(async (server) => {
      const ids = await many(server, ada, 7)
      const found: number[] = []
      const user = server.as(ada)
      for (let cursor = ''; ; ) {
        const answer = await user.get(`/annotations?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
        found.push(...idsOf(answer))
        cursor = answer.json().next
        if (cursor === null) break
      }
      assert.deepEqual(found, ids.reverse())
    }),
  )

  test(
    'never shows, counts or changes annotations of another user',
    withServer(async (server) => {
      const [one] = await many(server, ada, 2)
      const other = server.as(bob)
      assert.deepEqual((await other.get('/annotations?state=all')).json(), { items: [], next: null })
      assert.equal((await other.get('/annotations/counts')).json().all, 0)
      assert.equal((await other.get(`/annotations/${one}`)).statusCode, 404)
      for (const format of ['xml', 'wml', 'text'])
        assert.equal((await other.get(`/annotations/${one}?format=${format}`)).statusCode, 404)
      assert.equal((await other.patch(`/annotations/${one}`, { read: true })).statusCode, 404)
      assert.deepEqual((await other.patch('/annotations', { read: true, ids: [one] })).json(), {
        changed: 0,
        ids: [],
        more: false,
      })
      assert.equal((await other.patch('/annotations?state=all', { archived: true })).json().changed, 0)
      assert.equal((await server.as(ada).get('/annotations/counts')).json().unread, 2)
    }),
  )

  test(
    'marks one annotation, several, or all that match a query',
    withServer(async (server) => {
      const [a, b, c, d] = (await many(server, ada, 4)) as [number, number, number, number]
      const user = server.as(ada)
      const marked = await user.patch(`/annotations/${a}`, { read: true, starred: true })
      assert.deepEqual([marked.json().read, marked.json().starred, marked.json().archived], [true, true, false])
      assert.deepEqual(idsOf(await user.get('/annotations?state=unread')), [d, c, b])
      assert.deepEqual(idsOf(await user.get('/annotations?state=starred')), [a])
      assert.deepEqual((await user.patch('/annotations', { archived: true, ids: [a, b, 999_999] })).json(), {
        changed: 2,
        ids: [a, b],
        more: false,
      })
      assert.deepEqual(idsOf(await user.get('/annotations?state=archived')), [b, a])
      assert.deepEqual((await user.patch(`/annotations?upTo=${c}`, { read: true })).json(), {
        changed: 1,
        ids: [c],
        more: false,
      })
      const counts = (await user.get('/annotations/counts')).json()
      assert.deepEqual(counts, {
        unread: 1,
        all: 2,
        starred: 1,
        archived: 2,
        failing: 0,
        pages: { unread: 1, all: 2, starred: 1, archived: 2 },
        profiles: [
          {
            id: 'p',
            name: '',
            unread: 1,
            all: 2,
            starred: 1,
            archived: 2,
            pages: { unread: 1, all: 2, starred: 1, archived: 2 },
          },
        ],
      })
    }),
  )

  test(
    'lists one item per page with group=page, and marks all annotations it stood for',
    withServer(async (server) => {
      const user = server.as(ada)
      const sources = [{ uri: 'http://www.example.org/' }]
      const profile: string = (await user.post('/profiles', { name: 'Research', sources })).json().id
      const url = 'http://www.example.org/prices'
      const one = await annotate(server, ada, { profile, url })
      const { document: documentId } = (await user.get(`/annotations/${one}`)).json()
      const two = await annotate(server, ada, { profile, documentId })
      const other = await annotate(server, ada)
      const rows = async (query = '') => (await user.get(`/annotations?group=page${query}`)).json().items
      const named = { id: profile, name: 'Research' }
      assert.deepEqual(
        (await rows()).map((row: Record<string, unknown>) => [row.id, row.count, row.profiles, row.read]),
        [
          [other, 1, [{ id: 'p', name: '' }], false],
          [two, 2, [named], false],
        ],
      )
      const first = (await user.get('/annotations?group=page&limit=1')).json()
      const second = (await user.get(`/annotations?group=page&limit=1&cursor=${first.next}`)).json()
      assert.deepEqual([...idsOf({ json: () => first }), ...idsOf({ json: () => second })], [other, two])
      assert.equal(second.next, null)
      assert.deepEqual(idsOf(await user.get(`/annotations?document=${documentId}`)), [two, one])
      const three = await annotate(server, ada, { profile, documentId })
      const marks = { read: true, ids: [two] }
      assert.deepEqual((await user.patch('/annotations?group=page&state=unread', marks)).json(), {
        changed: 2,
        ids: [two, one],
        more: false,
      })
      assert.deepEqual(
        (await rows('&state=unread')).map((row: { id: number }) => row.id),
        [three, other],
      )
      assert.deepEqual((await user.get('/annotations/counts')).json().pages.unread, 2)
      assert.deepEqual((await server.as(bob).patch('/annotations?group=page', marks)).json().changed, 0)
      assert.match((await user.get('/annotations?group=page&format=text')).body, /prices/)
      assert.equal((await user.get('/annotations?group=site')).statusCode, 400)
    }),
  )

  test(
    'can be searched by title, summary and URL, and filtered by profile and urgency',
    withServer(async (server) => {
      const java = await annotate(server, ada, { title: 'Java and its islands', profile: 'q', urgency: 5 })
      const summary = { text: 'Rain over the islands', marks: [] }
      const other = await annotate(server, ada, {
        title: 'Something else',
        summary,
        url: 'http://weather.example/rhodes',
      })
      const user = server.as(ada)
      assert.deepEqual(idsOf(await user.get('/annotations?q=islands')), [other, java])
      assert.deepEqual(idsOf(await user.get('/annotations?q=rain')), [other])
      assert.deepEqual(idsOf(await user.get('/annotations?q=rhodes')), [other])
      assert.deepEqual(idsOf(await user.get('/annotations?q=intitle:islands')), [java])
      assert.deepEqual(idsOf(await user.get('/annotations?profile=q')), [java])
      assert.deepEqual(idsOf(await user.get('/annotations?urgency=2')), [java])
      assert.equal(idsOf(await user.get('/annotations?q=&profile=')).length, 2)
    }),
  )

  test(
    'answers 304 to the ETag of an unchanged list',
    withServer(async (server) => {
      await annotate(server, ada)
      const user = server.as(ada)
      const { headers } = await user.get('/annotations')
      const etag = String(headers.etag)
      assert.match(etag, /^(?:W\/)?"/)
      assert.equal((await user.get('/annotations', { headers: { 'if-none-match': etag } })).statusCode, 304)
      await annotate(server, ada)
      assert.equal((await user.get('/annotations', { headers: { 'if-none-match': etag } })).statusCode, 200)
    }),
  )

  test(
    'refuses invalid input with an error code and its place',
    withServer(async (server) => {
      const user = server.as(ada)
      const [id] = await many(server, ada, 1)
      const cases: [method: 'get' | 'patch', url: string, body: unknown, status: number, code: string][] = [
        ['get', '/annotations?state=nonsense', undefined, 400, 'request-invalid'],
        ['get', '/annotations?limit=0', undefined, 400, 'request-invalid'],
        ['get', '/annotations?limit=201', undefined, 400, 'request-invalid'],
        ['get', '/annotations?cursor=nonsense', undefined, 400, 'cursor-invalid'],
        ['get', '/annotations?cursor=IngiCg', undefined, 400, 'cursor-invalid'],
        ['get', '/annotations?format=pdf', undefined, 400, 'request-invalid'],
        ['get', '/annotations?q=before:nonsense', undefined, 400, 'request-invalid'],
        ['get', '/annotations?q=---', undefined, 400, 'request-invalid'],
        ['get', `/annotations?q=${'x'.repeat(1001)}`, undefined, 400, 'request-invalid'],
        ['get', '/annotations/nonsense', undefined, 400, 'request-invalid'],
        ['get', '/annotations/0', undefined, 400, 'request-invalid'],
        ['get', '/annotations/999999', undefined, 404, 'not-found'],
        ['patch', '/annotations/999999', { read: true }, 404, 'not-found'],
        ['patch', `/annotations/${id}`, {}, 400, 'request-invalid'],
        ['patch', `/annotations/${id}`, { read: 'perhaps' }, 400, 'request-invalid'],
        ['patch', `/annotations/${id}`, { reed: true }, 400, 'request-invalid'],
        ['patch', `/annotations/${id}`, '[', 400, 'request-invalid'],
        ['patch', '/annotations', { ids: [id] }, 400, 'request-invalid'],
        ['patch', '/annotations', { read: true, ids: [] }, 400, 'request-invalid'],
        ['patch', '/annotations', { read: true, ids: ['x'] }, 400, 'request-invalid'],
        ['patch', '/annotations?q=site:', { read: true }, 400, 'request-invalid'],
      ]
      for (const [method, url, body, status, code] of cases) {
        const headers = { 'content-type': 'application/json' }
        const answer =
          method === 'get' ? await user.get(url) : await user.patch(url, body as Record<string, unknown>, { headers })
        assert.deepEqual([answer.statusCode, answer.json().error.code], [status, code], `${method} ${url}`)
      }
      const { details } = (await user.get('/annotations?q=before:nonsense')).json().error
      assert.equal(details[0].place, 'querystring.q')
    }),
  )
})

describe('formats of the inbox', () => {
  const clock = createManualClock()

  test(
    'the link to the next page keeps every filter of the list',
    withServer(async (server) => {
      await many(server, ada, 3)
      for (const title of ['all is well', 'all is lost']) await annotate(server, ada, { title })
      const asked = { q: 'all', group: 'page', urgency: '1', limit: '1' }
      for (const format of ['text', 'xml', 'wml']) {
        const answer = await server.as(ada).get(`/annotations?${new URLSearchParams({ ...asked, format })}`)
        const link = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link))![1]!
        const { cursor: _, ...kept } = Object.fromEntries(new URLSearchParams(link.split('?')[1]))
        assert.deepEqual(kept, { ...asked, format })
        const last = await server.as(ada).get(link)
        assert.match(last.body, /all is well/)
        assert.equal(last.headers.link, undefined)
      }
      const [{ document }] = (await server.as(ada).get('/annotations?limit=1')).json().items
      assert.match((await server.as(ada).get(`/annotations?document=${document}&format=wml`)).body, /all is lost/)
    }),
  )

  const hostile = '</a></card>$(x) & "<script>alert(1)</script>" \u0000\u0007\u202e\ud800 字😀'

  test(
    'XML has the same content as the JSON list, and can be read back',
    withServer(
      async (server) => {
        await annotate(server, ada, { title: hostile, kind: 'changed', expiresAt: 1 })
        await annotate(server, ada, { explanation: { tracked: true, added: [], removed: [] }, backlog: true })
        const answer = await server.as(ada).get('/annotations', { headers: { accept: 'application/xml' } })
        assert.equal(answer.headers['content-type'], 'application/xml; charset=utf-8')
        assert.equal(answer.headers.vary, 'Accept')
        const { acis, errors } = readAcis(answer.rawPayload)
        assert.deepEqual(errors, [])
        const { items } = (await server.as(ada).get('/annotations')).json()
        for (const [place, aci] of acis.entries()) {
          const item = items[place]
          assert.deepEqual(
            [aci.id, aci.owner, aci.uri, aci.title, aci.kind, aci.isBacklog, aci.updatedAt, aci.summary, aci.bytes],
            [
              String(item.id),
              ada,
              item.url,
              item.title,
              item.kind,
              item.backlog,
              Date.parse(item.at),
              { text: item.summary.text, marks: item.summary.marks },
              1234,
            ],
          )
        }
        assert.deepEqual(acis[1]!.changes, { list: items[1].changes, more: items[1].moreChanges })
        assert.deepEqual([acis[1]!.isExpired, acis[1]!.explanation?.terms[0]?.key], [true, 'research'])
        const one = await server.as(ada).get(`/annotations/${items[0].id}?format=xml`)
        assert.deepEqual(readAcis(one.rawPayload), { acis: [acis[0]], errors: [] })
      },
      { clock },
    ),
  )

  test(
    'the format is chosen by the Accept header or by name, with 406 if none is acceptable',
    withServer(async (server) => {
      const id = await annotate(server, ada)
      const user = server.as(ada)
      const cases: [accept: string | undefined, query: string, expected: string][] = [
        [undefined, '', 'application/json; charset=utf-8'],
        ['text/plain;q=0.5, text/vnd.wap.wml;q=0.6', '', 'text/vnd.wap.wml; charset=utf-8'],
        ['text/plain, */*;q=0.1', '', 'text/plain; charset=utf-8'],
        ['text/xml', '', 'text/xml; charset=utf-8'],
        ['text/plain', '?format=json', 'application/json; charset=utf-8'],
        ['image/png', '?format=text', 'text/plain; charset=utf-8'],
        ['image/png', '', 'application/json; charset=utf-8'],
      ]
      for (const path of ['/annotations', `/annotations/${id}`])
        for (const [accept, query, expected] of cases) {
          const answer = await user.get(path + query, accept === undefined ? {} : { headers: { accept } })
          assert.equal(answer.headers['content-type'], expected, `${accept} ${query}`)
          assert.equal(answer.headers.vary, 'Accept')
          if (accept !== 'image/png' || query !== '') continue
          assert.deepEqual([answer.statusCode, answer.json().error.code], [406, 'not-acceptable'])
        }
    }),
  )

  test(
    'WML pages through the whole inbox in small, well-formed decks',
    { skip: xmllintSkip },
    withServer(
      async (server) => {
        const ids = await many(server, ada, 12)
        ids.push(
          await annotate(server, ada, { title: hostile, summary: { text: `${hostile} `.repeat(60), marks: [] } }),
        )
        const user = server.as(ada)
        const found: number[] = []
        let decks = 0
        let url: string | null = '/annotations?format=wml&state=unread&limit=200'
        while (url !== null) {
          const deck: string = (await user.get(url)).payload
          checkDeck(deck)
          decks++
          found.push(...[...deck.matchAll(/annotations\/(\d+)\?/g)].map(([, id]) => Number(id)))
          const next: string | undefined = /href="https:\/\/erace\.example\.org(\/[^"]*cursor=[^"]*)"/.exec(deck)?.[1]
          url = next === undefined ? null : next.replaceAll('&amp;', '&')
          if (next !== undefined) assert.match(next, /state=unread/)
        }
        assert.deepEqual(found, ids.toReversed())
        assert.ok(decks > 1)
        for (const part of [1, 2, 3, 1000])
          checkDeck((await user.get(`/annotations/${ids.at(-1)}?format=wml&part=${part}`)).payload)
        const second = (await user.get(`/annotations/${ids[1]}?format=wml`)).payload
        for (const [label, id] of [
          ['Previous', ids[2]],
          ['Next', ids[0]],
        ])
          assert.ok(second.includes(`annotations/${id}?format=wml">${label}</a>`), String(label))
      },
      { settings: { 'server.url': 'https://erace.example.org/' } },
    ),
  )

  test(
    'plain text has no control characters, and no Host header can redirect its links',
    withServer(async (server) => {
      const id = await annotate(server, ada, { title: hostile })
      const user = server.as(ada)
      const text = (await user.get('/annotations?format=text', { headers: { host: 'reader.example:8080' } })).payload
      assert.doesNotMatch(text, /[^\n\P{Cc}]/u)
      assert.ok(text.includes(`\n   /api/v1/annotations/${id}?format=text`))
      assert.doesNotMatch(text, /reader\.example/)
      const one = (await user.get(`/annotations/${id}?format=text`, { headers: { host: 'a"><b>' } })).payload
      assert.ok(one.includes(`\n   /api/v1/annotations/${id}?format=text`))
    }),
  )

  function checkDeck(deck: string): void {
    const { status, stderr } = spawnSync('xmllint', ['--nonet', '--noout', '-'], { input: deck })
    assert.equal(status, 0, `${stderr}\n${deck}`)
    assert.match(deck, /<!DOCTYPE wml PUBLIC "-\/\/WAPFORUM\/\/DTD WML 1\.1\/\/EN"/)
    assert.ok(Buffer.byteLength(deck) <= 1400, `${Buffer.byteLength(deck)} bytes`)
  }
})
