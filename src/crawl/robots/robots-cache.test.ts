import assert from 'node:assert/strict'
import test from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { createRobotsCache } from './robots-cache.ts'
import { rulesFromResponse } from './robots-verdict.ts'

const small = rulesFromResponse({ status: 200, body: Buffer.from('User-agent: *\nDisallow: /x') })

test('an entry is fresh, then expired with its rules still available', () => {
  const clock = createManualClock()
  const cache = createRobotsCache({ maxEntries: 10, maxBytes: 1e6, clock })
  assert.deepEqual(cache.get('http://a'), { kind: 'missing' })
  cache.set('http://a', small)
  assert.equal(cache.get('http://a').kind, 'fresh')
  clock.jump(48 * 3_600_000)
  assert.equal(cache.get('http://a').kind, 'fresh')
  clock.advance(small.expiresInMs)
  const late = cache.get('http://a')
  assert.ok(late.kind === 'expired')
  assert.equal(late.rules.isAllowed('erace', '/x'), false)
  cache.set('http://a', small)
  assert.equal(cache.get('http://a').kind, 'fresh')
  assert.equal(cache.size, 1)
})

test('evicts the least recently used origin', () => {
  const cache = createRobotsCache({ maxEntries: 2, maxBytes: 1e6, clock: createManualClock() })
  cache.set('http://a', small)
  cache.set('http://b', small)
  cache.get('http://a')
  cache.set('http://c', small)
  assert.deepEqual(
    ['http://a', 'http://b', 'http://c'].map((origin) => cache.get(origin).kind),
    ['fresh', 'missing', 'fresh'],
  )
})

test('limits its bytes and does not keep a file larger than the cache', () => {
  const cache = createRobotsCache({ maxEntries: 1000, maxBytes: 10_000, clock: createManualClock() })
  for (let i = 0; i < 100; i++) cache.set(`http://h${i}`, small)
  assert.ok(cache.bytes <= 10_000 && cache.size > 2, `${cache.bytes} bytes in ${cache.size} entries`)
  cache.set('http://huge', rulesFromResponse({ status: 200, body: Buffer.alloc(20_000, 'Disallow: /\n') }))
  assert.ok(cache.bytes <= 10_000)
  assert.equal(cache.get('http://huge').kind, 'missing')
})
