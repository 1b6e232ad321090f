import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { createDnsCache } from './dns-cache.ts'
import { startNameServer } from './name-server.testkit.ts'
import { createSystemResolver, type Resolver } from './resolver.ts'

type Asked = { host: string; answer(addresses: string[], ttlMs?: number): void; fail(error: Error): void }

/** A resolver that the test answers by hand, to keep queries pending. */
function createHandResolver(): Resolver & { asked: Asked[] } {
  const asked: Asked[] = []
  return {
    asked,
    resolve: (host) =>
      new Promise((resolve, reject) => {
        asked.push({
          host,
          answer: (addresses, ttlMs = 60_000) => resolve({ addresses, ttlMs }),
          fail: reject,
        })
      }),
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('keeps an answer for its TTL, within the configured bounds', async () => {
  const clock = createManualClock()
  const answers = [
    { addresses: ['192.0.2.1'], ttlMs: 0 },
    { addresses: ['192.0.2.2'], ttlMs: 10_000_000 },
    { addresses: ['192.0.2.3'], ttlMs: 5_000 },
  ]
  let questions = 0
  const resolver: Resolver = { resolve: async () => answers[questions++]! }
  const cache = createDnsCache({ resolver, clock, minTtlMs: 1_000, maxTtlMs: 10_000 })
  const ask = async () => {
    const answer = await cache.lookup('a.example')
    return answer.kind === 'found' ? answer.addresses[0] : answer.kind
  }
  assert.equal(await ask(), '192.0.2.1')
  clock.advance(999)
  assert.equal(await ask(), '192.0.2.1')
  clock.advance(1)
  assert.equal(await ask(), '192.0.2.2')
  clock.advance(9_999)
  assert.equal(await ask(), '192.0.2.2')
  clock.advance(1)
  assert.equal(await ask(), '192.0.2.3')
  assert.equal(questions, 3)
})

test('caches that a host does not exist, and failures for only a few seconds', async () => {
  const clock = createManualClock()
  const resolver = createHandResolver()
  const cache = createDnsCache({ resolver, clock, negativeTtlMs: 60_000 })
  const first = cache.lookup('none.example')
  resolver.asked[0]!.answer([])
  assert.deepEqual(await first, { kind: 'not-found' })
  clock.advance(59_999)
  assert.deepEqual(await cache.lookup('none.example'), { kind: 'not-found' })
  assert.equal(resolver.asked.length, 1)

  const broken = cache.lookup('broken.example')
  resolver.asked[1]!.fail(new Error('queryA ESERVFAIL broken.example'))
  assert.deepEqual(await broken, { kind: 'failed', reason: 'queryA ESERVFAIL broken.example' })
  assert.equal((await cache.lookup('broken.example')).kind, 'failed')
  clock.advance(5_000)
  const again = cache.lookup('broken.example')
  resolver.asked[2]!.answer(['192.0.2.1'])
  assert.equal((await again).kind, 'found')
})

test('treats a "not found" rejection like an empty answer', async () => {
  const resolver: Resolver = {
    resolve: () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
  }
  const cache = createDnsCache({ resolver, clock: createManualClock() })
  assert.deepEqual(await cache.lookup('none.example'), { kind: 'not-found' })
})

test('shares pending lookups of a host and limits concurrent queries', async () => {
  const resolver = createHandResolver()
  const cache = createDnsCache({ resolver, clock: createManualClock(), concurrency: 2 })
  const answers = ['a', 'a', 'b', 'c', 'a', 'd'].map((name) => cache.lookup(`${name}.example`))
  await turn()
  assert.deepEqual(
    resolver.asked.map((question) => question.host),
    ['a.example', 'b.example'],
  )
  resolver.asked[0]!.answer(['192.0.2.1'])
  await turn()
  assert.equal(resolver.asked.length, 3)
  resolver.asked[1]!.fail(new Error('no'))
  resolver.asked[2]!.answer(['192.0.2.3'])
  await turn()
  assert.equal(resolver.asked.length, 4)
  resolver.asked[3]!.answer(['192.0.2.4'])
  assert.deepEqual(
    (await Promise.all(answers)).map((answer) => answer.kind),
    ['found', 'found', 'failed', 'found', 'found', 'found'],
  )
})

test('evicts the least recently used host when the cache is full', async () => {
  const asked: string[] = []
  const resolver: Resolver = {
    async resolve(host) {
      asked.push(host)
      return { addresses: ['192.0.2.1'], ttlMs: 60_000 }
    },
  }
  const cache = createDnsCache({ resolver, clock: createManualClock(), maxEntries: 2 })
  for (const host of ['a.example', 'b.example', 'a.example', 'c.example', 'a.example', 'b.example']) {
    await cache.lookup(host)
  }
  assert.deepEqual(asked, ['a.example', 'b.example', 'c.example', 'b.example'])
})

test('a query without an answer fails at the timeout', async () => {
  const cache = createDnsCache({ resolver: createHandResolver(), clock: createManualClock(), timeoutMs: 20 })
  const answer = await cache.lookup('mute.example')
  assert.equal(answer.kind, 'failed')
  assert.match(answer.kind === 'failed' ? answer.reason : '', /20 ms/)
})

test('answers addresses and impossible names without a query', async () => {
  const resolver = createHandResolver()
  const cache = createDnsCache({ resolver, clock: createManualClock() })
  assert.deepEqual(await cache.lookup('192.0.2.1'), { kind: 'found', addresses: ['192.0.2.1'] })
  assert.deepEqual(await cache.lookup('[2001:db8::1]'), { kind: 'found', addresses: ['2001:db8::1'] })
  for (const host of ['', '..', 'a..b', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}toolong`]) {
    assert.deepEqual(await cache.lookup(host), { kind: 'not-found' }, host)
  }
  assert.equal(resolver.asked.length, 0)
})

test('sees a name move from a public to a private address once its cached answer expires', async () => {
  const server = await startNameServer((_, type, nth) =>
    type === 'AAAA' ? {} : { addresses: [nth === 0 ? '93.184.215.14' : '127.0.0.1'], ttlSeconds: 1 },
  )
  const clock = createManualClock()
  try {
    const resolver = createSystemResolver({ clock, servers: [server.server], hostsPath: '/nonexistent' })
    const cache = createDnsCache({ resolver, clock, minTtlMs: 30_000 })
    assert.deepEqual(await cache.lookup('rebind.example'), { kind: 'found', addresses: ['93.184.215.14'] })
    clock.advance(29_999)
    assert.deepEqual(await cache.lookup('rebind.example'), { kind: 'found', addresses: ['93.184.215.14'] })
    clock.advance(1)
    assert.deepEqual(await cache.lookup('rebind.example'), { kind: 'found', addresses: ['127.0.0.1'] })
  } finally {
    await server.close()
  }
})
