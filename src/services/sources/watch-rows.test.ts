import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileWith, sourceAt, watchingOver } from '../watching/watching.testkit.ts'
import { createWatchRows } from './watch-rows.ts'

const withWatching = watchingOver({})
const uris = Array.from({ length: 1200 }, (_, n) => `http://h${n}.example/`)

describe('watch rows', () => {
  test(
    'are cached for a short time when many are requested',
    withWatching({}, async ({ put, watches, clock }) => {
      await put(
        profileWith(
          'p',
          'ann',
          uris.map((uri) => sourceAt(uri)),
        ),
      )
      const ids = (await watches.all()).map(({ id }) => id)
      let reads = 0
      const find = (some: readonly number[]) => {
        reads += some.length
        return watches.find(some)
      }
      const rows = createWatchRows({ find }, clock)
      assert.equal((await rows.now(ids)).size, 1200)
      assert.equal((await rows.roughly(ids.slice(0, 500))).size, 500)
      assert.equal(rows.kept(), 0)
      reads = 0
      assert.equal((await rows.roughly(ids)).size, 1200)
      rows.forget(ids[7]!)
      const again = await rows.roughly(ids)
      assert.deepEqual([again.size, again.get(ids[7]!)?.uri, reads], [1200, uris[7], 1201])
      assert.equal(rows.kept(), 1200)
      clock.advance(11_000)
      await rows.roughly([ids[0]!])
      assert.equal(rows.kept(), 0)
      assert.equal((await rows.roughly([...ids, 999_999])).has(999_999), false)
    }),
  )
})
