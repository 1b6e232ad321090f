import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { selfSigned } from './certificate.testkit.ts'
import { asFailure, asResponse, page, startFetcher, startOrigin, withOrigin } from './origin.testkit.ts'

const { key, cert } = selfSigned('secure.example')
const names = { 'secure.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] }
const start = () => startOrigin((socket) => socket.write(page('safe')), { tls: { key, cert } })

test('rejects a self-signed certificate', async () => {
  const origin = await start()
  const fetcher = startFetcher({ names })
  const failure = asFailure(await fetcher.fetch({ url: `https://secure.example:${origin.port}/` }))
  assert.deepEqual([failure.code, failure.retry, failure.address], ['tls-failed', 'never', '127.0.0.1'])
  assert.equal(origin.requests.length, 0)
  await fetcher.close()
  await origin.close()
})

test('accepts a trusted certificate only for its own name, and keeps the connection', async () => {
  const origin = await start()
  const fetcher = startFetcher({ names, tls: { ca: cert } })
  for (const path of ['a', 'b']) {
    const response = asResponse(await fetcher.fetch({ url: `https://secure.example:${origin.port}/${path}` }))
    assert.equal(response.body.toString(), 'safe')
  }
  assert.equal(origin.connections, 1)
  const other = asFailure(await fetcher.fetch({ url: `https://other.example:${origin.port}/` }))
  assert.equal(other.code, 'tls-failed')
  const bare = asFailure(await fetcher.fetch({ url: `https://127.0.0.1:${origin.port}/` }))
  assert.equal(bare.code, 'tls-failed')
  assert.equal(origin.requests.length, 2)
  await fetcher.close()
  await origin.close()
})

test('a handshake that is never answered times out', async () => {
  await withOrigin(
    () => {},
    { limits: { connectTimeoutMs: 60 } },
    async (fetcher, origin) => {
      const failure = asFailure(await fetcher.fetch({ url: `https://127.0.0.1:${origin.port}/` }))
      assert.equal(failure.code, 'connect-timeout')
    },
  )
})

test('fails if the server answers the handshake in plain HTTP', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const fetcher = startFetcher()
  assert.equal(asFailure(await fetcher.fetch({ url: `https://127.0.0.1:${port}/` })).code, 'tls-failed')
  await fetcher.close()
  server.close()
  await once(server, 'close')
})
