import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { endInFlight, type PartitionLease } from '../frontier/partition-lease.ts'
import { createLeaseTable, createLeaseTransfer } from './lease-transfer.ts'

/** The leases of a shard without hosts, with a log of the resulting calls. Host n is in partition n. */
function openLeases(failures = 0) {
  const diary: string[] = []
  const epochs = new Map<number, number>()
  const namesOf = (leases: Iterable<PartitionLease>): string => [...leases].map(({ partition }) => partition).join(' ')
  const table = createLeaseTable({
    partitionOf: (hostId) => hostId,
    isHeld: (partition, epoch) => epochs.get(partition) === epoch,
  })
  const transfer = createLeaseTransfer({
    table,
    partitions: {
      async add(grants) {
        if (failures-- > 0) throw new AppError('store-unreachable', 'away')
        diary.push(`add ${grants.map(({ partition }) => partition).join(' ')}`)
      },
      async drop(partitions) {
        diary.push(`drop ${partitions.join(' ')}`)
      },
    },
    frontier: {
      closeQueues: (ended) => void (ended.size > 0 && diary.push(`close ${namesOf(ended)}`)),
      findHosts: () => void diary.push('find'),
    },
    batch: {
      hurry() {},
      async commitClocks({ partition }) {
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
  return { table, transfer, diary, epochs, grantOf }
}

describe('leases of a shard', () => {
  test('a granted lease is held once the store knows it, even after several attempts', async () => {
    const { table, transfer, diary, grantOf } = openLeases(2)
    const taking = transfer.take([grantOf(1), grantOf(2)])
    assert.equal(table.ofHost(1), null)
    await taking
    assert.equal(table.ofHost(1)?.state, 'held')
    assert.equal(table.ofHost(3), null)
    assert.deepEqual(diary, ['add 1 2', 'find'])
  })

  test('no request may begin once a lease is no longer valid', async () => {
    const { table, transfer, epochs, grantOf } = openLeases()
    await transfer.take([grantOf(1)])
    const lease = table.ofHost(1)!
    assert.equal(table.mayBegin(lease), true)
    epochs.delete(1)
    assert.equal(table.mayBegin(lease), false)
  })

  test('a hand-over waits for requests in flight, and writes clocks before the partition is dropped', async () => {
    const { table, transfer, diary, grantOf } = openLeases()
    await transfer.take([grantOf(1)])
    const lease = table.ofHost(1)!
    lease.inFlight = 2
    let isOver = false
    const yielding = transfer.yield([1]).then(() => {
      isOver = true
    })
    assert.equal(table.mayBegin(lease), false)
    endInFlight(lease)
    await new Promise(setImmediate)
    assert.equal(isOver, false)
    endInFlight(lease)
    await yielding
    assert.equal(lease.state, 'ended')
    assert.deepEqual(diary.slice(2), ['close 1', 'clocks 1', 'drop 1'])
  })

  test('a lease lost during a hand-over writes no clocks', async () => {
    const { table, transfer, diary, grantOf } = openLeases()
    await transfer.take([grantOf(1)])
    const lease = table.ofHost(1)!
    lease.inFlight = 1
    const yielding = transfer.yield([1])
    transfer.lose([1])
    endInFlight(lease)
    await yielding
    assert.deepEqual(diary.slice(2), ['close 1', 'close 1', 'drop 1'])
  })

  test('a partition that comes back waits for requests of its earlier lease', async () => {
    const { table, transfer, diary, grantOf } = openLeases()
    await transfer.take([grantOf(1)])
    const before = table.ofHost(1)!
    before.inFlight = 1
    transfer.lose([1])
    const taking = transfer.take([grantOf(1, 2), grantOf(2)])
    await new Promise(setImmediate)
    assert.equal(table.ofHost(1), null)
    assert.equal(table.ofHost(2)?.state, 'held')
    endInFlight(before)
    await taking
    assert.equal(table.ofHost(1)?.epoch, 2)
    assert.deepEqual(diary.slice(2), ['close 1', 'drop 1', 'add 2', 'find', 'add 1', 'find'])
  })

  test('a lease lost while being added to the store is dropped again', async () => {
    const { table, transfer, diary, grantOf } = openLeases()
    const taking = transfer.take([grantOf(1)])
    await Promise.resolve()
    transfer.lose([1])
    await taking
    assert.equal(table.ofHost(1), null)
    assert.equal(diary.at(-1) === 'find' || diary.at(-1) === 'drop 1', true)
    assert.ok(diary.includes('drop 1'))
  })
})
