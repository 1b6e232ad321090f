import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBuffer } from './body-buffer.ts'
import { asResponse, withOrigin } from './origin.testkit.ts'

const limit = 10 << 20

test('a body of the announced length takes exactly that much memory', () => {
  const body = new BodyBuffer()
  const read = Buffer.from('abc')
  body.push(read, 6, limit)
  read.write('def') // the next read goes to the same memory
  body.push(read, 6, limit)
  const whole = body.take()
  assert.equal(whole.toString(), 'abcdef')
  assert.equal(whole.buffer.byteLength, 6)
})

test('announced bytes that never arrive take no memory', () => {
  const body = new BodyBuffer()
  body.push(Buffer.from('a'), limit, limit)
  const whole = body.take()
  assert.equal(whole.toString(), 'a')
  assert.ok(whole.buffer.byteLength <= Buffer.poolSize)
})

test('collects one-byte pieces of a body whose length is unknown or exceeded', () => {
  for (const announced of [Number.NaN, 10]) {
    const body = new BodyBuffer()
    for (let i = 0; i < 100_000; i++) body.push(Buffer.of(i & 255), announced, limit)
    const whole = body.take()
    assert.equal(whole.length, 100_000)
    assert.ok(whole.every((byte, i) => byte === (i & 255)))
    assert.ok(whole.buffer.byteLength <= 1.25 * whole.length)
  }
})

test('keeps bodies and headers of concurrent connections apart', async () => {
  const pieces = 20
  const waiting: (() => void)[] = []
  await withOrigin(
    (socket, request) => {
      const name = /^GET \/(\w)/.exec(request)![1]!
      const text = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Name: ${name.repeat(50)}\r\nContent-Length: ${1000 * pieces}\r\n\r\n${name.repeat(1000 * pieces)}`
      const size = Math.ceil(text.length / pieces)
      let sent = 0
      const send = () => {
        socket.write(text.slice(sent, sent + size))
        sent += size
        if (sent < text.length) waiting.push(send)
        // One piece of each in turn, once all requests have arrived.
        if (waiting.length === 4) for (const next of waiting.splice(0)) setImmediate(next)
      }
      send()
    },
    { limits: { perHostConnections: 4 } },
    async (fetcher, origin) => {
      const names = ['a', 'b', 'c', 'd']
      const responses = await Promise.all(names.map((name) => fetcher.fetch({ url: `${origin.url}/${name}` })))
      responses.forEach((result, at) => {
        const { body, rawHeaders } = asResponse(result)
        assert.equal(body.toString(), names[at]!.repeat(1000 * pieces))
        assert.equal(rawHeaders[3], names[at]!.repeat(50))
      })
      assert.equal(origin.connections, 4)
    },
  )
})
