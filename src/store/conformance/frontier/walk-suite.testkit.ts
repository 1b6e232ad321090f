import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WalkPage, WalkStep } from '../../contracts/walks.ts'
import { type StoreEngine, withSystem } from '../engine.testkit.ts'

const page = (n: number): WalkPage => ({
  host: 'a.example',
  fp: n === 1 ? -(2n ** 63n) : BigInt(n),
  url: `http://a.example/${n}`,
})

const step = (number: number, parts: Partial<WalkStep> = {}): WalkStep => ({
  ...{ walker: 0, step: number, visited: null, next: null, chance: 0, from: 'visited', isDeadEnd: false },
  ...parts,
})

/** Random walks: each step is decided and counted once. */
export function walkSuite(engine: StoreEngine): void {
  describe(`random walks (${engine.name})`, () => {
    test(
      'a repeated step leads to the same page and is counted once',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const stores = engine.openStores(system)
        const { walks } = stores
        const record = async (run: number, each: WalkStep) => (await walks.record(run, [each]))[0]
        await walks.addSeeds(1, [page(1), page(2), page(1)])
        assert.deepEqual(await record(1, step(0, { chance: 0.99 })), page(2))
        assert.deepEqual(await record(1, step(0, { chance: 0 })), page(2))
        const first = step(1, { visited: page(2), next: page(3) })
        assert.deepEqual(await record(1, first), page(3))
        assert.deepEqual(await record(1, { ...first, next: page(1) }), page(3))
        assert.deepEqual(await record(1, step(2, { visited: page(3), isDeadEnd: true, chance: 0.999 })), page(3))
        assert.equal(await record(1, first), null)
        await walks.addSeeds(1, [page(1), page(2)])
        assert.deepEqual(await record(1, step(3, { visited: page(3), chance: 0.6, from: 'given' })), page(2))
        const { top, ...counts } = await walks.stats(1, 1)
        assert.deepEqual(counts, { steps: 3, visits: 3, pages: 2, restarts: 1, deadEnds: 1 })
        assert.deepEqual(top, [{ url: 'http://a.example/3', visits: 2, isSeed: false }])
        assert.deepEqual(
          (await walks.visits(1, 2, 10)).map(({ url, visits }) => [url, visits]),
          [
            ['http://a.example/2', 1],
            ['http://a.example/3', 2],
          ],
        )
        stores.close()
      }),
    )

    test(
      'walkers are independent, and a later run starts afresh',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const stores = engine.openStores(system)
        const { walks } = stores
        const record = async (run: number, each: WalkStep) => (await walks.record(run, [each]))[0]
        await walks.addSeeds(1, [page(1)])
        await Promise.all([0, 1, 2].map((walker) => record(1, step(0, { walker }))))
        await Promise.all(
          [0, 1, 2].map((walker) => record(1, step(1, { walker, visited: page(walker), next: page(9) }))),
        )
        assert.equal((await walks.stats(1, 0)).pages, 3)
        await walks.addSeeds(2, [page(5)])
        assert.deepEqual(await record(2, step(0)), page(5))
        assert.equal((await walks.stats(1, 0)).pages, 0)
        assert.equal(await walks.lastRun(), 2)
        assert.equal(await record(3, step(0)), null)
        stores.close()
      }),
    )
  })
}
