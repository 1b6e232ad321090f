import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { leaveHand, type Tenure } from '../frontier/partition-lease.ts'
import { createTenures } from './partition-leases.ts'

/** The tenures of a shard without hosts, with a diary of what they ask of the others. Host n is in partition n. */
function openTenures(failures = 0) {
  const diary: string[] = []
  const epochs = new Map<number, number>()
  const namesOf = (tenures: Iterable<Tenure>): string => [...tenures].map(({ partition }) => partition).join(' ')
  const tenures = createTenures({
    partitions: {
      async add(grants) {
        if (failures-- > 0) throw new AppError('store-unreachable', 'away')
        diary.push(`add ${grants.map(({ partition }) => partition).join(' ')}`)
      },
      async drop(partitions) {
        diary.push(`drop ${partitions.join(' ')}`)
      },
      partitionOf: (hostId) => hostId,
      isHeld: (partition, epoch) => epochs.get(partition) === epoch,
    },
    frontier: {
      leave: (ended) => void (ended.size > 0 && diary.push(`leave ${namesOf(ended)}`)),
      look: () => void diary.push('look'),
    },
    batch: {
      hurry() {},
      async keepClocks({ partition }) {
        diary.push(`clocks ${partition}`)
      },
    },
    retryAfter: () => new Promise(setImmediate),
    onError: assert.fail,
    onChange() {},
  })
  const grantOf = (partition: number, epoch = 1) => {
    epochs.set(partition, epoch)
    return { partition, epoch, recovered: false }
  }
  return { tenures, diary, epochs, grantOf }
}

describe('the tenures of a shard', () => {
  test('what is granted is held once the store knows, however often it has to be told', async () => {
    const { tenures, diary, grantOf } = openTenures(2)
    const taking = tenures.take([grantOf(1), grantOf(2)])
    assert.equal(tenures.ofHost(1), null)
    await taking
    assert.equal(tenures.ofHost(1)?.state, 'held')
    assert.equal(tenures.ofHost(3), null)
    assert.deepEqual(diary, ['add 1 2', 'look'])
  })

  test('nothing is begun when the lease can not be counted on', async () => {
    const { tenures, epochs, grantOf } = openTenures()
    await tenures.take([grantOf(1)])
    const tenure = tenures.ofHost(1)!
    assert.equal(tenures.mayBegin(tenure), true)
    epochs.delete(1)
    assert.equal(tenures.mayBegin(tenure), false)
  })

  test('a hand-over waits for what is in hand, and keeps the clocks before the store forgets', async () => {
    const { tenures, diary, grantOf } = openTenures()
    await tenures.take([grantOf(1)])
    const tenure = tenures.ofHost(1)!
    tenure.inHand = 2
    let isOver = false
    const yielding = tenures.yield([1]).then(() => {
      isOver = true
    })
    assert.equal(tenures.mayBegin(tenure), false)
    leaveHand(tenure)
    await new Promise(setImmediate)
    assert.equal(isOver, false)
    leaveHand(tenure)
    await yielding
    assert.equal(tenure.state, 'over')
    assert.deepEqual(diary.slice(2), ['leave 1', 'clocks 1', 'drop 1'])
  })

  test('what is lost during a hand-over is not written any more', async () => {
    const { tenures, diary, grantOf } = openTenures()
    await tenures.take([grantOf(1)])
    const tenure = tenures.ofHost(1)!
    tenure.inHand = 1
    const yielding = tenures.yield([1])
    tenures.lose([1])
    leaveHand(tenure)
    await yielding
    assert.deepEqual(diary.slice(2), ['leave 1', 'leave 1', 'drop 1'])
  })

  test('a partition that comes back waits for what was begun under its earlier tenure', async () => {
    const { tenures, diary, grantOf } = openTenures()
    await tenures.take([grantOf(1)])
    const before = tenures.ofHost(1)!
    before.inHand = 1
    tenures.lose([1])
    const taking = tenures.take([grantOf(1, 2), grantOf(2)])
    await new Promise(setImmediate)
    assert.equal(tenures.ofHost(1), null)
    assert.equal(tenures.ofHost(2)?.state, 'held')
    leaveHand(before)
    await taking
    assert.equal(tenures.ofHost(1)?.epoch, 2)
    assert.deepEqual(diary.slice(2), ['leave 1', 'drop 1', 'add 2', 'look', 'add 1', 'look'])
  })

  test('what is lost before the store knows of it is dropped again', async () => {
    const { tenures, diary, grantOf } = openTenures()
    const taking = tenures.take([grantOf(1)])
    await Promise.resolve()
    tenures.lose([1])
    await taking
    assert.equal(tenures.ofHost(1), null)
    assert.equal(diary.at(-1) === 'look' || diary.at(-1) === 'drop 1', true)
    assert.ok(diary.includes('drop 1'))
  })
})
