import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { withServer } from '../routes/inbox/inbox.testkit.ts'
import { createTestServer, type TestServer } from '../server.testkit.ts'

const ada = 'ada@example.org'

async function withLimits(settings: Record<string, unknown>, work: (erace: TestServer) => Promise<void>) {
  const erace = await createTestServer({ settings })
  try {
    await erace.server.listen({ host: '127.0.0.1', port: 0 })
    await work(erace)
  } finally {
    await erace.close()
  }
}

async function open({ server }: TestServer, bytes = '', localAddress = '127.0.0.1'): Promise<Socket> {
  const { port } = server.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  await once(socket, 'connect')
  socket.on('error', () => {})
  if (bytes !== '') socket.write(bytes)
  return socket
}

const request = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'

describe('request bodies', () => {
  const json = { 'content-type': 'application/json' }

  test(
    'are limited to 16 KB for sign-in and set-up',
    withServer(async ({ nobody }) => {
      for (const path of ['/session', '/setup']) {
        const answer = await nobody().post(path, { email: ada, password: 'x'.repeat(17_000) })
        assert.deepEqual([answer.statusCode, answer.json().error.code], [413, 'body-too-large'], path)
      }
    }),
  )

  test(
    'are refused before parsing if they are nested too deeply',
    withServer(async ({ nobody, as }) => {
      const bodies = ['['.repeat(5000), '{"a":'.repeat(3000), `${'['.repeat(5000)}${']'.repeat(5000)}`]
      for (const body of bodies) {
        const answer = await nobody().post('/session', body, { headers: json })
        assert.deepEqual([answer.statusCode, answer.json().error.message], [400, 'more than 32 levels of nesting'])
      }
      const large = `{"name": ${'['.repeat(1_000_000)}`
      const answer = await as(ada).post('/profiles', large, { headers: json })
      assert.equal(answer.json().error.message, 'more than 32 levels of nesting')
      // Brackets in strings don't count as nesting.
      const texts = await nobody().post('/session', { email: '[{"'.repeat(50), password: '\\"[[['.repeat(50) })
      assert.equal(texts.json().error.code, 'sign-in-wrong')
    }),
  )

  test(
    'are refused if a number is too large',
    withServer(async ({ as }) => {
      const profile = {
        name: 'n',
        sources: [{ uri: 'http://x.example/', depth: 1 }],
        interests: { keywords: [{ key: 'a', weight: 8 }], threshold: 3 },
        urgency: 4,
      }
      const text = JSON.stringify(profile)
      for (const field of ['"depth":1', '"weight":8', '"threshold":3', '"urgency":4'])
        for (const number of ['1e999', '-1e999', '1E+400', `1${'0'.repeat(400)}`]) {
          const body = text.replace(field, `${field.slice(0, -1)}${number}`)
          const answer = await as(ada).post('/profiles', body, { headers: json })
          assert.deepEqual([answer.statusCode, answer.json().error.code], [400, 'request-invalid'], body)
          assert.match(answer.json().error.message, /too large a number$/)
        }
      assert.equal((await as(ada).post('/profiles', text, { headers: json })).statusCode, 201)
      for (const number of ['1e999', '1e308', 'Infinity', 'NaN']) {
        const xml = `<profile id="p" name="p"><interests><keyword key="a" weight="${number}"/></interests></profile>`
        const answer = await as(ada).post('/profiles', xml, { headers: { 'content-type': 'application/xml' } })
        assert.equal(answer.statusCode, 400, answer.body)
      }
    }),
  )

  test(
    'are not parsed for unknown routes',
    withServer(async ({ nobody }) => {
      const answer = await nobody().post('/nothing', 'not JSON', { headers: json })
      assert.deepEqual([answer.statusCode, answer.json().error.code], [404, 'not-found'])
    }),
  )
})

describe('limit of requests per minute', () => {
  test('counts refused requests, too', () =>
    withLimits({ 'server.requestsPerMinute': 10 }, async (erace) => {
      const wrongToken = { authorization: 'Bearer erace_wrong' }
      const wrongCookie = { cookie: 'erace_session=wrong' }
      const calls = [
        () => erace.nobody().get('/annotations'),
        () => erace.nobody().get('/nothing'),
        () => erace.nobody().post('/session', 'not JSON', { headers: { 'content-type': 'application/json' } }),
        () => erace.nobody(wrongToken).get('/me'),
        () => erace.nobody(wrongCookie).get('/me'),
      ]
      const statuses: number[] = []
      for (let n = 0; n < 15; n++) statuses.push((await calls[n % calls.length]!()).statusCode)
      assert.deepEqual(statuses, [401, 404, 400, 401, 401, 401, 404, 400, 401, 401, 429, 429, 429, 429, 429])
      await erace.addUser(ada)
      assert.equal((await erace.as(ada).get('/me')).statusCode, 200)
    }))
})

