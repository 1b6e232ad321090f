import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPolicy } from '../services/scheduler/queues/policy.ts'
import { unlimited } from '../services/scheduler/scheduler.testkit.ts'
import { createScheduler } from '../services/scheduler/scheduler.ts'
import { profileWith, sourceAt, type Watching, watchingOver } from '../services/watching/watching.testkit.ts'
import { createScheduleMirror } from './schedule-mirror.ts'

const a = 'http://a.example/'
const b = 'http://b.example/'
const withWatching = watchingOver({})

function mirrorOf({ profiles, watches, clock }: Watching) {
  const read: number[][] = []
  const scheduler = createScheduler({
    clock,
    policy: createPolicy('earliest-deadline'),
    budgets: { ...unlimited, perUser: null, perHost: null },
  })
  const mirror = createScheduleMirror({
    ...{ profiles, scheduler, clock, schemes: ['http'], levelOf: () => 'silver', onProblem() {} },
    watches: {
      ...watches,
      async all() {
        const rows = await watches.all()
        read.push(rows.map(({ id }) => id))
        return rows
      },
      find(ids) {
        read.push([...ids])
        return watches.find(ids)
      },
    } as typeof watches,
  })
  return { mirror, take: () => read.splice(0).flat() }
}

describe('schedule mirror', () => {
  test(
    'reads and keeps only watches that have an owner',
    withWatching({}, async (watching) => {
      const { put, remove, rowOf } = watching
      const { mirror, take } = mirrorOf(watching)
      await put(profileWith('ann', 'ann', [sourceAt(a)]), profileWith('bob', 'bob', [sourceAt(b)]))
      await mirror.refresh()
      const [idA, idB] = [(await rowOf(a)).id, (await rowOf(b)).id]
      assert.deepEqual(take().sort(), [idA, idB])
      mirror.noteBegun(idA)
      await remove('ann')
      await mirror.refresh()
      assert.deepEqual(take(), [])
      await mirror.reread(null)
      assert.deepEqual(take(), [idB])
      await mirror.reread([idA])
      assert.deepEqual([take(), mirror.snapshot(idA)], [[], undefined])
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await mirror.refresh()
      assert.deepEqual([take(), mirror.snapshot(idA)?.state], [[idA], 'ready'])
    }),
  )

  test(
    'keeps showing a check in progress while profiles change',
    withWatching({}, async (watching) => {
      const { put, rowOf, watches } = watching
      const { mirror } = mirrorOf(watching)
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await mirror.refresh()
      const { id } = await rowOf(a)
      await watches.begin([{ watch: id, round: 5 }])
      mirror.noteBegun(id)
      await put(profileWith('bob', 'bob', [sourceAt(b)]))
      await mirror.refresh()
      assert.equal(mirror.snapshot(id)?.state, 'out')
      await put(profileWith('bob', 'bob', [sourceAt(a)]))
      await mirror.refresh()
      assert.equal(mirror.snapshot(id)?.state, 'out')
    }),
  )
})
