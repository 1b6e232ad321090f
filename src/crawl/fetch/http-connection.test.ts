import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { type Answer, asFailure, asResponse, page, startFetcher, startOrigin, withOrigin } from './origin.testkit.ts'

/** How many connections two requests take, one after the other. */
async function connectionsFor(answer: Answer): Promise<number> {
  let connections = 0
  await withOrigin(answer, {}, async (fetcher, origin) => {
    for (let nth = 0; nth < 2; nth++)
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'text')
    connections = origin.connections
  })
  return connections
}

describe('a connection is kept', () => {
  const answers: [name: string, raw: string, connections: number][] = [
    ['by default', page('text'), 1],
    ['for a time that the server states', page('text', 'Keep-Alive: timeout=5, max=100'), 1],
    ['not if the server closes it', page('text', 'Connection: Close'), 2],
    ['not if closing is one of several options', page('text', 'Connection: x, close'), 2],
    ['not if the server keeps it for no time', page('text', 'Keep-Alive: timeout=0'), 2],
    ['not before HTTP/1.1', page('text').replace('1.1', '1.0'), 2],
    ['before HTTP/1.1 if the server says so', page('text', 'Connection: keep-alive').replace('1.1', '1.0'), 1],
    ['not if bytes follow that nobody asked for', `${page('text')}HTTP/1.1 200 OK\r\n\r\n`, 2],
    ['if only a line end follows', `${page('text')}\r\n`, 1],
    ['not if many line ends follow', `${page('text')}${'\r\n'.repeat(10)}`, 2],
    ['after chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n', 1],
  ]
  for (const [name, raw, connections] of answers) {
    test(name, async () => assert.equal(await connectionsFor((socket) => socket.write(raw)), connections))
  }
})

/** Answers with the number of the connection, and collects the connections. */
function numbering(sockets: Socket[]): Answer {
  return (socket) => {
    if (!sockets.includes(socket)) sockets.push(socket)
    socket.write(page(`connection ${sockets.indexOf(socket) + 1}`))
  }
}

test('a connection is closed after a 304 that states a length, which some servers send', async () => {
  await withOrigin(
    (socket) => socket.write('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'),
    {},
    async (fetcher, origin) => {
      for (let nth = 0; nth < 2; nth++) assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).status, 304)
      assert.equal(origin.connections, 2)
    },
  )
})

test('bytes on an idle connection close it and are not taken as a response', async () => {
  const sockets: Socket[] = []
  await withOrigin(numbering(sockets), {}, async (fetcher, origin) => {
    await fetcher.fetch({ url: origin.url })
    sockets[0]!.write(page('forged'))
    await once(sockets[0]!, 'close')
    assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'connection 2')
  })
})

test('a forged response sent between two requests is not taken as the response to the second', async () => {
  await withOrigin(
    (socket, request, nth) => {
      socket.write(page(`response to ${request.split(' ')[1]}`))
      if (nth === 0) setImmediate(() => socket.write(page('forged')))
    },
    {},
    async (fetcher, origin) => {
      await fetcher.fetch({ url: `${origin.url}/1` })
      // The origin's turn comes before the second request is written.
      await new Promise(setImmediate)
      const second = asResponse(await fetcher.fetch({ url: `${origin.url}/2` }))
      assert.equal(second.body.toString(), 'response to /2')
    },
  )
})

test('a connection that the server closed between requests is replaced without a failure', async () => {
  const sockets: Socket[] = []
  await withOrigin(numbering(sockets), {}, async (fetcher, origin) => {
    await fetcher.fetch({ url: origin.url })
    sockets[0]!.end()
    await once(sockets[0]!, 'close')
    assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'connection 2')
    sockets[1]!.resetAndDestroy()
    assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'connection 3')
    assert.equal(origin.requests.length, 3)
  })
})

test('a POST that is answered before it was read whole is not followed by another request on its connection', async () => {
  const sockets: Socket[] = []
  const origin = await startOrigin((socket) => {
    sockets.push(socket)
    socket.pause()
    socket.write(page(`connection ${sockets.length}`))
  })
  const fetcher = startFetcher({ limits: { totalTimeoutMs: 5000 } })
  const body = Buffer.alloc(64 << 20)
  const first = asResponse(await fetcher.fetch({ url: origin.url, body }))
  assert.equal(first.body.toString(), 'connection 1')
  assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'connection 2')
  await fetcher.close()
  await origin.close()
})

test('a connection that was idle for too long is not used again', async () => {
  let time = 0
  const clock = { ...systemClock, monotonic: () => time }
  await withOrigin(
    (socket) => socket.write(page('text')),
    { clock, limits: { keepAliveMs: 1000 } },
    async (fetcher, origin) => {
      await fetcher.fetch({ url: origin.url })
      time += 999
      await fetcher.fetch({ url: origin.url })
      assert.equal(origin.connections, 1)
      time += 1000
      await fetcher.fetch({ url: origin.url })
      assert.equal(origin.connections, 2)
    },
  )
})

test('a connection that is not used any more is closed', async () => {
  const closed = Promise.withResolvers<void>()
  await withOrigin(
    (socket) => {
      socket.on('close', () => closed.resolve())
      socket.write(page('text'))
    },
    { limits: { keepAliveMs: 20 } },
    async (fetcher, origin) => {
      await fetcher.fetch({ url: origin.url })
      await closed.promise
    },
  )
})

test('a deadline ends the exchange on a kept connection, and the next request gets a new one', async () => {
  const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun'
  const slow: [raw: string, code: string][] = [
    ['', 'header-timeout'],
    ['HTTP/1.1 200 OK\r\nX: ', 'header-timeout'],
    [begun, 'body-timeout'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbeg', 'body-timeout'],
    ['HTTP/1.0 200 OK\r\n\r\nbegun', 'body-timeout'],
  ]
  for (const [raw, code] of slow) {
    await withOrigin(
      (socket, _, nth) => socket.write(nth === 1 ? raw : page('text')),
      { limits: { headersTimeoutMs: 50, bodyTimeoutMs: 50 } },
      async (fetcher, origin) => {
        await fetcher.fetch({ url: origin.url })
        assert.equal(asFailure(await fetcher.fetch({ url: origin.url })).code, code)
        assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'text')
        assert.equal(origin.connections, 2)
      },
    )
  }
})
