import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { ErrorCode } from '../../core/errors.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { type Answer, asFailure, asResponse, page, withOrigin } from './origin.testkit.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'

/** Writes for as long as the other side reads. */
function flood(socket: Socket, piece: Buffer): void {
  if (socket.destroyed) return
  if (socket.write(piece)) setImmediate(flood, socket, piece)
  else socket.once('drain', () => flood(socket, piece))
}

/** Keeps writing small pieces, at shorter intervals than any timeout in these tests. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 5)
  socket.on('close', () => clearInterval(timer))
}

/** The others would only fail again. */
const temporary: readonly ErrorCode[] = ['header-timeout', 'body-timeout', 'total-timeout', 'body-short']

async function failsWith(answer: Answer, code: ErrorCode, limits: Partial<FetchLimits> = {}): Promise<void> {
  await withOrigin(answer, { limits }, async (fetcher, origin) => {
    const failure = asFailure(await fetcher.fetch({ url: origin.url }))
    assert.equal(failure.code, code, failure.message)
    assert.equal(failure.address, '127.0.0.1')
    assert.equal(failure.retry, temporary.includes(code) ? 'later' : 'never')
  })
}

test('a silent server fails with a header timeout', async () => {
  await failsWith(() => {}, 'header-timeout', { headersTimeoutMs: 50 })
})

test('a header that trickles in does not extend its time limit', async () => {
  await failsWith(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ')
      drip(socket, 'x')
    },
    'header-timeout',
    { headersTimeoutMs: 60 },
  )
})

test('endless interim responses do not extend the header time limit', async () => {
  for (const status of ['103 Early Hints', '100 Continue', '102 Processing']) {
    await failsWith((socket) => drip(socket, `HTTP/1.1 ${status}\r\n\r\n`), 'header-timeout', { headersTimeoutMs: 60 })
  }
})

test('a stalled body fails with a body timeout, to be retried later', async () => {
  await failsWith((socket) => socket.write(`${ok}Content-Length: 1000\r\n\r\nbegun`), 'body-timeout', {
    bodyTimeoutMs: 50,
  })
})

test('a slow body is cut at the total time limit, keeping the received part', async () => {
  await withOrigin(
    (socket) => {
      socket.write(`${ok}Content-Length: 100000\r\n\r\nslow`)
      drip(socket, 'x')
    },
    { limits: { totalTimeoutMs: 80 } },
    async (fetcher, origin) => {
      const response = asResponse(await fetcher.fetch({ url: origin.url }))
      assert.equal(response.truncated, 'time')
      assert.match(response.body.toString(), /^slowx*$/)
    },
  )
})

test('an exchange without any body fails at the total time limit', async () => {
  await failsWith(() => {}, 'total-timeout', { totalTimeoutMs: 50 })
  await failsWith((socket) => socket.write(`${ok}Content-Length: 9\r\n\r\n`), 'total-timeout', { totalTimeoutMs: 50 })
})

test('reads an endless body exactly up to the limit, with any framing', async () => {
  const piece = Buffer.alloc(16 << 10, 'a')
  const framed = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
  const answers: [head: string, piece: Buffer][] = [
    [`${ok}Content-Length: 900000000000\r\n\r\n`, piece],
    [`${ok}Transfer-Encoding: chunked\r\n\r\n`, framed],
    ['HTTP/1.0 200 OK\r\n\r\n', piece],
  ]
  for (const [head, endless] of answers) {
    await withOrigin(
      (socket) => {
        socket.write(head)
        flood(socket, endless)
      },
      { limits: { maxBodyBytes: 100_001 } },
      async (fetcher, origin) => {
        const response = asResponse(await fetcher.fetch({ url: origin.url }))
        assert.deepEqual([response.body.length, response.truncated], [100_001, 'length'])
        const own = asResponse(await fetcher.fetch({ url: origin.url, maxBodyBytes: 10 }))
        assert.deepEqual([own.body.length, own.truncated], [10, 'length'])
      },
    )
  }
})

test('a body of exactly the limit is not truncated', async () => {
  await withOrigin(
    (socket) => socket.write(page('x'.repeat(1000))),
    { limits: { maxBodyBytes: 1000 } },
    async (fetcher, origin) => {
      const response = asResponse(await fetcher.fetch({ url: origin.url }))
      assert.deepEqual([response.body.length, response.truncated], [1000, null])
    },
  )
})

test('a body that ends early fails as too short, to be retried later', async () => {
  await failsWith((socket) => socket.end(`${ok}Content-Length: 1000\r\n\r\nshort`), 'body-short')
  await failsWith((socket) => socket.end(`${ok}Connection: close\r\nContent-Length: 1000\r\n\r\nshort`), 'body-short')
  await failsWith((socket) => socket.end(`${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`), 'body-short')
  await failsWith(
    (socket) => socket.end(`${ok}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe`),
    'body-short',
  )
})

