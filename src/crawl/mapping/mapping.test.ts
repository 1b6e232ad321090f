import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock, systemClock } from '../../core/clock.ts'
import { createAddressGuard } from '../../core/url/address.ts'
import { createDnsCache } from '../dns/dns-cache.ts'
import { type NameServer, startNameServer } from '../dns/name-server.testkit.ts'
import { createSystemResolver, type Resolver } from '../dns/resolver.ts'
import { createMapping, type MappedHost, type Mapping } from './mapping.ts'

const guard = createAddressGuard({ allow: ['127.0.0.0/8'] })

function mapAll(mapping: Mapping, urls: readonly string[]): Promise<MappedHost[]> {
  return Promise.all(urls.map((url) => new Promise<MappedHost>((resolve) => mapping.map(url, resolve))))
}

describe('mapping with a real name server', () => {
  let server: NameServer
  before(async () => {
    server = await startNameServer((name) => {
      if (name.startsWith('absent')) return { rcode: 3 }
      if (name.startsWith('inside')) return { addresses: ['10.0.0.1', '127.0.0.9'], ttlSeconds: 3600 }
      if (name.startsWith('refused')) return { addresses: ['10.0.0.1'], ttlSeconds: 3600 }
      return { addresses: ['127.0.0.1'], ttlSeconds: 3600 }
    })
  })
  after(() => server.close())

  type Listeners = { onResolved?(isFound: boolean): void; onAsked?(host: string): void }

  function open(mappers: number, { onResolved = () => {}, onAsked }: Listeners): Mapping {
    const system = createSystemResolver({ clock: systemClock, servers: [server.server] })
    const resolver: Resolver = {
      resolve(host) {
        onAsked?.(host)
        return system.resolve(host)
      },
    }
    const dns = createDnsCache({ resolver, clock: systemClock })
    return createMapping({ dns, guard, clock: systemClock, mappers, onResolved })
  }

  test('finds an allowed address, and maps hosts without one to an empty address', async () => {
    const results: boolean[] = []
    const mapped = await mapAll(open(8, { onResolved: (isFound) => results.push(isFound) }), [
      'http://a.example/x',
      'http://inside.example/',
      'http://refused.example/',
      'http://absent.example/',
      'http://127.0.0.7:8080/',
      'http://[::1]/',
      'file:///srv/data/',
    ])
    assert.deepEqual(
      mapped.map(({ address }) => address),
      ['127.0.0.1', '127.0.0.9', '', '', '127.0.0.7', '', ''],
    )
    assert.deepEqual(results.sort(), [false, true, true, true])
    const now = systemClock.monotonic()
    assert.ok(mapped.every(({ until }) => until > now))
    assert.equal(mapped[4]!.until, Number.POSITIVE_INFINITY)
  })

  test('asks for each host of a long queue once, in order, with three mappers', async () => {
    const asked: string[] = []
    const mapping = open(3, { onAsked: (host) => asked.push(host) })
    const hosts = Array.from({ length: 50 }, (_, n) => `host-${n}.example`)
    const all = mapAll(
      mapping,
      hosts.map((host) => `http://${host}/`),
    )
    assert.deepEqual(mapping.counts(), { waiting: 47, resolving: 3 })
    assert.ok((await all).every(({ address }) => address === '127.0.0.1'))
    assert.deepEqual(asked, hosts)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(mapping.counts(), { waiting: 0, resolving: 0 })
  })
})

test('a mapping expires one second before its DNS answer', async () => {
  const clock = createManualClock()
  let asked = 0
  const resolver: Resolver = {
    async resolve() {
      asked++
      return { addresses: ['127.0.0.1'], ttlMs: 60_000 }
    },
  }
  const dns = createDnsCache({ resolver, clock, minTtlMs: 0 })
  const mapping = createMapping({ dns, guard, clock, mappers: 1, onResolved() {} })
  const [first] = await mapAll(mapping, ['http://a.example/'])
  assert.equal(first!.until, clock.monotonic() + 59_000)
  clock.advance(59_500)
  // Still cached for half a second: a request that started just before doesn't wait.
  await dns.lookup('a.example')
  assert.equal(asked, 1)
  clock.advance(1_000)
  const [again] = await mapAll(mapping, ['http://a.example/'])
  assert.equal(asked, 2)
  assert.equal(again!.until, clock.monotonic() + 59_000)
})
