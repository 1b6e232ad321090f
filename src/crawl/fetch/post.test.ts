import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asFailure, asResponse, page, startFetcher, startOrigin, withOrigin } from './origin.testkit.ts'

test('sends a body as a POST with its length and reuses the connection', async () => {
  await withOrigin(
    (socket, _, nth) => socket.write(page(`page ${nth}`)),
    {},
    async (fetcher, origin) => {
      const request = { url: `${origin.url}/search`, headers: { 'content-type': 'application/json' } }
      assert.equal(
        asResponse(await fetcher.fetch({ ...request, body: Buffer.from('{"q":1}') })).body.toString(),
        'page 0',
      )
      assert.match(origin.requests[0]!, /^POST \/search HTTP\/1\.1\r\n/)
      assert.match(origin.requests[0]!, /\r\ncontent-type: application\/json\r\n/)
      assert.match(origin.requests[0]!, /\r\ncontent-length: 7\r\n/)
      assert.doesNotMatch(origin.requests[0]!, /transfer-encoding|expect/i)
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'page 1')
      // The origin reads only heads: the body appears before the next one.
      assert.ok(origin.requests[1]!.startsWith('{"q":1}GET / HTTP/1.1'))
      assert.equal(origin.connections, 1)
    },
  )
})

test('sends an empty body as a POST', async () => {
  await withOrigin(
    (socket) => socket.write(page('done')),
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url, body: Buffer.alloc(0) })).status, 200)
      assert.match(origin.requests[0]!, /^POST \/ HTTP\/1\.1\r\n[\s\S]*content-length: 0\r\n/)
    },
  )
})

test('sends a preflight as an OPTIONS request without a body', async () => {
  await withOrigin(
    (socket) => socket.write('HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n'),
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url, isPreflight: true, anyType: true })).status, 204)
      assert.match(origin.requests[0]!, /^OPTIONS \/ HTTP\/1\.1\r\n/)
      assert.doesNotMatch(origin.requests[0]!, /content-length/i)
    },
  )
})

test('rejects a Content-Length given by the caller', async () => {
  const fetcher = startFetcher()
  const result = await fetcher.fetch({
    url: 'http://127.0.0.1:1/',
    headers: { 'Content-Length': '1' },
    body: Buffer.from('xx'),
  })
  assert.equal(asFailure(result).code, 'internal')
  await fetcher.close()
})

test('sends a POST only once, even if the kept connection was just closed', async () => {
  const origin = await startOrigin((socket, request, nth) => {
    if (nth === 0) socket.write(page('first'))
    else if (request.includes('POST')) socket.destroy()
    else socket.write(page('next'))
  })
  const fetcher = startFetcher()
  await fetcher.fetch({ url: origin.url })
  const failure = asFailure(await fetcher.fetch({ url: origin.url, body: Buffer.from('a=1') }))
  assert.deepEqual([failure.code, failure.retry], ['connect-failed', 'later'])
  assert.equal(asResponse(await fetcher.fetch({ url: origin.url })).body.toString(), 'next')
  assert.equal(origin.requests.filter((request) => request.includes('POST')).length, 1)
  await fetcher.close()
  await origin.close()
})

test('returns a redirect of a POST instead of following it', async () => {
  await withOrigin(
    (socket) => socket.write('HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n'),
    {},
    async (fetcher, origin) => {
      assert.equal(asResponse(await fetcher.fetch({ url: origin.url, body: Buffer.from('a=1') })).status, 307)
      assert.equal(origin.requests.length, 1)
    },
  )
})
