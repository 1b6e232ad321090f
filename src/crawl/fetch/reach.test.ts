import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { createManualClock, systemClock } from '../../core/clock.ts'
import { createAddressGuard } from '../../core/url/address.ts'
import { createDnsCache } from '../dns/dns-cache.ts'
import { startNameServer } from '../dns/name-server.testkit.ts'
import { createSystemResolver } from '../dns/resolver.ts'
import { defaultFetchLimits } from './fetch-limits.ts'
import { createFetcher } from './fetcher.ts'
import { asFailure, asResponse, page, startFetcher, startOrigin, withOrigin } from './origin.testkit.ts'

const closed = () => createAddressGuard({ allow: [] })

test('refuses a forbidden address in every notation', async () => {
  await withOrigin(
    (socket) => socket.write(page('secret')),
    { guard: closed(), names: { 'inside.example': ['127.0.0.1'] } },
    async (fetcher, origin) => {
      const hosts = [
        '127.0.0.1',
        '127.1',
        '0x7f.1',
        '0x7f000001',
        '2130706433',
        '0177.0.0.1',
        '127.0.0.1.',
        '１２７.０.０.１',
        '%31%32%37.0.0.1',
        '0',
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[::127.0.0.1]',
        '[64:ff9b::127.0.0.1]',
        '[2002:7f00:1::]',
        'inside.example',
        'user:pw@127.0.0.1',
      ]
      for (const host of hosts) {
        const failure = asFailure(await fetcher.fetch({ url: `http://${host}:${origin.port}/` }))
        assert.deepEqual([failure.code, failure.retry], ['address-refused', 'never'], host)
      }
      assert.equal(origin.connections, 0)
    },
  )
})

test('refuses a name once it moves to a forbidden address', async () => {
  const names = await startNameServer((_, type, nth) =>
    type === 'AAAA' ? {} : { addresses: [nth === 0 ? '127.0.0.1' : '169.254.169.254'], ttlSeconds: 1 },
  )
  // The one allowed loopback address plays the part of a public host.
  const origin = await startOrigin((socket) => socket.end(page('public', 'Connection: close')))
  const clock = createManualClock()
  const resolver = createSystemResolver({ clock, servers: [names.server], hostsPath: '/nonexistent' })
  const fetcher = createFetcher({
    dns: createDnsCache({ resolver, clock }),
    guard: createAddressGuard({ allow: ['127.0.0.1'] }),
    clock: systemClock,
    limits: defaultFetchLimits,
    userAgent: 'erace-test/1',
    acceptsMediaType: () => true,
  })
  const url = `http://rebind.example:${origin.port}/`
  assert.equal(asResponse(await fetcher.fetch({ url })).body.toString(), 'public')
  clock.advance(60_000)
  const failure = asFailure(await fetcher.fetch({ url }))
  assert.equal(failure.code, 'address-refused')
  assert.match(failure.message, /169\.254\.169\.254 is refused: link-local/)
  assert.equal(origin.connections, 1)
  await fetcher.close()
  await origin.close()
  await names.close()
})

test('uses only the allowed addresses of a name', async () => {
  await withOrigin(
    (socket) => socket.write(page('ok')),
    {
      guard: createAddressGuard({ allow: ['127.0.0.1'] }),
      names: { 'mixed.example': ['10.0.0.1', 'fe80::1%eth0', '169.254.169.254', '127.0.0.1'] },
    },
    async (fetcher, origin) => {
      const response = asResponse(await fetcher.fetch({ url: `http://mixed.example:${origin.port}/` }))
      assert.equal(response.address, '127.0.0.1')
      assert.match(origin.requests[0] ?? '', /\r\nhost: mixed\.example:\d+\r\n/)
    },
  )
})

test('tries the next address if the first refuses the connection', async () => {
  await withOrigin(
    (socket) => socket.write(page('ok')),
    { names: { 'both.example': ['127.0.0.1', '::1'] } },
    async (fetcher, origin) => {
      // The origin listens only on 127.0.0.1, and IPv6 goes first.
      assert.equal(asResponse(await fetcher.fetch({ url: `http://both.example:${origin.port}/` })).address, '127.0.0.1')
    },
  )
})

test('a port without a listener fails with connect-refused', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  server.close()
  await once(server, 'close')
  const fetcher = startFetcher()
  const failure = asFailure(await fetcher.fetch({ url: `http://127.0.0.1:${port}/` }))
  assert.deepEqual([failure.code, failure.retry, failure.address], ['connect-refused', 'later', '127.0.0.1'])
  await fetcher.close()
})

test('distinguishes a host without addresses from a failing resolver', async () => {
  const fetcher = startFetcher({
    resolver: {
      async resolve(host) {
        if (host === 'broken.example') throw new Error('queryA ESERVFAIL')
        return { addresses: [], ttlMs: 0 }
      },
    },
  })
  const missing = asFailure(await fetcher.fetch({ url: 'http://none.example/' }))
  assert.deepEqual([missing.code, missing.retry, missing.address], ['dns-not-found', 'never', null])
  const broken = asFailure(await fetcher.fetch({ url: 'http://broken.example/' }))
  assert.deepEqual([broken.code, broken.retry], ['dns-failed', 'later'])
  await fetcher.close()
})

test('all requests for a name that never resolves fail at the total time limit', async () => {
  const fetcher = startFetcher({ resolver: { resolve: () => new Promise(() => {}) }, limits: { totalTimeoutMs: 50 } })
  const results = await Promise.all([1, 2].map((n) => fetcher.fetch({ url: `http://mute.example/${n}` })))
  for (const result of results) assert.equal(asFailure(result).code, 'total-timeout')
  await fetcher.close()
})
