import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { checkFeed } from '../../../delivery/render/feed-schemas.testkit.ts'
import { hostileText } from '../../../delivery/render/message.testkit.ts'
import { xmllintSkip } from '../../../xml/xmllint.testkit.ts'
import { annotate, withServer } from '../inbox/inbox.testkit.ts'
import { ada, addFeed, changed, feedUrl, fetchFeed, linksOf } from './links.testkit.ts'

const formats = ['atom', 'rss', 'json'] as const

describe('feeds', () => {
  test(
    'show the changes of a profile or of the whole inbox, newest first, in three formats',
    { skip: xmllintSkip },
    withServer(
      async (server) => {
        await annotate(server, ada, { profile: 'p1', ...changed })
        await annotate(server, ada, { profile: 'p2', title: 'Bridge', kind: 'gone' })
        await annotate(server, ada, { profile: 'p2', title: 'Muted', muted: true })
        await annotate(server, 'bob@example.org', { profile: 'p1', title: 'Not hers' })
        const all = await addFeed(server, 'c_all')
        const one = await addFeed(server, 'c_one', { profile: 'p1' })
        for (const format of ['atom', 'rss'] as const) {
          const { statusCode, headers, payload } = await fetchFeed(server, await feedUrl(server, all, format))
          assert.equal(statusCode, 200)
          assert.equal(headers['content-type'], `application/${format}+xml; charset=utf-8`)
          assert.match(String(headers['cache-control']), /private/)
          checkFeed(format, payload)
          assert.ok(payload.indexOf('Gone: Bridge') < payload.indexOf('Kettle: € 39.90 → € 34.50'))
          assert.match(payload, /&lt;del style=&quot;[^&]*&quot;&gt;€ 39\.90&lt;\/del&gt;/)
          assert.match(payload, /http:\/\/www\.example\.org\/page-/)
          assert.doesNotMatch(payload, /Muted|Not hers/)
          const alone = (await fetchFeed(server, await feedUrl(server, one, format))).payload
          checkFeed(format, alone)
          assert.match(alone, /Kettle/)
          assert.doesNotMatch(alone, /Bridge/)
        }
        const url = await feedUrl(server, all, 'json')
        const answer = await fetchFeed(server, url)
        assert.equal(answer.headers['content-type'], 'application/feed+json; charset=utf-8')
        const { version, title, feed_url, home_page_url, items } = answer.json()
        assert.deepEqual(
          [version, title, feed_url, home_page_url],
          ['https://jsonfeed.org/version/1.1', 'My changes', `https://e.example${url}`, 'https://e.example/inbox'],
        )
        assert.equal(items.length, 2)
        assert.equal(items[1].title, 'Kettle: € 39.90 → € 34.50')
        assert.match(items[1].id, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
        assert.equal(items[1].date_published, '2026-01-01T12:00:00.000Z')
        assert.match(items[1].content_html, /<ins [^>]*>€ 34\.50<\/ins>/)
        assert.match(items[1].content_html, /href="https:\/\/e\.example\/documents\/\d+\?tab=diff&amp;to=\d+"/)
      },
      { settings: { 'server.url': 'https://e.example/' } },
    ),
  )

  test(
    'are valid and harmless when empty, and with hostile titles, URLs and feed names',
    { skip: xmllintSkip },
    withServer(async (server) => {
      const feed = await addFeed(server, 'c_x', {}, `${hostileText}]]>\u0000\ufffe`)
      for (const format of ['atom', 'rss'] as const)
        checkFeed(format, (await fetchFeed(server, await feedUrl(server, feed, format))).payload)
      for (const [title, url] of [
        [hostileText, 'javascript:alert(1)'],
        [']]>&undefined;<!--\u0000\u0008\ud800\uffff', 'http://x.example/"><script>'],
        ['x'.repeat(100_000), 'http://x.example/]]>?a=1&b=2'],
        ['Strange', "http://[::1]:8/%zz%e4|{}^`'#a#b"],
        ['', 'ftp://x.example/a b'],
      ] as const)
        await annotate(server, ada, {
          ...{ title, url, summary: { text: title, marks: [], parts: [{ kind: 'added', text: title }] } },
          changes: { list: [{ kind: 'added', path: title, after: title }], more: 0 },
        })
      for (const format of ['atom', 'rss'] as const) {
        const { payload } = await fetchFeed(server, await feedUrl(server, feed, format))
        checkFeed(format, payload)
        assert.doesNotMatch(payload, /<script|href="javascript/i)
        // Titles are text in both; these are HTML.
        const html = [...payload.matchAll(/<(content|description)[^>]*>([^<]*)<\/\1>/g)]
        assert.ok(html.length >= 5)
        for (const [, , text] of html) assert.doesNotMatch(text!, /&lt;script|href=&quot;javascript/i)
      }
      const { items } = (await fetchFeed(server, await feedUrl(server, feed, 'json'))).json()
      for (const { url, title, content_html: html } of items) {
        assert.match(url, /^https?:/)
        assert.ok(title.length <= 200)
        assert.doesNotMatch(html, /<script|href="javascript/i)
      }
    }),
  )

  test('are sent again only if they changed', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1, 12, 0, 30))
    await withServer(
      async (server) => {
        await annotate(server, ada)
        const feed = await addFeed(server, 'c_x')
        const url = await feedUrl(server, feed, 'atom')
        const first = await fetchFeed(server, url)
        const etag = String(first.headers.etag)
        // More entries may come within that second.
        assert.equal(first.headers['last-modified'], undefined)
        const modified = 'Thu, 01 Jan 2026 12:00:00 GMT'
        const ask = async (headers: Record<string, string>) => (await fetchFeed(server, url, headers)).statusCode
        assert.equal(await ask({ 'if-none-match': etag }), 304)
        assert.equal(await ask({ 'if-none-match': `W/${etag}, "x"` }), 304)
        assert.equal(await ask({ 'if-none-match': '"x"', 'if-modified-since': modified }), 200)
        assert.equal(await ask({ 'if-modified-since': modified }), 200)
        clock.advance(3_600_000)
        assert.equal((await fetchFeed(server, url)).headers['last-modified'], modified)
        assert.equal(await ask({ 'if-modified-since': modified }), 304)
        const empty = await fetchFeed(server, url, { 'if-none-match': etag })
        assert.deepEqual([empty.payload, empty.headers.etag], ['', etag])
        const id = await annotate(server, ada)
        assert.equal(await ask({ 'if-none-match': etag }), 200)
        await server.as(ada).patch(`/annotations/${id}`, { archived: true })
        assert.equal(await ask({ 'if-none-match': etag }), 304)
        await server.stores.channels.change(ada, 'c_x', { name: 'Another name' })
        assert.equal(await ask({ 'if-none-match': etag }), 200)
        const head = await server.server.inject({ method: 'HEAD', url })
        assert.deepEqual([head.statusCode, head.payload], [200, ''])
      },
      { clock },
    )()
  })

  test(
    'are protected by a secret URL; wrong, old and foreign secrets get the same 404',
    withServer(async (server) => {
      await annotate(server, ada)
      const feed = await addFeed(server, 'c_x')
      const url = await feedUrl(server, feed, 'atom')
      const webhook = await server.stores.channels.add({
        ...{ id: 'c_hook', owner: ada, kind: 'webhook', name: 'ops', settings: {}, createdAt: 0 },
      })
      const mac = url.slice(url.lastIndexOf('c_x-') + 4, -5)
      const answers: string[] = []
      const refused = async (path: string): Promise<void> => {
        const { statusCode, payload, headers } = await fetchFeed(server, path)
        assert.equal(statusCode, 404, path)
        answers.push(`${payload} ${headers['content-type']} ${headers['cache-control']}`)
      }
      const other = `${mac.slice(0, 10)}${mac[10] === 'A' ? 'B' : 'A'}${mac.slice(11)}`
      for (const path of [
        `/feeds/c_x-${other}.atom`,
        `/feeds/c_y-${mac}.atom`,
        `/feeds/c_x-${mac}.xml`,
        `/feeds/c_x-${mac}`,
        '/feeds/c_x.atom',
        '/feeds/.atom',
        await feedUrl(server, webhook, 'atom'),
        `${(await linksOf(server).unsubscribeUrl(feed)).replace('/unsubscribe/', '/feeds/')}.atom`,
      ])
        await refused(path)
      const renewed = await server.as(ada).post('/channels/c_x/renew')
      assert.equal(renewed.statusCode, 200)
      await refused(url)
      const fresh = renewed.json().feedUrls
      for (const format of formats) fresh[format] = new URL(fresh[format]).pathname
      for (const format of formats) assert.equal((await fetchFeed(server, fresh[format])).statusCode, 200)
      assert.equal((await server.as('bob@example.org').post('/channels/c_x/renew')).statusCode, 404)
      assert.equal((await server.as(ada).post('/channels/c_hook/renew')).statusCode, 404)
      // Credentials that other programs send along are ignored.
      const along = { authorization: 'Basic YTpi', cookie: 'erace_session=wrong', 'sec-fetch-site': 'cross-site' }
      assert.equal((await fetchFeed(server, fresh.atom, along)).statusCode, 200)
      await server.stores.channels.change(ada, 'c_x', { state: 'off' })
      await refused(fresh.atom)
      await server.stores.channels.change(ada, 'c_x', { state: 'active' })
      const { id } = (await server.stores.accounts.findByEmail(ada))!
      await server.stores.accounts.update(id, { disabled: true })
      await refused(fresh.atom)
      assert.equal(new Set(answers).size, 1, [...new Set(answers)].join('\n'))
    }),
  )

  test(
    'are created, narrowed and renewed through the API, and old addresses stay invalid',
    withServer(async (server) => {
      await annotate(server, ada, { title: 'Told' })
      const her = server.as(ada)
      const made = await her.post('/channels', { kind: 'feed', name: 'Reader', settings: {} })
      assert.equal(made.statusCode, 201, made.payload)
      const { id, feedUrls, settings } = made.json()
      assert.deepEqual(settings, {})
      const statusOf = async (url: string): Promise<number> =>
        (await fetchFeed(server, new URL(url).pathname)).statusCode
      assert.equal(await statusOf(feedUrls.rss), 200)
      const renewed = (await her.post(`/channels/${id}/renew`)).json().feedUrls
      assert.deepEqual((await her.get(`/channels/${id}`)).json().feedUrls, renewed)
      const profile = (await her.post('/profiles', { name: 'P', sources: [{ uri: 'http://www.example.org/' }] })).json()
        .id
      const narrowed = await her.patch(`/channels/${id}`, { settings: { profile } })
      assert.equal(narrowed.statusCode, 200, narrowed.payload)
      assert.deepEqual(narrowed.json().feedUrls, renewed)
      assert.deepEqual([await statusOf(feedUrls.rss), await statusOf(renewed.rss)], [404, 200])
      assert.equal((await fetchFeed(server, new URL(renewed.json).pathname)).json().items.length, 0)
      assert.equal((await her.patch(`/channels/${id}`, { settings: { generation: 0 } })).statusCode, 400)
      await her.delete(`/channels/${id}`)
      assert.equal(await statusOf(renewed.rss), 404)
    }),
  )

  test(
    'have at most 50 entries and a rate limit shared by all clients',
    withServer(
      async (server) => {
        for (let n = 0; n < 60; n++) await annotate(server, ada)
        const feed = await addFeed(server, 'c_x')
        const url = await feedUrl(server, feed, 'json')
        assert.equal((await fetchFeed(server, url)).json().items.length, 50)
        const statuses: number[] = []
        for (let n = 0; n < 25; n++)
          statuses.push((await server.server.inject({ url, remoteAddress: `198.51.${n}.1` })).statusCode)
        assert.deepEqual([statuses[0], statuses.at(-1)], [200, 429])
      },
      { settings: { 'server.requestsPerMinute': 20 } },
    ),
  )

  test('keep their ids when renewed, and have different ids on another installation', async () => {
    const idsOf = async (): Promise<string[]> => {
      const ids: string[] = []
      await withServer(async (server) => {
        await annotate(server, ada)
        let feed = await addFeed(server, 'c_x')
        for (let n = 0; n < 2; n++) {
          const { payload } = await fetchFeed(server, await feedUrl(server, feed, 'atom'))
          ids.push([...payload.matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id).join(' '))
          await server.as(ada).post('/channels/c_x/renew')
          feed = (await server.stores.channels.find('c_x'))!
        }
      })()
      return ids
    }
    const [[before, after], [elsewhere]] = [await idsOf(), await idsOf()]
    assert.equal(before, after)
    assert.notEqual(before, elsewhere)
  })
})
