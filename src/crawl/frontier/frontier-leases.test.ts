import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { offersOf } from '../../store/conformance/samples.testkit.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import { answered, openField, settleDown, type Taken } from './frontier.testkit.ts'
import { createTenure, leaveHand, type Tenure, whenQuiet } from './partition-lease.ts'

/** A frontier whose hosts are held as long as the test says so, each under a tenure of its own. */
async function withTenures(
  work: (place: {
    field: Awaited<ReturnType<typeof openField>>
    hold(host: number): Tenure
    letGo(host: number, how: 'leaving' | 'over'): void
    hostsOf(taken: readonly Taken[]): number[]
  }) => Promise<void>,
  through: (store: FrontierStore) => FrontierStore = (store) => store,
): Promise<void> {
  const tenures = new Map<number, Tenure>()
  const numbers = new Map<number, number>()
  const field = await openField({
    tenureOf(hostId) {
      const tenure = tenures.get(numbers.get(hostId) ?? -1)
      return tenure?.state === 'held' ? tenure : null
    },
    through,
    retryAfter: settleDown,
  })
  try {
    for (const host of [0, 1, 2]) await field.offer(offersOf(field.hostOf(host), 3))
    for (const state of await field.store.hosts(10, new Set()))
      for (const host of [0, 1, 2]) if (state.host === field.hostOf(host)) numbers.set(state.id, host)
    await work({
      field,
      hold(host) {
        const tenure = { ...createTenure(host, 1, false), state: 'held' as const }
        tenures.set(host, tenure)
        return tenure
      },
      letGo(host, how) {
        const tenure = tenures.get(host)!
        tenure.state = how
        field.frontier.leave(new Set([tenure]))
      },
      hostsOf: (taken) => taken.map(({ lane }) => numbers.get(lane.id)!).sort(),
    })
  } finally {
    await field.destroy()
  }
}

async function look(field: Awaited<ReturnType<typeof openField>>): Promise<void> {
  field.frontier.look()
  for (let turn = 0; turn < 5; turn++) await settleDown()
}

describe('a frontier whose partitions come and go', () => {
  test('hands out requests of what it holds, and looks again when more comes', () =>
    withTenures(async ({ field, hold, hostsOf }) => {
      await look(field)
      assert.deepEqual(field.takeAll(), [])
      hold(1)
      await look(field)
      assert.deepEqual(hostsOf(field.takeAll()), [1])
      hold(0)
      await look(field)
      assert.deepEqual(hostsOf(field.takeAll()), [0])
    }))

  test('takes nothing more of what leaves; what is out comes back and is settled with its clock', () =>
    withTenures(async ({ field, hold, letGo }) => {
      const tenure = hold(0)
      await look(field)
      const [out] = field.takeAll()
      letGo(0, 'leaving')
      assert.equal(field.frontier.release(out!.lane, answered), 'goes-on')
      assert.deepEqual(field.takeAll(), [])
      const hosts = field.frontier.changedClocks(tenure)
      assert.deepEqual(
        hosts.map(({ id }) => id),
        [out!.lane.id],
      )
      await field.store.settle({ offers: [], done: [out!.request], again: [], hosts })
      field.frontier.settled(out!.lane, 1)
      assert.deepEqual(field.takeAll(), [])
      assert.equal(field.frontier.counts().active, 0)
    }))

  test('forgets the clocks of what is lost', () =>
    withTenures(async ({ field, hold, letGo }) => {
      const tenure = hold(0)
      await look(field)
      const [out] = field.takeAll()
      letGo(0, 'over')
      field.frontier.release(out!.lane, answered)
      assert.deepEqual(field.frontier.changedClocks(tenure), [])
    }))

  test('opens a host anew under its next tenure, and what is put back to the old lane stays there', () =>
    withTenures(async ({ field, hold, letGo }) => {
      hold(0)
      await look(field)
      const [out] = field.takeAll()
      letGo(0, 'over')
      hold(0)
      await look(field)
      field.frontier.putBack(out!.lane, out!.request)
      const again = field.takeAll()
      assert.deepEqual(
        again.map(({ request }) => request.seq),
        [out!.request.seq],
      )
      assert.notEqual(again[0]!.lane, out!.lane)
    }))

  test('rows that arrive for a host that is not held are left to whoever holds it', () =>
    withTenures(async ({ field, hold, letGo }) => {
      hold(2)
      await look(field)
      letGo(2, 'leaving')
      await field.offer(offersOf(field.hostOf(2), 20))
      await settleDown()
      assert.deepEqual(field.takeAll(), [])
      assert.equal(field.frontier.counts().active, 0)
    }))

  test('a store that can not be read now is asked again', () => {
    let failures = 0
    const failing = async <T>(read: () => Promise<T>): Promise<T> => {
      if (failures-- > 0) throw new AppError('store-unreachable', 'away')
      return read()
    }
    return withTenures(
      async ({ field, hold, hostsOf }) => {
        hold(0)
        hold(1)
        failures = 6
        field.frontier.look()
        for (let turn = 0; turn < 60; turn++) await settleDown()
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

describe('a tenure', () => {
  test('is quiet when nothing of it is in hand', async () => {
    const tenure = createTenure(1, 1, false)
    await whenQuiet(tenure)
    tenure.inHand = 3
    const quiet = whenQuiet(tenure)
    leaveHand(tenure)
    let isQuiet = false
    void quiet.then(() => {
      isQuiet = true
    })
    await settleDown()
    assert.equal(isQuiet, false)
    leaveHand(tenure, 2)
    await quiet
  })
})
