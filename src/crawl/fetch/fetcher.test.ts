import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { headerList, headerValue } from './fetch-result.ts'
import { asFailure, asResponse, page, startFetcher, startOrigin, withOrigin } from './origin.testkit.ts'

test('returns a page with status, raw headers, body, address and timings', async () => {
  const head = 'Content-Type: text/html\r\nX-B: caf\xe9\r\nx-a: 1\r\nX-A: 2'
  await withOrigin(
    (socket) => socket.write(page('<p>hello', head), 'latin1'),
    {},
    async (fetcher, origin) => {
      const response = asResponse(await fetcher.fetch({ url: `${origin.url}/a?b=c` }))
      assert.equal(response.status, 200)
      assert.equal(response.statusLine, 'HTTP/1.1 200 OK')
      assert.equal(response.body.toString(), '<p>hello')
      assert.equal(response.truncated, null)
      assert.equal(response.address, '127.0.0.1')
      assert.deepEqual(response.rawHeaders.slice(0, 8), [
        'Content-Type',
        'text/html',
        'X-B',
        'caf\xe9',
        'x-a',
        '1',
        'X-A',
        '2',
      ])
      assert.equal(headerValue(response.rawHeaders, 'x-a'), '1')
      assert.equal(headerList(response.rawHeaders, 'x-a'), '1, 2')
      assert.equal(headerValue(response.rawHeaders, 'etag'), undefined)
      assert.equal(response.wireBytes, Buffer.byteLength(page('<p>hello', head), 'latin1'))
      assert.ok(response.firstByteMs >= 0 && response.totalMs >= response.firstByteMs)
      assert.match(origin.requests[0] ?? '', /^GET \/a\?b=c HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
      assert.match(
        origin.requests[0] ?? '',
        /\r\nuser-agent: erace-test\/1\r\naccept-encoding: gzip, deflate, br, zstd\r\n/,
      )
    },
  )
})

test('requests to one host share one connection, in order', async () => {
  await withOrigin(
    (socket, _, nth) => socket.write(page(`page ${nth}`)),
    {},
    async (fetcher, origin) => {
      const urls = Array.from({ length: 20 }, (_, i) => `${origin.url}/${i}`)
      const bodies = await Promise.all(
        urls.map(async (url) => asResponse(await fetcher.fetch({ url })).body.toString()),
      )
      assert.deepEqual(
        bodies,
        urls.map((_, i) => `page ${i}`),
      )
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'page 20')
      assert.equal(origin.connections, 1)
    },
  )
})

test('asks right before it writes a request whether it still may', async () => {
  await withOrigin(
    (socket, _, nth) => socket.write(page(`page ${nth}`)),
    {},
    async (fetcher, origin) => {
      let asked = 0
      let isMine = true
      const mayBegin = (): boolean => {
        asked++
        return isMine
      }
      const fetchIt = () => fetcher.fetch({ url: origin.url, mayBegin })
      const late = fetchIt()
      // Given away while the connection is made.
      isMine = false
      assert.equal(asFailure(await late).code, 'lease-lost')
      isMine = true
      assert.equal(asResponse(await fetchIt()).body.toString(), 'page 0')
      const lateAgain = fetchIt()
      // … and before the request is written on a kept one.
      isMine = false
      assert.equal(asFailure(await lateAgain).code, 'lease-lost')
      isMine = true
      assert.equal(asResponse(await fetchIt()).body.toString(), 'page 1')
      assert.equal(origin.requests.length, 2)
      assert.equal(asked, 4)
    },
  )
})

test('opens several connections to a host if configured', async () => {
  const held: Socket[] = []
  await withOrigin(
    (socket) => {
      held.push(socket)
      if (held.length === 3) for (const waiting of held) waiting.write(page('together'))
    },
    { limits: { perHostConnections: 3 } },
    async (fetcher, origin) => {
      const results = await Promise.all([1, 2, 3].map((n) => fetcher.fetch({ url: `${origin.url}/${n}` })))
      assert.ok(results.every((result) => result.kind === 'response'))
      assert.equal(origin.connections, 3)
    },
  )
})

test('removes the framing of a chunked body', async () => {
  await withOrigin(
    (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n',
      ),
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'hello world')
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'hello world')
      assert.equal(origin.connections, 1)
    },
  )
})

test('an HTTP/1.0 body ends with its connection', async () => {
  await withOrigin(
    (socket) => socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nold but good'),
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'old but good')
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'old but good')
      assert.equal(origin.connections, 2)
    },
  )
})

