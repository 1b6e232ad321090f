import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OutboxAttempt, OutboxEntry } from '../contracts/outbox.ts'
import { nothing } from './annotations-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { tell, withInbox } from './inbox-suite.testkit.ts'

const LEASE_MS = 1_000
const takeAll = (now: number) => ({ now, limit: 100, leaseMs: LEASE_MS })
const idsOf = (attempts: readonly OutboxAttempt[]): string[] =>
  attempts.map(({ annotation, channel }) => `${annotation} ${channel}`).sort()

export function outboxSuite(engine: StoreEngine): void {
  describe(`the outbox (${engine.name})`, () => {
    test(
      'an annotation has an entry for each of its channels, written with it, and none where it has no channel',
      withInbox(engine, async (where) => {
        const { outbox, annotations } = where
        const [one, two, silent] = await tell(where, [
          { channels: ['ops', 'mail'], at: 5_000 },
          { channels: ['ops'], at: 6_000 },
          { channels: [], at: 7_000 },
        ])
        const fresh: OutboxEntry = {
          ...{ annotation: one!.id, channel: 'mail', state: 'waiting', attempts: 0 },
          ...{ nextAt: 5_000, createdAt: 5_000, reason: '' },
        }
        assert.deepEqual(await outbox.find(one!.id), [fresh, { ...fresh, channel: 'ops' }])
        assert.deepEqual(await outbox.find(silent!.id), [])
        assert.deepEqual(await annotations.find(one!.id), one, 'channels are no part of the annotation')
        // Committed again it is not new: neither it nor its deliveries are written twice.
        const { id: _, url: __, n: ___, alsoAt: ____, ...fields } = two!
        await annotations.commit({ ...nothing, annotations: [{ ...fields, channels: ['ops', 'later'] }] })
        assert.equal((await outbox.find(two!.id)).length, 1)
      }),
    )

    test(
      'entries are taken when they are due, the oldest first, and by one taker only',
      withInbox(engine, async (where) => {
        const { outbox, open } = where
        const annotations = await tell(
          where,
          Array.from({ length: 6 }, (_, n) => ({ channels: ['ops'], at: 5_000 + n })),
        )
        assert.deepEqual(await outbox.take(takeAll(4_999)), [])
        assert.deepEqual(
          (await outbox.take({ ...takeAll(5_003), limit: 2 })).map(({ annotation }) => annotation),
          annotations.slice(0, 2).map(({ id }) => id),
        )
        const taken = await Promise.all([outbox, open().outbox, open().outbox].map((each) => each.take(takeAll(5_010))))
        assert.deepEqual(idsOf(taken.flat()), idsOf(annotations.slice(2).map(({ id }) => attemptOf(id))))
        assert.deepEqual(await outbox.take(takeAll(5_010)), [])
      }),
    )

    test(
      'an entry that was sent but not completed when its process died is taken again under the same id',
      withInbox(engine, async (where) => {
        const [one] = await tell(where, [{ channels: ['ops'], at: 5_000 }])
        const [killed] = await where.outbox.take(takeAll(5_000))
        assert.deepEqual(killed, attemptOf(one!.id))
        const { outbox } = where.open()
        assert.deepEqual(await outbox.take(takeAll(5_000 + LEASE_MS - 1)), [], 'its lease has not ended')
        const [again] = await outbox.take(takeAll(5_000 + LEASE_MS))
        assert.deepEqual(again, { ...killed, attempt: 2 })
        assert.equal(await where.outbox.complete(killed!, 6_500), false, 'the lease is lost')
        assert.equal(await where.outbox.retry(killed!, { at: 9_000, reason: 'late' }), false)
        assert.equal(await where.outbox.giveUp(killed!, { now: 6_500, reason: 'late' }), false)
        assert.equal(await outbox.complete(again!, 6_600), true)
        assert.equal(await outbox.complete(again!, 6_700), false, 'it is complete')
        const [entry] = await where.open().outbox.find(one!.id)
        assert.deepEqual([entry!.state, entry!.attempts, entry!.nextAt], ['sent', 2, 6_600])
        assert.deepEqual(await outbox.take(takeAll(1e12)), [])
      }),
    )

    test(
      'a failed attempt is repeated at its time, and ends when it is given up, with the reason',
      withInbox(engine, async (where) => {
        const { outbox } = where
        const [one] = await tell(where, [{ channels: ['ops', 'mail'], at: 5_000 }])
        const [mail, ops] = (await outbox.take(takeAll(5_000))).sort((x, y) => (x.channel < y.channel ? -1 : 1))
        assert.equal(await outbox.retry(ops!, { at: 8_000, reason: 'status 503' }), true)
        assert.equal(await outbox.giveUp(mail!, { now: 5_100, reason: 'no such mailbox' }), true)
        assert.deepEqual(await outbox.take(takeAll(7_999)), [])
        const [again] = await where.open().outbox.take(takeAll(8_000))
        assert.deepEqual(again, { ...ops, attempt: 2 })
        assert.deepEqual(
          (await outbox.find(one!.id)).map(({ channel, state, reason }) => [channel, state, reason]),
          [
            ['mail', 'given-up', 'no such mailbox'],
            ['ops', 'waiting', 'status 503'],
          ],
        )
      }),
    )

    test(
      'entries of any state are removed by their age, and with their annotation',
      withInbox(engine, async (where) => {
        const { outbox, inbox } = where
        const [one, two, three, bobs] = await tell(where, [
          { channels: ['ops'], at: 5_000 },
          { channels: ['ops'], at: 6_000 },
          { channels: ['ops'], at: 7_000 },
          { channels: ['ops'], at: 8_000, owner: 'bob' },
        ])
        const [first] = await outbox.take(takeAll(5_000))
        await outbox.complete(first!, 5_100)
        assert.equal(await outbox.removeBefore(7_000), 2)
        assert.equal(await outbox.removeBefore(7_000), 0)
        const left = async () =>
          (await Promise.all([one, two, three, bobs].map((each) => outbox.find(each!.id)))).map((each) => each.length)
        assert.deepEqual(await left(), [0, 0, 1, 1])
        await inbox.remove('ann', { limit: 100 })
        assert.deepEqual(await left(), [0, 0, 0, 1])
        assert.deepEqual(idsOf(await outbox.take(takeAll(9_000))), [`${bobs!.id} ops`])
      }),
    )
  })
}

const attemptOf = (annotation: number): OutboxAttempt => ({ annotation, channel: 'ops', attempt: 1 })
