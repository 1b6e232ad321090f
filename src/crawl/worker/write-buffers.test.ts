import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createOwnTenure, type Tenure } from '../frontier/partition-lease.ts'
import { createPiles, type PilesOptions } from './write-buffers.ts'

/** Piles of words; what is kept is noted, and goes on when the test says so. */
function openPiles(parts: Partial<PilesOptions<string>> = {}) {
  const kept: string[] = []
  const waiting: (() => void)[] = []
  const piles = createPiles<string>({
    maxItems: 3,
    maxBytes: 100,
    maxWaitMs: 3_600_000,
    parallel: 2,
    bytesOf: (word) => word.length,
    async keep(words) {
      kept.push(words.join(' '))
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
    ...parts,
  })
  return {
    piles,
    kept,
    async goOn(): Promise<void> {
      for (const resolve of waiting.splice(0)) resolve()
      await new Promise(setImmediate)
    },
  }
}

describe('piles of results', () => {
  test('each is kept when it is large enough, a few at a time and none twice at a time', async () => {
    const { piles, kept, goOn } = openPiles()
    const [a, b, c] = [createOwnTenure(), createOwnTenure(), createOwnTenure()]
    for (const tenure of [a, b, c]) for (const word of ['x', 'y']) piles.add(tenure, word)
    assert.deepEqual(kept, [])
    piles.add(a, 'z')
    piles.add(b, 'z')
    piles.add(c, 'z')
    assert.deepEqual(kept, ['x y z', 'x y z'])
    for (const word of ['1', '2', '3']) piles.add(a, word)
    await goOn()
    assert.deepEqual(kept.slice(2), ['x y z', '1 2 3'])
    assert.equal(piles.bytes(), 6)
    await goOn()
    assert.equal(piles.bytes(), 0)
  })

  test('bytes count as well', async () => {
    const { piles, kept, goOn } = openPiles()
    piles.add(createOwnTenure(), 'w'.repeat(100))
    assert.equal(kept.length, 1)
    await goOn()
  })

  test('a tenure that ends does not wait for more', async () => {
    const { piles, kept, goOn } = openPiles({ parallel: 1 })
    const tenure: Tenure = createOwnTenure()
    piles.add(tenure, 'first')
    tenure.state = 'leaving'
    piles.hurry(tenure)
    piles.add(tenure, 'second')
    assert.deepEqual(kept, ['first'])
    await goOn()
    assert.deepEqual(kept, ['first', 'second'])
    await goOn()
    assert.deepEqual(piles.all(tenure), [])
  })

  test('a flush keeps everything, also what is added meanwhile', async () => {
    const kept: string[] = []
    const tenure = createOwnTenure()
    const { piles } = openPiles({
      async keep(words) {
        if (kept.push(words.join(' ')) === 1) piles.add(tenure, 'late')
      },
    })
    piles.add(tenure, 'early')
    await piles.flush()
    assert.deepEqual(kept, ['early', 'late'])
    assert.equal(piles.size(), 0)
  })

  test('the first that waits is kept in time', async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    const { piles } = openPiles({ maxWaitMs: 5, waitMsForEach: 1, keep: async (words) => resolve(words) })
    piles.add(createOwnTenure(), 'alone')
    assert.deepEqual(await promise, ['alone'])
  })
})