test('204 and 304 responses have no body, even with a Content-Length', async () => {
  const answers = [
    'HTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n',
    page('next'),
  ]
  await withOrigin(
    (socket, _, nth) => socket.write(answers[nth]!),
    {},
    async (fetcher, origin) => {
      for (const status of [204, 304, 304]) {
        const response = asResponse(await fetcher.fetch({ url: origin.url, headers: { 'If-None-Match': '"x"' } }))
        assert.equal(response.status, status)
        assert.equal(response.body.length, 0)
      }
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'next')
      assert.match(origin.requests[0] ?? '', /\r\nIf-None-Match: "x"\r\n/)
    },
  )
})

test('skips interim responses sent in one piece or byte by byte', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'
  const go = 'HTTP/1.1 100 Continue\r\n\r\n'
  const answers = [hints + page('a'), go + page('b'), go + go + page('c'), go, 'HTTP/1.1 100 Continue\r\nX: y\r\n\r\n']
  await withOrigin(
    (socket, _, nth) => {
      if (nth < 3) socket.write(answers[nth]!)
      else writeSlowly(socket, answers[nth]! + page('d'))
    },
    {},
    async (fetcher, origin) => {
      for (const body of ['a', 'b', 'c', 'd', 'd']) {
        assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), body)
      }
      assert.equal(origin.connections, 1)
    },
  )
})

function writeSlowly(socket: Socket, text: string): void {
  if (text === '') return
  socket.setNoDelay(true)
  socket.write(text.slice(0, 1), () => setImmediate(writeSlowly, socket, text.slice(1)))
}

test('returns a redirect like any other response instead of following it', async () => {
  await withOrigin(
    (socket) =>
      socket.write('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 4\r\n\r\nmove'),
    {},
    async (fetcher, origin) => {
      const response = asResponse(await fetcher.fetch({ url: origin.url }))
      assert.equal(response.status, 302)
      assert.equal(headerValue(response.rawHeaders, 'location'), 'http://169.254.169.254/')
      assert.equal(response.body.toString(), 'move')
      assert.equal(origin.requests.length, 1)
    },
  )
})

test('reads only the beginning of a large error page of any type', async () => {
  const head = 'HTTP/1.1 404 Not Found\r\nContent-Type: image/png\r\n'
  await withOrigin(
    (socket, _, nth) =>
      socket.write(`${head}Content-Length: ${nth === 0 ? 5 : 5000}\r\n\r\n${'x'.repeat(nth === 0 ? 5 : 5000)}`),
    { limits: { maxErrorBodyBytes: 1000 } },
    async (fetcher, origin) => {
      const small = asResponse(await fetcher.fetch({ url: origin.url }))
      assert.deepEqual([small.status, small.body.length, small.truncated], [404, 5, null])
      const large = asResponse(await fetcher.fetch({ url: origin.url }))
      assert.deepEqual([large.status, large.body.length, large.truncated], [404, 1000, 'length'])
    },
  )
})

test('skips a response with an unwanted media type after its header', async () => {
  await withOrigin(
    (socket, request) => {
      if (request.startsWith('GET /small')) socket.write(page('%PDF', 'Content-Type: Application/PDF; x=y'))
      else socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 900000000\r\n\r\nfirst bytes')
    },
    {},
    async (fetcher, origin) => {
      const small = await fetcher.fetch({ url: `${origin.url}/small` })
      assert.deepEqual([small.kind, small.kind === 'skipped' && small.status], ['skipped', 200])
      const read = asResponse(await fetcher.fetch({ url: `${origin.url}/small`, anyType: true }))
      assert.equal(read.body.toString(), '%PDF')
      assert.equal(origin.connections, 1, 'a short body is read away to keep the connection')
      assert.equal((await fetcher.fetch({ url: `${origin.url}/large` })).kind, 'skipped')
      assert.equal((await fetcher.fetch({ url: `${origin.url}/large` })).kind, 'skipped')
      assert.equal(origin.connections, 2, 'a long one costs the connection')
    },
  )
})

test('retries on a new connection if the server closed a kept one', async () => {
  await withOrigin(
    (socket, _, nth) => {
      // The server closes on the second request, as if its keep-alive timeout expired while the request was in flight.
      if (nth === 1) socket.destroy()
      else socket.write(page(`page ${nth}`))
    },
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'page 0')
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'page 2')
      assert.equal(origin.connections, 2)
    },
  )
})

