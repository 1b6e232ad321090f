import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WatchStore } from '../../store/contracts/watches.ts'
import { createWatchedSources } from './watched-sources.ts'
import { profileWith, sourceAt, watchingOver } from './watching.testkit.ts'

const a = 'http://a.example/'
const b = 'http://b.example/'
const noTarget = { set() {}, remove() {} }
const deps = { schemes: ['http'], levelOf: () => 'silver' as const, onProblem() {} }
const withWatching = watchingOver({})

/** Counts the rows that are read from a store. */
function counted(watches: WatchStore): { watches: WatchStore; take(): number } {
  let read = 0
  const count = <T>(rows: T[]): T[] => {
    read += rows.length
    return rows
  }
  const counting = {
    ...watches,
    all: async () => count(await watches.all()),
    find: async (ids: readonly number[]) => count(await watches.find(ids)),
  }
  return {
    watches: counting,
    take() {
      const n = read
      read = 0
      return n
    },
  }
}

describe('watched sources', () => {
  test(
    'keep only rows with an owner in memory, and read only changed watches',
    withWatching({}, async ({ put, remove, profiles, watches, rowOf }) => {
      const reads = counted(watches)
      const sources = createWatchedSources({ ...deps, profiles, watches: reads.watches })
      const refresh = async () => {
        await sources.refresh()
        sources.forward(noTarget)
        return reads.take()
      }
      const many = Array.from({ length: 50 }, (_, n) => sourceAt(`http://h${n}.example/`))
      await put(profileWith('ann', 'ann', many), profileWith('bob', 'bob', [sourceAt(a)]))
      assert.equal(await refresh(), 51)
      await put(profileWith('bob', 'bob', [sourceAt(b)]))
      assert.equal(await refresh(), 1)
      assert.deepEqual([sources.rows.size, sources.rows.has((await rowOf(a)).id)], [51, false])
      await remove('ann')
      assert.equal(await refresh(), 0)
      assert.deepEqual(
        [...sources.rows.values()].map(({ uri }) => uri),
        [b],
      )
      const later = createWatchedSources({ ...deps, profiles, watches: reads.watches })
      await later.refresh()
      assert.deepEqual([later.rows.size, reads.take()], [1, 1])
    }),
  )

  test(
    'are complete with the first refresh after a store failure',
    withWatching({}, async ({ put, profiles, watches, rowOf }) => {
      let isBroken = false
      const find: WatchStore['find'] = (ids) => {
        return isBroken ? Promise.reject(new Error('no connection')) : watches.find(ids)
      }
      const sources = createWatchedSources({ ...deps, profiles, watches: { find } })
      await sources.refresh()
      isBroken = true
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await assert.rejects(sources.refresh(), /no connection/)
      isBroken = false
      assert.ok(await sources.refresh())
      assert.deepEqual([...sources.rows.keys()], [(await rowOf(a)).id])
      assert.equal(await sources.refresh(), null)
    }),
  )
})