describe('connections', () => {
  test('are closed after an error, even if the client keeps its end open', () =>
    withLimits({}, async (erace) => {
      const { port } = erace.server.server.address() as AddressInfo
      const sockets = ['NONSENSE\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}`].map((bytes) => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
        socket.write(bytes)
        return socket
      })
      for (const socket of sockets) assert.match(await text(socket), /^HTTP\/1\.1 4\d\d /)
      const connections = () =>
        new Promise<number>((resolve) => erace.server.server.getConnections((_error, count) => resolve(count)))
      while ((await connections()) > 0) await new Promise(setImmediate)
      for (const socket of sockets) socket.destroy()
    }))

  test('read the rest of a refused body, since a reset would discard the response', () =>
    withLimits({}, async (erace) => {
      const { port } = erace.server.server.address() as AddressInfo
      for (const [path, status, ...more] of [
        ['/api/v1/session', 413],
        ['/api/v1/profiles', 401],
        ['/nothing', 404],
        ['/nothing', 417, 'expect: miracles'],
      ]) {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        const head = [
          `POST ${path} HTTP/1.1`,
          'host: x',
          'connection: close',
          'content-type: application/json',
          ...more,
        ]
        socket.write(`${head.join('\r\n')}\r\ncontent-length: ${100 * 65_536}\r\n\r\n`)
        assert.match(await text(socket), new RegExp(`^HTTP/1\\.1 ${status} [^]*"error":`), String(path))
        const piece = Buffer.alloc(65_536)
        for (let n = 0; n < 100; n++)
          await new Promise<void>((resolve, reject) => {
            socket.write(piece, (error) => (error == null ? resolve() : reject(error)))
          })
        socket.end()
        await once(socket, 'close')
      }
    }))

  test('read the rest of a malformed request, too', () =>
    withLimits({}, async (erace) => {
      const accepted = once(erace.server.server, 'connection') as Promise<[Socket]>
      const { port } = erace.server.server.address() as AddressInfo
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)
      const [other] = await accepted
      const [answer] = await once(socket, 'data')
      assert.match(String(answer), /^HTTP\/1\.1 431 /)
      // Each piece is read before the next is sent.
      for (let n = 0; n < 5 && !other.destroyed; n++) {
        const { bytesRead } = other
        socket.write(Buffer.alloc(1000))
        while (other.bytesRead === bytesRead && !other.destroyed) await new Promise(setImmediate)
      }
      assert.equal(other.destroyed, false)
      socket.end()
      await once(other, 'close')
    }))

  test('answer an unknown expectation with 417 and the usual JSON error', () =>
    withLimits({}, async (erace) => {
      const socket = await open(erace, 'GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n\r\n')
      const [bytes] = await once(socket, 'data')
      assert.match(String(bytes), /^HTTP\/1\.1 417 /)
      assert.match(String(bytes), /\r\n\r\n\{"error":\{"code":"request-invalid","message":"[^"]+"\}\}$/)
      socket.destroy()
    }))

  test('that are idle make room for new ones from the same address, and others stay open', () =>
    withLimits({ 'server.connectionsPerAddress': 20 }, async (erace) => {
      const other = await open(erace, '', '127.0.0.2')
      const idle = await Promise.all(Array.from({ length: 100 }, (_, n) => open(erace, n % 2 === 0 ? '' : 'GET / HT')))
      const answered = await open(erace, request)
      const [bytes] = await once(answered, 'data')
      assert.match(String(bytes), /^HTTP\/1\.1 200 /)
      const left = idle.filter((socket) => !socket.destroyed).length
      assert.ok(left <= 20, String(left))
      assert.equal(other.destroyed, false)
      other.write(request)
      assert.match(String(await Promise.race([once(other, 'data'), once(other, 'close')])), /^HTTP\/1\.1 200 /)
      for (const socket of [...idle, answered, other]) socket.destroy()
    }))

  test('that are idle make room for new ones from any address at the limit of all connections', () =>
    withLimits({ 'server.maxConnections': 20 }, async (erace) => {
      const idle = await Promise.all(Array.from({ length: 100 }, (_, n) => open(erace, '', `127.0.0.${n + 1}`)))
      const answered = await open(erace, request, '127.0.0.200')
      const [bytes] = await once(answered, 'data')
      assert.match(String(bytes), /^HTTP\/1\.1 200 /)
      const left = idle.filter((socket) => !socket.destroyed).length
      assert.ok(left <= 20, String(left))
      for (const socket of [...idle, answered]) socket.destroy()
    }))

  test('that are in use are not closed to make room', () =>
    withLimits({ 'server.connectionsPerAddress': 3 }, async (erace) => {
      await erace.addUser(ada)
      const { headers } = await erace.as(ada).get('/me')
      assert.ok(headers)
      const cookie = await sessionCookie(erace)
      const stream = `GET /api/v1/events HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n\r\n`
      const streams = await Promise.all([1, 2, 3].map(() => open(erace, stream)))
      for (const socket of streams) assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /)
      const refused = await open(erace, request)
      await once(refused, 'close')
      for (const socket of streams) assert.equal(socket.destroyed, false)
      streams[0]!.destroy()
      await once(streams[0]!, 'close')
      for (;;) {
        const socket = await open(erace, request)
        const [bytes] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
        socket.destroy()
        if (bytes instanceof Buffer) break
      }
      for (const socket of streams) socket.destroy()
    }))
})

async function sessionCookie(erace: TestServer): Promise<string> {
  const password = 'correct horse'
  await erace.addUser('eve@example.org', { password })
  const answer = await erace.nobody().post('/session', { email: 'eve@example.org', password })
  return String(answer.headers['set-cookie']).split(';')[0]!
}

describe('private responses', () => {
  test(
    'are marked as no-store',
    withServer(async ({ as, nobody }) => {
      for (const path of ['/me', '/annotations', '/profiles', '/search?q=x', '/sources'])
        assert.equal((await as(ada).get(path)).headers['cache-control'], 'no-store', path)
      assert.equal((await nobody().get('/annotations')).headers['cache-control'], 'no-store')
    }),
  )
})
