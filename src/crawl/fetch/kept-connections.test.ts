import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { type Answer, asResponse, page, withOrigin } from './origin.testkit.ts'

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

const answers: [name: string, raw: string, connections: number][] = [
  ['as a matter of course', page('text'), 1],
  ['for a time that the server names', page('text', 'Keep-Alive: timeout=5, max=100'), 1],
  ['not where the server closes it', page('text', 'Connection: Close'), 2],
  ['not where closing is one of several options', page('text', 'Connection: x, close'), 2],
  ['not where the server keeps it for no time', page('text', 'Keep-Alive: timeout=0'), 2],
  ['not before HTTP/1.1', page('text').replace('1.1', '1.0'), 2],
  ['before HTTP/1.1 where the server says so', page('text', 'Connection: keep-alive').replace('1.1', '1.0'), 1],
  ['not where bytes follow that nobody asked for', `${page('text')}HTTP/1.1 200 OK\r\n\r\n`, 2],
  ['after chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n', 1],
]

for (const [name, raw, connections] of answers)
  test(`a connection is kept ${name}`, async () => {
    assert.equal(await connectionsFor((socket) => socket.write(raw)), connections)
  })

test('what comes on an idle connection is nobody’s answer', async () => {
  const sockets: Socket[] = []
  await withOrigin(
    (socket) => {
      sockets.push(socket)
      socket.write(page(`text ${sockets.length}`))
    },
    {},
    async (fetcher, origin) => {
      await fetcher.fetch({ url: origin.url })
      sockets[0]!.write(page('forged'))
      await once(sockets[0]!, 'close')
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'text 2')
      assert.notEqual(sockets[0], sockets[1])
    },
  )
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
