import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { annotate, withServer } from './routes/inbox/inbox.testkit.ts'
import type { TestServer } from './server.testkit.ts'

const ada = 'ada@example.org'

/** The response to these bytes over a real connection. */
async function rawAnswer({ server }: TestServer, bytes: string): Promise<{ status: number; body: string }> {
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const answer = await text(socket)
  return { status: Number(answer.split(' ', 2)[1]), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) }
}

describe('invalid requests', () => {
  test(
    'values of the wrong type are refused, not coerced',
    withServer(async (server) => {
      const id = await annotate(server, ada)
      const user = server.as(ada)
      for (const read of [null, 0, 1, 'true', [true]])
        assert.equal((await user.patch(`/annotations/${id}`, { read })).json().error.code, 'request-invalid')
      for (const ids of [[true], id, [String(id)], `${id}`])
        assert.equal((await user.patch('/annotations', { read: true, ids })).statusCode, 400)
      assert.equal((await user.post('/tokens', { name: 'a', expiresAt: '' })).statusCode, 400)
      assert.equal((await user.get('/annotations?state=unread')).json().items.length, 1)
      assert.equal((await user.get('/annotations?limit=1')).statusCode, 200)
    }),
  )

  test(
    'bulk changes with unknown query parameters are refused',
    withServer(async (server) => {
      await annotate(server, ada)
      const user = server.as(ada)
      const calls = [
        user.patch('/annotations?profil=p', { archived: true }),
        user.patch('/annotations?limit=1', { archived: true }),
        user.patch('/sources?profil=p', { paused: true }),
        user.delete('/sources?limit=1', {}),
        user.post('/sources/check?sate=failing', {}),
      ]
      for (const answer of await Promise.all(calls))
        assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'request-invalid'])
      assert.equal((await user.get('/annotations?state=archived')).json().items.length, 0)
    }),
  )

  test(
    'bulk changes with an empty filter, or an entry without its document, are refused instead of changing everything',
    withServer(async (server) => {
      await annotate(server, ada, { entry: 'e1' })
      const user = server.as(ada)
      await user.post('/profiles', { name: 'P', sources: [{ uri: 'https://example.org/' }] })
      const calls = [
        user.patch('/annotations?entry=e1', { archived: true }),
        user.patch('/annotations?profile=', { archived: true }),
        user.patch('/annotations?q=', { archived: true }),
        user.patch('/annotations?q=%20', { archived: true }),
        user.patch('/sources?q=', { paused: true }),
        user.delete('/sources?q=%20', {}),
        user.delete('/sources?profile=', {}),
        user.post('/sources/check?q=', {}),
        user.get('/annotations?entry=e1'),
      ]
      for (const answer of await Promise.all(calls))
        assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'request-invalid'])
      assert.equal((await user.get('/annotations?state=archived&q=')).json().items.length, 0)
      assert.equal((await user.get('/sources?q=')).json().items.length, 1)
      const { document } = (await user.get('/annotations')).json().items[0]
      assert.equal((await user.patch(`/annotations?document=${document}&entry=e1`, { read: true })).json().changed, 1)
    }),
  )

  test(
    'version numbers out of range are refused',
    withServer(async (server) => {
      for (const n of ['9007199254740992', '1e21', '1e400', '0', '-1', 'x']) {
        const answer = await server.as(ada).get(`/documents/1/diff?from=${n}`)
        assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'request-invalid'], n)
      }
    }),
  )

  test(
    'an unsupported method is answered with 405 and the allowed methods',
    withServer(async (server) => {
      const user = server.as(ada)
      const answer = await user.put('/annotations', {})
      assert.deepEqual([answer.statusCode, answer.json().error.code], [405, 'method-not-allowed'])
      assert.equal(answer.headers.allow, 'GET, HEAD, PATCH')
      assert.equal((await user.post('/annotations/7', {})).headers.allow, 'GET, HEAD, PATCH')
      assert.equal((await user.put('/nothing', {})).statusCode, 404)
      assert.equal((await user.put('/annotations/7/8', {})).statusCode, 404)
    }),
  )

  test(
    'a JSON body that is not UTF-8 is refused, since its text would be stored with replacement characters',
    withServer(async (server) => {
      const user = server.as(ada)
      const body = JSON.stringify({ name: 'Zürich', sources: [{ uri: 'https://example.org/' }] })
      const headers = { 'content-type': 'application/json' }
      const answer = await user.post('/profiles', Buffer.from(body, 'latin1'), { headers })
      assert.deepEqual([answer.statusCode, answer.json().error.message], [400, 'the body is not UTF-8'])
      assert.equal((await user.post('/profiles', Buffer.from(`\ufeff${body}`), { headers })).json().name, 'Zürich')
    }),
  )

  test(
    'a plain text body is refused with 415',
    withServer(async (server) => {
      const headers = { 'content-type': 'text/plain' }
      const answer = await server.as(ada).post('/profiles', 'x', { headers })
      assert.deepEqual([answer.statusCode, answer.json().error.code], [415, 'type-unsupported'])
    }),
  )

  test(
    'malformed HTTP and overlong headers get the same form of error',
    withServer(async (server) => {
      const long = await rawAnswer(server, `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`)
      assert.deepEqual([long.status, JSON.parse(long.body).error.code], [431, 'request-invalid'])
      for (const bytes of [
        'BREW / HTTP/1.1\r\n\r\n',
        'GET / HTTP/9.9\r\n\r\n',
        'GET / HTTP/1.1\r\nh\u0001: a\r\n\r\n',
      ]) {
        const answer = await rawAnswer(server, bytes)
        assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [400, 'request-invalid'], bytes)
      }
      const url = encodeURIComponent(`http://www.example.org/${'a'.repeat(19_000)}`)
      const path = `/api/v1/documents?url=${url}`
      const fits = await rawAnswer(server, `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      assert.deepEqual([fits.status, JSON.parse(fits.body).error.code], [401, 'not-signed-in'])
    }),
  )
})

describe('If-None-Match', () => {
  test(
    'is answered with 304 if any tag matches, and with 200 after a change',
    withServer(async (server) => {
      const id = await annotate(server, ada)
      const user = server.as(ada)
      const again = (tags: string) => user.get('/annotations', { headers: { 'if-none-match': tags } })
      const tag = String((await user.get('/annotations')).headers.etag)
      for (const tags of [tag, `W/${tag}`, `"other", ${tag}`, '*']) assert.equal((await again(tags)).statusCode, 304)
      assert.equal((await again(tag)).body, '')
      assert.equal((await again('"other"')).statusCode, 200)
      await user.patch(`/annotations/${id}`, { starred: true })
      assert.equal((await again(tag)).statusCode, 200)
    }),
  )

  test(
    'has no effect on PATCH',
    withServer(async (server) => {
      const id = await annotate(server, ada)
      const answer = await server
        .as(ada)
        .patch(`/annotations/${id}`, { read: true }, { headers: { 'if-none-match': '*' } })
      assert.equal(answer.statusCode, 200)
    }),
  )
})
