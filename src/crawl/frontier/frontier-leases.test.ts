import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { offersOf } from '../../store/conformance/samples.testkit.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import { answered, nextTurn, openField, type Taken } from './frontier.testkit.ts'
import { createPartitionLease, endInFlight, type PartitionLease, whenIdle } from './partition-lease.ts'

/** A frontier whose hosts each have their own lease, held until the test ends it. */
async function withLeases(
  work: (parts: {
    field: Awaited<ReturnType<typeof openField>>
    hold(host: number): PartitionLease
    letGo(host: number, how: 'leaving' | 'ended'): void
    hostsOf(taken: readonly Taken[]): number[]
  }) => Promise<void>,
  through: (store: FrontierStore) => FrontierStore = (store) => store,
): Promise<void> {
  const leases = new Map<number, PartitionLease>()
  const numbers = new Map<number, number>()
  const field = await openField({
    leases: {
      ofHost(hostId) {
        const lease = leases.get(numbers.get(hostId) ?? -1)
        return lease?.state === 'held' ? lease : null
      },
      mayBegin: () => true,
      clockMarginMs: 0,
    },
    through,
    wait: nextTurn,
  })
  try {
    for (const host of [0, 1, 2]) await field.offer(offersOf(field.hostOf(host), 3))
    for (const state of await field.store.hosts(10, new Set()))
      for (const host of [0, 1, 2]) if (state.host === field.hostOf(host)) numbers.set(state.id, host)
    await work({
      field,
      hold(host) {
        const lease = { ...createPartitionLease(host, 1, false), state: 'held' as const }
        leases.set(host, lease)
        return lease
      },
      letGo(host, how) {
        const lease = leases.get(host)!
        lease.state = how
        field.frontier.closeQueues(new Set([lease]))
      },
      hostsOf: (taken) => taken.map(({ hostQueue }) => numbers.get(hostQueue.id)!).sort(),
    })
  } finally {
    await field.destroy()
  }
}

async function look(field: Awaited<ReturnType<typeof openField>>): Promise<void> {
  field.frontier.findHosts()
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}

describe('frontier with changing partitions', () => {
  test('hands out only requests of held partitions, and those of new ones once held', () =>
    withLeases(async ({ field, hold, hostsOf }) => {
      await look(field)
      assert.deepEqual(field.takeAll(), [])
      hold(1)
      await look(field)
      assert.deepEqual(hostsOf(field.takeAll()), [1])
      hold(0)
      await look(field)
      assert.deepEqual(hostsOf(field.takeAll()), [0])
    }))

  test('takes nothing from a leaving partition, but settles its in-flight requests with their clocks', () =>
    withLeases(async ({ field, hold, letGo }) => {
      const lease = hold(0)
      await look(field)
      const [out] = field.takeAll()
      letGo(0, 'leaving')
      assert.equal(field.frontier.release(out!.hostQueue, answered), 'goes-on')
      assert.deepEqual(field.takeAll(), [])
      const hosts = field.frontier.changedClocks(lease)
      assert.deepEqual(
        hosts.map(({ id }) => id),
        [out!.hostQueue.id],
      )
      await field.store.settle({ offers: [], done: [out!.request], again: [], hosts })
      field.frontier.completed(out!.hostQueue, out!.request)
      assert.deepEqual(field.takeAll(), [])
      assert.equal(field.frontier.counts().active, 0)
    }))

  test('forgets the clocks of a lost partition', () =>
    withLeases(async ({ field, hold, letGo }) => {
      const lease = hold(0)
      await look(field)
      const [out] = field.takeAll()
      letGo(0, 'ended')
      field.frontier.release(out!.hostQueue, answered)
      assert.deepEqual(field.frontier.changedClocks(lease), [])
    }))

  test('reopens a host under its next lease; a request put back to the old queue stays there', () =>
    withLeases(async ({ field, hold, letGo }) => {
      hold(0)
      await look(field)
      const [out] = field.takeAll()
      letGo(0, 'ended')
      hold(0)
      await look(field)
      field.frontier.putBack(out!.hostQueue, out!.request)
      const again = field.takeAll()
      assert.deepEqual(
        again.map(({ request }) => request.seq),
        [out!.request.seq],
      )
      assert.notEqual(again[0]!.hostQueue, out!.hostQueue)
    }))

  test('ignores new rows of a host that it does not hold', () =>
    withLeases(async ({ field, hold, letGo }) => {
      hold(2)
      await look(field)
      letGo(2, 'leaving')
      await field.offer(offersOf(field.hostOf(2), 20))
      await nextTurn()
      assert.deepEqual(field.takeAll(), [])
      assert.equal(field.frontier.counts().active, 0)
    }))

  test('retries if the store cannot be read', () => {
    let failures = 0
    const failing = async <T>(read: () => Promise<T>): Promise<T> => {
      if (failures-- > 0) throw new AppError('store-unreachable', 'away')
      return read()
    }
    return withLeases(
      async ({ field, hold, hostsOf }) => {
        hold(0)
        hold(1)
        failures = 6
        field.frontier.findHosts()
        for (let turn = 0; turn < 60; turn++) await nextTurn()
        assert.deepEqual(hostsOf(field.takeAll()), [0, 1])
      },
      (store) => ({
        ...store,
        hosts: (...query) => failing(() => store.hosts(...query)),
        next: (...query) => failing(() => store.next(...query)),
      }),
    )
  })
})

describe('partition lease', () => {
  test('becomes idle when none of its requests are in flight', async () => {
    const lease = createPartitionLease(1, 1, false)
    await whenIdle(lease)
    lease.inFlight = 3
    const quiet = whenIdle(lease)
    endInFlight(lease)
    let isQuiet = false
    void quiet.then(() => {
      isQuiet = true
    })
    await nextTurn()
    assert.equal(isQuiet, false)
    endInFlight(lease, 2)
    await quiet
  })
})
