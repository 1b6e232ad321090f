import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Fetcher } from '../../crawl/fetch/fetcher.ts'
import { startFetcher } from '../../crawl/fetch/origin.testkit.ts'
import type { Protocol } from '../../crawl/fetch/protocol.ts'
import { asList, bodyOf, lookAt, placeOf } from './place.testkit.ts'
import { createQueryProtocol } from './query-protocol.ts'

type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Answer = (asked: Asked, response: ServerResponse) => void

describe('queries of websites', () => {
  let server: Server
  let fetcher: Fetcher
  let protocol: Protocol
  let origin = ''
  let asked: Asked[] = []
  let answer: Answer = () => {}

  before(async () => {
    server = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request.setEncoding('utf8')) body += piece
      const each = { method: request.method!, url: request.url!, headers: request.headers, body }
      asked.push(each)
      answer(each, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    fetcher = startFetcher()
    protocol = createQueryProtocol({ fetch: fetcher.fetch })
  })
  beforeEach(() => {
    asked = []
  })
  after(async () => {
    await fetcher.close()
    server.closeAllConnections()
    server.close()
  })

  const json =
    (text: string): Answer =>
    (_, response) =>
      response.setHeader('content-type', 'application/json').end(text)
  const html =
    (text: string): Answer =>
    (_, response) =>
      response.setHeader('content-type', 'text/html').end(text)
  const look = (rest: string, given: Parameters<typeof lookAt>[2] = {}) =>
    lookAt(protocol, `query+${origin}${rest}`, given)
  const names = (list: { items: readonly { url: string; name: string }[] }) =>
    list.items.map(({ url, name }) => `${url.slice(url.lastIndexOf('&') + 1)} ${name}`)

  test('JSON rows become items with all digits as sent, and a second look returns the same', async () => {
    answer = json(
      '{"items":[{"id":1,"name":"Lamp","price":12.50,"of":{"a":[1, 2]}},{"id":"x/y, z!","name":"Chair","price":1e3,"none":null}]}',
    )
    const list = await look('/api?q=a b#rows=$.items[*]&key=id&title=name')
    assert.deepEqual(names(list), ['row=1 Lamp', 'row=x%2Fy%2C%20z%21 Chair'])
    assert.equal(bodyOf(list), '{\n  "id": 1,\n  "name": "Lamp",\n  "price": 12.50,\n  "of": {"a":[1,2]}\n}\n')
    assert.match(bodyOf(list, 1), /"price": 1e3,\n {2}"none": null/)
    assert.deepEqual([list.isWhole, list.left], [true, ''])
    assert.deepEqual([asked[0]!.method, asked[0]!.url], ['GET', '/api?q=a%20b'])
    assert.deepEqual(await look('/api?q=a b#rows=$.items[*]&key=id&title=name'), list)
    const session = await protocol.open(placeOf(protocol.normalise(`query+${origin}/api#rows=$.items[*]&key=id`)))
    const found = asList(await session.look(''))
    assert.equal(session.address, '127.0.0.1')
    assert.deepEqual(await session.read(found.items[0]!), found.items[0]!.body)
    await session.close()
  })

  test('a source with an ETag is requested conditionally', async () => {
    answer = ({ headers }, response) => {
      if (headers['if-none-match'] === '"1"') response.writeHead(304).end()
      else response.writeHead(200, { etag: '"1"', 'content-type': 'application/json' }).end('[{"id":1}]')
    }
    const session = await protocol.open(placeOf(protocol.normalise(`query+${origin}/#rows=$[*]&key=id`)))
    const first = asList(await session.look(''))
    const second = asList(await session.look(first.cursor))
    assert.deepEqual(
      [first.items.length, second.items.length, second.isWhole, second.cursor],
      [1, 0, false, first.cursor],
    )
    assert.equal(asList(await session.look('broken')).items.length, 1)
  })

  test('cells can be selected within rows; rows without the key are left out and reported', async () => {
    answer = json('[{"a":{"id":1},"tags":["x","y"]},{"a":{}},{"a":{"id":2}}]')
    const list = await look('/#rows=$[*]&cells=id:$.a.id,tags:$.tags[*]&key=id')
    assert.deepEqual(names(list), ['row=1 1', 'row=! ', 'row=2 2'])
    assert.equal(bodyOf(list), '{\n  "id": 1,\n  "tags": ["x","y"]\n}\n')
    const without = await look('/#rows=$[*]&key=id')
    assert.deepEqual([without.items, without.left], [[], '3 rows without id left out'])
  })

  test('HTML rows can be selected by CSS and XPath', async () => {
    answer = html(`<ul><li class=p><a href="/1">One <b>1</b></a> <i class=price>12 €</i><script>x</script></li>
      <li class=p><a href="/2">Two</a></li></ul><a rel=next href="?p=2">more</a>`)
    const css = await look('/#rows=li.p&cells=link:a@href,name:a,price:.price&key=link&title=name')
    assert.deepEqual(names(css), ['row=%2F1 One 1', 'row=%2F2 Two'])
    assert.equal(bodyOf(css), '{\n  "link": "/1",\n  "name": "One 1",\n  "price": "12 €"\n}\n')
    assert.match(bodyOf(css, 1), /"price": null/)
    const xpath = await look('/#rows=//li&cells=link:./a/@href,name:./a,price:.//i[@class="price"]&key=link&title=name')
    assert.deepEqual(
      xpath.items.map(({ body }) => body!.body.toString()),
      css.items.map(({ body }) => body!.body.toString()),
    )
    assert.equal(bodyOf(await look('/#rows=li')), 'text,link\r\nOne 1 12 €,/1\r\nTwo,/2\r\n')
  })

  test('XML rows can be selected by XPath', async () => {
    answer = (_, response) =>
      response
        .setHeader('content-type', 'application/xml')
        .end('<?xml version="1.0"?><r><Item no="1"><T>One</T></Item><Item no="2"><T>Two</T></Item></r>')
    const list = await look('/#rows=/r/Item&cells=no:./@no,t:./T&key=no&title=t')
    assert.deepEqual(names(list), ['row=1 One', 'row=2 Two'])
  })

  test('form and JSON bodies are posted with their content type', async () => {
    answer = json('[{"id":1}]')
    await look(`/#rows=$[*]&key=id&body=${encodeURIComponent('q=a%20b&n=1')}`)
    await look(`/#rows=$[*]&key=id&method=POST&body=${encodeURIComponent('{"q": "a+b"}')}`)
    assert.deepEqual(
      asked.map(({ method, body, headers }) => [method, body, headers['content-type'], headers['content-length']]),
      [
        ['POST', 'q=a%20b&n=1', 'application/x-www-form-urlencoded', '11'],
        ['POST', '{"q": "a+b"}', 'application/json', '12'],
      ],
    )
  })

  test('next links are followed, up to the page and item limits', async () => {
    answer = ({ url }, response) => {
      const page = Number(new URL(url, origin).searchParams.get('p') ?? 1)
      json(JSON.stringify({ items: [{ id: page }], next: page < 4 ? `?p=${page + 1}` : null }))(asked[0]!, response)
    }
    const all = await look('/a#rows=$.items[*]&key=id&next=$.next')
    assert.deepEqual(names(all), ['row=1 1', 'row=2 2', 'row=3 3', 'row=4 4'])
    assert.deepEqual([all.isWhole, all.left], [true, ''])
    const few = await look('/a#rows=$.items[*]&key=id&next=$.next&pages=2')
    assert.equal(few.items.length, 2)
    assert.equal(few.isWhole, false)
    assert.match(few.left, /only the first 2 pages were read/)
    const capped = await look('/a#rows=$.items[*]&key=id&next=$.next', { limits: { maxItems: 3 } })
    assert.equal(capped.items.length, 3)
    assert.equal(capped.isWhole, false)
  })

  test('next links in HTML are followed, but not in a loop or to another host', async () => {
    answer = ({ url }, response) =>
      html(`<p id=${url.length}>x</p><a rel=next href="${url === '/' ? '/second' : '/second#x'}">next</a>`)(
        asked[0]!,
        response,
      )
    const list = await look('/#rows=p&cells=id:.@id&key=id&next=a[rel=next]')
    assert.deepEqual([names(list), list.isWhole, asked.length], [['row=1 1', 'row=7 7'], true, 2])
    answer = html('<p id=1>x</p><a rel=next href="http://other.example/">next</a>')
    const elsewhere = await look('/#rows=p&cells=id:.@id&key=id&next=a[rel=next]')
    assert.deepEqual([elsewhere.isWhole, elsewhere.left.includes('another host')], [false, true])
  })

  test('the page number is incremented in the URL, form or JSON until a page has no rows', async () => {
    const upTo =
      (last: number, pageOf: (asked: Asked) => number): Answer =>
      (each, response) =>
        json(pageOf(each) <= last ? `[{"id":${pageOf(each)}}]` : '[]')(each, response)
    answer = upTo(2, ({ url }) => Number(new URL(url, origin).searchParams.get('p') ?? 1))
    assert.equal((await look('/?q=1#rows=$[*]&key=id&page=p')).items.length, 2)
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['/?q=1', '/?q=1&p=2', '/?q=1&p=3'],
    )
    answer = upTo(1, ({ body }) => Number(new URLSearchParams(body).get('p')))
    assert.equal((await look(`/#rows=$[*]&key=id&page=p&body=${encodeURIComponent('p=0')}`)).items.length, 2)
    answer = upTo(3, ({ body }) => (JSON.parse(body) as { p: number }).p)
    assert.equal((await look(`/#rows=$[*]&key=id&page=p&body=${encodeURIComponent('{"p":2}')}`)).items.length, 2)
  })

  test('a next-page token is sent in its parameter', async () => {
    answer = ({ url }, response) => {
      const token = new URL(url, origin).searchParams.get('after')
      json(token === null ? '{"rows":[{"id":1}],"end":"a/b="}' : `{"rows":[{"id":"${token}"}],"end":null}`)(
        asked[0]!,
        response,
      )
    }
    const list = await look('/#rows=$.rows[*]&key=id&next=$.end&page=after')
    assert.deepEqual(names(list), ['row=1 1', 'row=a%2Fb%3D a/b='])
  })

  test('robots.txt is checked for every page after the first', async () => {
    answer = json('[{"id":1}]')
    const urls: string[] = []
    const polite = createQueryProtocol({
      fetch: fetcher.fetch,
      mayFetch: async (url) => {
        urls.push(url)
        return false
      },
    })
    const list = await lookAt(polite, `query+${origin}/#rows=$[*]&key=id&page=p`)
    assert.deepEqual([urls, asked.length, list.isWhole], [[`${origin}/?p=2`], 1, false])
    assert.match(list.left, /robots/)
  })

  test('credentials do not follow redirects, a POST redirect is refused, and redirects are limited', async () => {
    const secret = { kind: 'bearer', token: 's3cret' }
    const other = createServer((request, response) => {
      assert.equal(request.headers.authorization, undefined)
      response.end('[{"id":2}]')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    answer = (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
    const list = await look('/#rows=$[*]&key=id', { secret })
    assert.deepEqual(names(list), ['row=2 2'])
    assert.equal(asked[0]!.headers.authorization, 'Bearer s3cret')
    await assert.rejects(look('/#rows=$[*]&key=id&body=a', { secret }), { code: 'redirect-refused' })
    other.closeAllConnections()
    other.close()
    answer = (_, response) => response.writeHead(302, { location: '/' }).end()
    await assert.rejects(look('/#rows=$[*]&key=id'), { code: 'redirect-limit' })
  })

  test('HTTP errors and invalid JSON have their own error codes', async () => {
    for (const [status, code] of [
      [401, 'sign-in-failed'],
      [404, 'not-found'],
      [418, 'http-client-error'],
      [503, 'http-server-error'],
      [206, 'http-incomplete'],
    ] as const) {
      answer = (_, response) => response.writeHead(status).end('[]')
      await assert.rejects(look('/#rows=$[*]&key=id'), { code }, String(status))
    }
    answer = json('<html>')
    await assert.rejects(look('/#rows=$[*]&key=id'), { code: 'query-refused', message: 'the answer is not JSON' })
  })

  test('a long compressed response is cut, and the cut is reported', async () => {
    const rows = Array.from({ length: 2000 }, (_, id) => `{"id":${id},"t":"${'x'.repeat(100)}"}`)
    answer = (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(`[${rows.join(',')}]`))
    const list = await look('/#rows=$[*]&key=id', { limits: { maxBodyBytes: 50_000 } })
    assert.ok(list.items.length > 300 && list.items.length < 500)
    assert.deepEqual([list.isWhole, list.left.includes('was cut')], [false, true])
    for (const at of list.items.keys()) assert.match(bodyOf(list, at), /"t": "x{100}"/)
  })

  test('a row that may be incomplete because of a cut is left out', async () => {
    const cutAt = (maxBodyBytes: number, rest: string) => look(rest, { limits: { maxBodyBytes } })
    answer = json('{"all":[{"id":1,"of":{"a":12}},{"id":2,"of":{"a":34}}],"next":567}')
    const [first, second] = [await cutAt(45, '/#rows=$.all[*]&key=id'), await cutAt(56, '/#rows=$.all[*]&key=id')]
    assert.deepEqual([names(first), names(second)], [['row=1 1'], ['row=1 1', 'row=2 2']])
    answer = json(`${' '.repeat(50)}[12,34,56]`)
    assert.equal(bodyOf(await cutAt(58, '/#rows=$[*]')), 'value\r\n12\r\n34\r\n')
    answer = html('<ul><li>One<p>12</p><li>Two<p>34</p></ul><p>And more, and more')
    assert.match(bodyOf(await cutAt(33, '/#rows=li')), /One 12/)
    assert.doesNotMatch(bodyOf(await cutAt(33, '/#rows=li')), /Two/)
    assert.match(bodyOf(await cutAt(50, '/#rows=li')), /Two 34/)
    await assert.rejects(cutAt(10, '/#rows=li'), { code: 'query-refused', message: /no whole row/ })
  })

  test('selectors that need too much work are refused', async () => {
    answer = html('<div>'.repeat(200) + '<b>x</b>'.repeat(50))
    await assert.rejects(look('/#rows=i div div div div div div div b'), { code: 'query-refused' })
    answer = json(`[${'[1],'.repeat(20_000)}[1]]`)
    await assert.rejects(look('/#rows=$..[?count($..*) > 1]'), { code: 'query-refused' })
  })

  test('source URLs are normalised, and invalid ones are refused with a reason', () => {
    const one = protocol.normalise('query+https://Example.org:443/a/../b?q={x}#key=id,+nr&rows=%24.items[*]&pages=1')
    assert.equal(one, 'query+https://example.org/b?q={x}#rows=$.items%5B*%5D&key=id,nr')
    for (const url of [
      one,
      protocol.normalise('query+http://h/#rows=li&cells=a:.x:is(.p, b:first-child)&cells=c:.z&next=a&pages=3&body=x'),
    ]) {
      assert.equal(protocol.normalise(url), url)
      assert.equal(URL.parse(url)?.href, url)
    }
    const refused = (url: string, message: RegExp) =>
      assert.throws(() => protocol.normalise(url), { code: 'url-invalid', message }, url)
    refused('https://h/#rows=li', /query\+https/)
    refused('query+ftp://h/#rows=li', /query\+https/)
    refused('query+https://ann:s3cret@h/#rows=li', /leave user and password out/)
    refused('query+https://h/', /say what the rows are/)
    refused('query+https://h/#rows=$.[', /JSONPath/)
    refused('query+https://h/#rows=/x/', /not an expression/)
    refused('query+https://h/#rows=li&cells=a:$.x', /one language/)
    refused('query+https://h/#rows=li&cells=a', /name:selector/)
    refused('query+https://h/#rows=li&row=1', /unknown parameter "row"/)
    refused('query+https://h/#rows=li&body=x&method=GET', /method=POST/)
    refused('query+https://h/#rows=li&body={&type=json', /not JSON/)
    refused('query+https://h/#rows=li&body=a%00b', /control characters/)
    refused('query+https://h/#rows=li&pages=1000', /1 to 100/)
    refused('query+https://h/#rows=li&pages=5', /next or page/)
    refused('query+https://h/#rows=li&title=x', /needs a key/)
  })
})
