import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Retention } from '../../config/retention.ts'
import { collectableOf } from '../../store/conformance/samples.testkit.ts'
import type { CollectableVersion } from '../../store/contracts/collection.ts'
import { findSizeLimits, type VersionWalk } from './size-limit.ts'
import { createPools, type Pools } from './verdict.ts'

const NOW = 1_000_000

function sized(maxBytes: number, maxVersions: number | null = null): Retention {
  return { kind: 'limits', maxAgeMs: null, maxVersions, maxBytes }
}

let ids = 0
const version = (parts: Partial<CollectableVersion>): CollectableVersion => collectableOf(++ids, parts)

function walkOver(pools: Pools, versions: CollectableVersion[]) {
  let walks = 0
  const walk: VersionWalk = async (visit) => {
    walks++
    for (const each of versions) visit(each, pools.of(each.url))
  }
  return { walk, walks: () => walks }
}

describe('size limits', () => {
  test('remove the versions superseded first until the rest fits', async () => {
    const pools = createPools(sized(350), [])
    const versions = [5, 1, 4, 2, 3].map((supersededAt) => version({ supersededAt }))
    const { walk } = walkOver(pools, [version({}), ...versions])
    const { cutoffs, overflow } = await findSizeLimits(pools, walk, NOW)
    assert.equal(cutoffs[0]?.supersededAt, 3)
    assert.deepEqual(overflow, [])
  })

  test('remove nothing if everything fits, and read nothing if retention is unlimited', async () => {
    const pools = createPools(sized(200), [])
    const { walk } = walkOver(pools, [version({}), version({ supersededAt: 1 })])
    assert.deepEqual((await findSizeLimits(pools, walk, NOW)).cutoffs, [null])
    const unlimited = createPools({ kind: 'forever' }, [])
    const over = walkOver(unlimited, [version({})])
    await findSizeLimits(unlimited, over.walk, NOW)
    assert.equal(over.walks(), 0)
  })

  test('report an overflow if the versions that must stay are too large', async () => {
    const pools = createPools(sized(150), [])
    const versions = [
      version({ bytes: 100 }),
      version({ bytes: 100, supersededAt: 1, pinnedBy: 'ann' }),
      version({ bytes: 100, supersededAt: 2, shared: true }),
      version({ bytes: 100, supersededAt: 3 }),
    ]
    const { walk } = walkOver(pools, versions)
    const { cutoffs, overflow } = await findSizeLimits(pools, walk, NOW)
    assert.ok(cutoffs[0]!.supersededAt >= 3)
    assert.deepEqual(overflow, [{ source: '*', bytes: 300, maxBytes: 150 }])
  })

  test('do not count versions removed for other reasons', async () => {
    const pools = createPools(sized(150, 1), [])
    const { walk } = walkOver(pools, [version({}), version({ supersededAt: 1 }), version({ supersededAt: 2 })])
    assert.deepEqual((await findSizeLimits(pools, walk, NOW)).cutoffs, [null])
  })

  test('apply per source, by the first matching rule that has one', async () => {
    const pools = createPools(sized(100), [
      { match: 'http://a.example/x', retention: null },
      { match: 'a.example', retention: sized(200) },
      { match: '.example', retention: sized(0) },
    ])
    const at = (url: string) => [version({ url }), version({ url, supersededAt: 1 }), version({ url, supersededAt: 2 })]
    const urls = ['http://a.example/x', 'http://b.example/', 'http://c.test/']
    const { walk } = walkOver(pools, urls.flatMap(at))
    const { cutoffs } = await findSizeLimits(pools, walk, NOW)
    assert.deepEqual(
      cutoffs.map((cutoff) => cutoff?.supersededAt),
      [1, Number.POSITIVE_INFINITY, 2],
    )
    assert.deepEqual(
      pools.all.map(({ source }) => source),
      ['a.example', '.example', '*'],
    )
  })

  test('are the same with little memory, which takes more walks', async () => {
    const versions = Array.from({ length: 100 }, (_, n) => version({ supersededAt: (n * 37) % 50, bytes: 1 + (n % 7) }))
    const pools = createPools(sized(60), [])
    const ample = walkOver(pools, versions)
    const expected = await findSizeLimits(pools, ample.walk, NOW)
    assert.equal(ample.walks(), 2)
    for (const [spans, remembered, expectedWalks] of [
      [1, 1, 87],
      [1, 30, 4],
      [7, 3, 3],
      [30, 100, 2],
    ] as const) {
      const { walk, walks } = walkOver(pools, versions)
      assert.deepEqual(await findSizeLimits(pools, walk, NOW, { spans, remembered }), expected)
      assert.equal(walks(), expectedWalks)
    }
  })
})