test('fails after one retry if the server keeps closing, and at once on a new connection', async () => {
  await withOrigin(
    (socket, _, nth) => (nth === 0 ? socket.write(page('once')) : socket.destroy()),
    {},
    async (fetcher, origin) => {
      await fetcher.fetch({ url: origin.url })
      const failure = asFailure(await fetcher.fetch({ url: origin.url }))
      assert.deepEqual([failure.code, failure.retry, failure.address], ['connect-failed', 'later', '127.0.0.1'])
      assert.equal(origin.requests.length, 3)
      assert.equal(asFailure(await fetcher.fetch({ url: origin.url })).code, 'connect-failed')
      assert.equal(origin.requests.length, 4)
    },
  )
})

test('does not send user and password of a URL', async () => {
  await withOrigin(
    (socket) => socket.write(page('ok')),
    {},
    async (fetcher, origin) => {
      asResponse(await fetcher.fetch({ url: `http://user:secret@127.0.0.1:${origin.port}/` }))
      assert.doesNotMatch(origin.requests[0] ?? '', /authorization|cookie|secret|user:/i)
    },
  )
})

test('request headers replace the defaults; headers that could forge a message are rejected', async () => {
  await withOrigin(
    (socket) => socket.write(page('ok')),
    { headers: { accept: 'text/html', 'accept-language': 'en' } },
    async (fetcher, origin) => {
      asResponse(await fetcher.fetch({ url: origin.url, headers: { Accept: 'text/plain' } }))
      assert.match(origin.requests[0] ?? '', /\r\nAccept: text\/plain\r\n.*\r\naccept-language: en\r\n/s)
      assert.doesNotMatch(origin.requests[0] ?? '', /text\/html/)
      const wrong: Record<string, string>[] = [
        { 'If-None-Match': 'x\r\nEvil: 1' },
        { 'X-A': 'a\0b' },
        { 'X-A': 'snow \u2603' },
        { 'X A': '1' },
        { 'X-A\r\nB': '1' },
        { Host: 'other.example' },
        { 'Content-Length': '5' },
        { 'Transfer-Encoding': 'chunked' },
      ]
      for (const headers of wrong) {
        assert.equal(asFailure(await fetcher.fetch({ url: origin.url, headers })).retry, 'never')
      }
      assert.equal(origin.requests.length, 1)
    },
  )
})

test('rejects invalid URLs and other schemes', async () => {
  const fetcher = startFetcher()
  for (const url of [
    '',
    'mailto:a@b.example',
    'file:///etc/passwd',
    'ftp://a.example/',
    'http://',
    'x'.repeat(100_000),
  ]) {
    assert.equal(asFailure(await fetcher.fetch({ url })).code, 'url-invalid')
  }
  await fetcher.close()
})

test('closes the connection idle the longest when there are too many', async () => {
  const origins = await Promise.all([1, 2, 3].map(() => startOrigin((socket) => socket.write(page('ok')))))
  const fetcher = startFetcher({ limits: { maxConnections: 2 } })
  for (const origin of origins) asResponse(await fetcher.fetch({ url: origin.url }))
  assert.equal(fetcher.openConnections, 2)
  asResponse(await fetcher.fetch({ url: origins[2]!.url }))
  assert.equal(origins[2]!.connections, 1)
  asResponse(await fetcher.fetch({ url: origins[0]!.url }))
  assert.equal(origins[0]!.connections, 2)
  await fetcher.close()
  assert.equal(fetcher.openConnections, 0)
  for (const origin of origins) await origin.close()
})

test('close() makes pending and later requests return failures', async () => {
  const origin = await startOrigin(() => {})
  const fetcher = startFetcher()
  const results = [1, 2, 3].map((n) => fetcher.fetch({ url: `${origin.url}/${n}` }))
  await fetcher.close()
  for (const result of results) assert.equal(asFailure(await result).code, 'connect-failed')
  assert.equal(asFailure(await fetcher.fetch({ url: origin.url })).code, 'connect-failed')
  await origin.close()
})

test('300 requests over one connection cause no listener leak warning', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  await withOrigin(
    (socket) => socket.write(page('ok')),
    {},
    async (fetcher, origin) => {
      for (let i = 0; i < 300; i++) asResponse(await fetcher.fetch({ url: `${origin.url}/${i}` }))
      assert.equal(origin.connections, 1)
    },
  )
  process.off('warning', note)
  assert.deepEqual(warnings, [])
})