test('a connection reset within the body fails as a short body', async () => {
  await failsWith((socket) => {
    socket.write(`${ok}Content-Length: 1000\r\n\r\nbegun`, () => setImmediate(() => socket.resetAndDestroy()))
  }, 'body-short')
})

test('bytes after the end of a body are not taken as the next response', async () => {
  await withOrigin(
    (socket, _, nth) => socket.write(page(`page ${nth}`) + (nth === 0 ? page('smuggled') : '')),
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'page 0')
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'page 1')
      assert.equal(origin.connections, 2)
    },
  )
})

test('a reply that is not valid HTTP fails as malformed', async () => {
  const rubbish = [
    '<html>HTTP/0.9 said no more than this</html>',
    'SSH-2.0-OpenSSH_9.9\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'HTTP/1.1 abc OK\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    `${ok}no colon here\r\n\r\n`,
    `${ok}Content-Length: minus one\r\n\r\nx`,
    `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`,
    `${ok}X-Nul: a\0b\r\n\r\n`,
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]
  for (const reply of rubbish) await failsWith((socket) => socket.write(reply, 'latin1'), 'http-malformed')
})

test('a reply that ends within its header fails', async () => {
  await withOrigin(
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
    {},
    async (fetcher, origin) => {
      assert.equal(asFailure(await fetcher.fetch({ url: origin.url })).code, 'connect-failed')
    },
  )
})

test('an endless header is too large: many fields, one value, the status line or empty lines', async () => {
  const bombs: [head: string, piece: string][] = [
    ['HTTP/1.1 200 OK\r\n', 'X-Bomb: y\r\n'.repeat(500)],
    ['HTTP/1.1 200 OK\r\n', 'a:\r\n'.repeat(1000)],
    ['HTTP/1.1 200 OK\r\nX: ', 'y'.repeat(5000)],
    ['HTTP/1.1 200 ', 'y'.repeat(5000)],
    ['', '\r\n'.repeat(5000)],
  ]
  for (const [head, piece] of bombs) {
    await failsWith(
      (socket) => {
        socket.write(head)
        flood(socket, Buffer.from(piece))
      },
      'header-too-large',
      { maxHeaderBytes: 16 << 10 },
    )
  }
})

test('rejects endless framing: chunk extensions, one-byte chunks, trailers', async () => {
  const floods: [head: string, piece: string, code: ErrorCode][] = [
    [`${ok}Transfer-Encoding: chunked\r\n\r\n5;x=`, 'y'.repeat(5000), 'http-malformed'],
    [`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(2000), 'http-malformed'],
    [`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X-Bomb: y\r\n'.repeat(500), 'header-too-large'],
  ]
  for (const [head, piece, code] of floods) {
    await failsWith((socket) => {
      socket.write(head)
      flood(socket, Buffer.from(piece))
    }, code)
  }
})

test('reassembles a body sent in thousands of small chunks', async () => {
  const body = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`)
  await withOrigin(
    (socket) => {
      const chunks = body.map((line) => `${line.length.toString(16)}\r\n${line}\r\n`).join('')
      socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
    },
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), body.join(''))
    },
  )
})

test('serves the next request to the same host after each kind of failure', async () => {
  const bad: Answer[] = [
    (socket) => socket.write('rubbish\r\n\r\n'),
    (socket) => socket.end(`${ok}Content-Length: 10\r\n\r\nshort`),
    (socket) => socket.resetAndDestroy(),
    (socket) => flood(socket, Buffer.from('X: y\r\n'.repeat(500))),
    () => {},
    (socket) => socket.write(`${ok}Content-Length: 10\r\n\r\nstall`),
  ]
  await withOrigin(
    (socket, request, nth) => {
      const which = /^GET \/bad\/(\d)/.exec(request)
      if (which === null) socket.write(page('well'))
      else bad[Number(which[1])]!(socket, request, nth)
    },
    { limits: { headersTimeoutMs: 100, bodyTimeoutMs: 50 } },
    async (fetcher, origin) => {
      for (let i = 0; i < bad.length; i++) {
        // Both are requested at once: the second waits for the failing first.
        const [failing, following] = await Promise.all([
          fetcher.fetch({ url: `${origin.url}/bad/${i}` }),
          fetcher.fetch({ url: `${origin.url}/good` }),
        ])
        assert.equal(failing.kind, 'failed', `answer ${i}`)
        assert.equal(following.kind, 'response', `answer ${i}`)
      }
    },
  )
})
