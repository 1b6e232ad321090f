import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { leaveHand, type PartitionLease } from '../frontier/partition-lease.ts'
import { createWorkerLeases } from './partition-leases.ts'

/** The tenures of a shard without hosts, with a diary of what they ask of the others. Host n is in partition n. */
function openLeases(failures = 0) {
  const diary: string[] = []
  const epochs = new Map<number, number>()
  const namesOf = (workerLeases: Iterable<PartitionLease>): string =>
    [...workerLeases].map(({ partition }) => partition).join(' ')
  const workerLeases = createWorkerLeases({
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
    wait: () => new Promise(setImmediate),
    onError: assert.fail,
    onChange() {},
  })
  const grantOf = (partition: number, epoch = 1) => {
    epochs.set(partition, epoch)
    return { partition, epoch, recovered: false }
  }
  return { workerLeases, diary, epochs, grantOf }
}

describe('the tenures of a shard', () => {
  test('what is granted is held once the store knows, however often it has to be told', async () => {
    const { workerLeases, diary, grantOf } = openLeases(2)
    const taking = workerLeases.take([grantOf(1), grantOf(2)])
    assert.equal(workerLeases.ofHost(1), null)
    await taking
    assert.equal(workerLeases.ofHost(1)?.state, 'held')
    assert.equal(workerLeases.ofHost(3), null)
    assert.deepEqual(diary, ['add 1 2', 'look'])
  })

  test('nothing is begun when the lease can not be counted on', async () => {
    const { workerLeases, epochs, grantOf } = openLeases()
    await workerLeases.take([grantOf(1)])
    const lease = workerLeases.ofHost(1)!
    assert.equal(workerLeases.mayBegin(lease), true)
    epochs.delete(1)
    assert.equal(workerLeases.mayBegin(lease), false)
  })

  test('a hand-over waits for what is in hand, and keeps the clocks before the store forgets', async () => {
    const { workerLeases, diary, grantOf } = openLeases()
    await workerLeases.take([grantOf(1)])
    const lease = workerLeases.ofHost(1)!
    lease.inHand = 2
    let isOver = false
    const yielding = workerLeases.yield([1]).then(() => {
      isOver = true
    })
    assert.equal(workerLeases.mayBegin(lease), false)
    leaveHand(lease)
    await new Promise(setImmediate)
    assert.equal(isOver, false)
    leaveHand(lease)
    await yielding
    assert.equal(lease.state, 'over')
    assert.deepEqual(diary.slice(2), ['leave 1', 'clocks 1', 'drop 1'])
  })

  test('what is lost during a hand-over is not written any more', async () => {
    const { workerLeases, diary, grantOf } = openLeases()
    await workerLeases.take([grantOf(1)])
    const lease = workerLeases.ofHost(1)!
    lease.inHand = 1
    const yielding = workerLeases.yield([1])
    workerLeases.lose([1])
    leaveHand(lease)
    await yielding
    assert.deepEqual(diary.slice(2), ['leave 1', 'leave 1', 'drop 1'])
  })

  test('a partition that comes back waits for what was begun under its earlier tenure', async () => {
    const { workerLeases, diary, grantOf } = openLeases()
    await workerLeases.take([grantOf(1)])
    const before = workerLeases.ofHost(1)!
    before.inHand = 1
    workerLeases.lose([1])
    const taking = workerLeases.take([grantOf(1, 2), grantOf(2)])
    await new Promise(setImmediate)
    assert.equal(workerLeases.ofHost(1), null)
    assert.equal(workerLeases.ofHost(2)?.state, 'held')
    leaveHand(before)
    await taking
    assert.equal(workerLeases.ofHost(1)?.epoch, 2)
    assert.deepEqual(diary.slice(2), ['leave 1', 'drop 1', 'add 2', 'look', 'add 1', 'look'])
  })

  test('what is lost before the store knows of it is dropped again', async () => {
    const { workerLeases, diary, grantOf } = openLeases()
    const taking = workerLeases.take([grantOf(1)])
    await Promise.resolve()
    workerLeases.lose([1])
    await taking
    assert.equal(workerLeases.ofHost(1), null)
    assert.equal(diary.at(-1) === 'look' || diary.at(-1) === 'drop 1', true)
    assert.ok(diary.includes('drop 1'))
  })
})
