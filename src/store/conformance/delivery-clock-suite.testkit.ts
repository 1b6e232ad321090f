import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freshHealth } from '../rules/channels.ts'
import {
  channelDraft,
  composed,
  countsOf,
  idsOf,
  leaseNone,
  leaseOne,
  messageDraft,
  planAll,
  planned,
  sent,
} from './deliveries-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type InboxPlace, tell, withInbox } from './inbox-suite.testkit.ts'

const LEASE_MS = 1_000

/** What every engine promises about deliveries when clocks jump and processes restart. */
export function deliveryClockSuite(engine: StoreEngine): void {
  const place = (work: (place: InboxPlace) => Promise<void>) => withInbox(engine, work)

  describe(`deliveries when the clock is set back (${engine.name})`, () => {
    test(
      'entries with later times are unplanned and dated now; due entries stay unchanged',
      place(async (where) => {
        const { deliveries } = where
        assert.equal(await deliveries.lastWrittenAt(), 0)
        const [early, late, written] = await planned(where, [{ at: 1_000 }, { at: 2_000 }, { at: 90_000 }])
        assert.equal(await deliveries.lastWrittenAt(), 90_000)
        const { lease } = await leaseOne(deliveries, 90_000)
        await deliveries.postpone(lease, [late!.id], 80_000)
        await deliveries.release(lease)
        await deliveries.replan({ now: 5_000, leaseMs: LEASE_MS })
        assert.equal(await deliveries.lastWrittenAt(), 5_000)
        assert.deepEqual(
          (await deliveries.unplanned(9)).map(({ annotation, createdAt }) => [annotation, createdAt]),
          [
            [late!.id, 2_000],
            [written!.id, 5_000],
          ],
        )
        assert.deepEqual(
          (await deliveries.waiting('c', 9)).map(({ annotation, dueAt }) => [annotation, dueAt]),
          [[early!.id, 1_000]],
        )
        await planAll(deliveries)
        const { lease: next } = await leaseOne(deliveries, 5_000)
        const due = await deliveries.due(next, { now: 5_000, limit: 9 })
        assert.deepEqual(idsOf(due), [early!.id, late!.id, written!.id])
      }),
    )

    test(
      'a pending message and a failing channel can be retried immediately, before later entries',
      place(async (where) => {
        const { deliveries } = where
        const [one, two] = await planned(where, [{ at: 90_000 }, { at: 90_000 }])
        const { lease } = await composed(where, messageDraft('m', [one!.id], { createdAt: 90_000 }), 90_000)
        const failing = { ...freshHealth, state: 'failing', failures: 5, reason: 'no', retryAt: 95_000 } as const
        await deliveries.settle(lease, 'm', { state: 'waiting', at: 90_000, answer: 'no' }, failing)
        await deliveries.release(lease, 99_000)
        await deliveries.replan({ now: 5_000, leaseMs: LEASE_MS })
        await planAll(deliveries)
        const leased = await leaseOne(deliveries, 5_000)
        assert.deepEqual(leased.channel, { ...channelDraft('c'), ...failing, retryAt: 5_000 })
        const begun = await deliveries.begun(leased.lease)
        assert.deepEqual([begun!.id, begun!.createdAt, begun!.attempts], ['m', 5_000, 1])
        // This is durable: if the process ends here, the next one continues with it.
        await deliveries.release(leased.lease)
        const again = await leaseOne(deliveries, 5_001)
        await deliveries.settle(again.lease, 'm', { state: 'sent', at: 5_001, answer: '' }, sent(5_001))
        assert.deepEqual(idsOf(await deliveries.due(again.lease, { now: 5_001, limit: 9 })), [two!.id])
      }),
    )

    test(
      'sent and failed messages keep their times',
      place(async (where) => {
        const { deliveries } = where
        const [one, two] = await planned(where, [{ at: 90_000 }, { at: 90_000 }])
        const { lease } = await composed(where, messageDraft('sent', [one!.id], { createdAt: 90_000 }), 90_000)
        await deliveries.settle(lease, 'sent', { state: 'sent', at: 90_000, answer: '' }, sent(90_000))
        await deliveries.compose(lease, messageDraft('failed', [two!.id], { createdAt: 90_000 }), [])
        await deliveries.settle(lease, 'failed', { state: 'failed', at: 90_000, answer: '' }, freshHealth)
        await deliveries.release(lease)
        const log = () => deliveries.messages('ann', {}, { before: null, limit: 9 })
        const before = await log()
        await deliveries.replan({ now: 5_000, leaseMs: LEASE_MS })
        assert.deepEqual(await log(), before)
        assert.equal(await countsOf(where), undefined)
      }),
    )

    test(
      'a lease lasts no longer than a new one, and stays exclusive until then',
      place(async (where) => {
        const { deliveries } = where
        await planned(where, [{ at: 1_000 }])
        const { lease } = await leaseOne(deliveries, 90_000)
        await deliveries.replan({ now: 5_000, leaseMs: LEASE_MS })
        assert.deepEqual(await leaseNone(deliveries, 5_999), [])
        assert.equal(await deliveries.renew(lease, 6_500), true)
        assert.deepEqual(await leaseNone(deliveries, 6_499), [])
        assert.equal((await leaseOne(where.open().deliveries, 6_500)).channel.id, 'c')
      }),
    )
  })

  describe(`deliveries of a process that starts alone (${engine.name})`, () => {
    test(
      'all earlier leases end, and their writes are rejected',
      place(async (where) => {
        const { deliveries, channels } = where
        await channels.add(channelDraft('d'))
        const [one] = await planned(where, [{ channels: ['c', 'd'] }])
        const leased = await deliveries.lease({ now: 2_000, leaseMs: 1e9, limit: 9 })
        assert.equal(leased.length, 2)
        await where.open().deliveries.endLeases()
        for (const { lease } of leased) {
          assert.equal(await deliveries.compose(lease, messageDraft(lease.channel, [one!.id]), []), false)
          assert.equal(await deliveries.renew(lease, 9_000), false)
        }
        assert.equal((await deliveries.lease({ now: 2_000, leaseMs: LEASE_MS, limit: 9 })).length, 2)
      }),
    )
  })

  describe(`a channel switched off during a transmission (${engine.name})`, () => {
    for (const [end, expected] of [
      ['sent', 'sent'],
      ['waiting', 'failed'],
      ['failed', 'failed'],
    ] as const)
      test(
        `stays off, and a message that ended as ${end} is ${expected}`,
        place(async (where) => {
          const { deliveries, channels } = where
          const [one] = await planned(where, [{}])
          const { lease } = await composed(where, messageDraft('m', [one!.id]), 2_000)
          await channels.change('ann', 'c', { state: 'off' })
          const later = { ...freshHealth, failures: 1, retryAt: 9_000 }
          const health = end === 'sent' ? sent(2_000) : later
          assert.equal(await deliveries.settle(lease, 'm', { state: end, at: 2_000, answer: '' }, health), true)
          await deliveries.release(lease)
          assert.equal((await channels.find('c'))!.state, 'off')
          assert.equal((await deliveries.message('ann', 'm'))!.state, expected)
          await channels.change('ann', 'c', { state: 'active' })
          assert.deepEqual(await leaseNone(deliveries, 99_000), [])
          await tell(where, [{ channels: ['c'], path: '/next' }])
          await planAll(deliveries)
          assert.equal((await leaseOne(deliveries, 99_000)).channel.id, 'c')
        }),
      )
  })
}
