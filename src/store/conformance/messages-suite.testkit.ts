import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoredMessage } from '../contracts/deliveries.ts'
import { freshHealth } from '../rules/channels.ts'
import { addAccount } from './accounts/accounts-suite.testkit.ts'
import { nothing } from './annotations-suite.testkit.ts'
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
  stateOf,
} from './deliveries-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type InboxPlace, tell, withInbox } from './inbox-suite.testkit.ts'

/** A message that was sent outside the queue. */
const testMessage = (id: string, parts: Partial<StoredMessage> = {}): StoredMessage => ({
  ...messageDraft(id, [], { kind: 'test', profiles: [] }),
  ...{ channel: 'c', owner: 'ann', state: 'sent', attempts: 1, at: 6_000, answer: '200', ...parts },
})

/** Adds messages to the log, each with its own creation time. */
async function addToLog({ deliveries }: InboxPlace, given: readonly Partial<StoredMessage>[]): Promise<void> {
  for (const [n, parts] of given.entries())
    await deliveries.log(testMessage(`m${n}`, { createdAt: 1_000 + n, kind: 'single', ...parts }))
}

export function messagesSuite(engine: StoreEngine): void {
  const place = (work: (place: InboxPlace) => Promise<void>) => withInbox(engine, work)

  describe(`messages (${engine.name})`, () => {
    test(
      'composed but not settled are sent first, with the same id, and replace their entries',
      place(async (where) => {
        const { deliveries, open } = where
        const [one, two, three, four] = await planned(where, [{}, {}, {}, {}])
        const ids = [two!.id, one!.id]
        const { lease } = await leaseOne(deliveries, 2_000)
        const draft = messageDraft('m', ids, { kind: 'digest', profiles: ['p', 'q'], leftOut: 1, createdAt: 2_000 })
        assert.equal(await deliveries.begun(lease), null)
        assert.equal(await deliveries.compose(lease, draft, [three!.id]), true)
        const message = { ...draft, channel: 'c', owner: 'ann', state: 'waiting', attempts: 0, at: 0, answer: '' }
        assert.deepEqual(await deliveries.begun(lease), message)
        assert.deepEqual(idsOf(await deliveries.due(lease, { now: 2_000, limit: 9 })), [four!.id])
        // The process dies between sending and settling.
        const other = open().deliveries
        const { lease: next } = await leaseOne(other, 3_000)
        assert.deepEqual(await other.begun(next), message)
        const end = { at: 3_100, answer: 'busy' }
        const health = { ...freshHealth, failures: 1, reason: 'busy' }
        assert.equal(await other.settle(next, 'm', { state: 'waiting', ...end }, health), true)
        assert.deepEqual(await other.begun(next), { ...message, attempts: 1, ...end })
        assert.equal(await other.settle(next, 'm', { state: 'sent', at: 3_200, answer: 'ok' }, sent(3_200)), true)
        assert.equal(await other.begun(next), null)
        assert.deepEqual(await deliveries.message('ann', 'm'), {
          ...{ ...message, state: 'sent', attempts: 2, at: 3_200, answer: 'ok' },
        })
        assert.deepEqual(await where.channels.find('c'), { ...channelDraft('c'), ...sent(3_200) })
        await other.release(next)
        assert.deepEqual(await countsOf(where), { entries: 1, messages: 0, nextAt: four!.at })
      }),
    )

    test(
      'that failed can be resent once by their owner, with the same id and attempts reset',
      place(async (where) => {
        const { deliveries } = where
        const [one, two] = await planned(where, [{}, {}])
        const ids = [one!.id, two!.id]
        const { lease } = await composed(where, messageDraft('m', ids), 2_000)
        await deliveries.settle(lease, 'm', { state: 'failed', at: 2_100, answer: 'never' }, freshHealth)
        await deliveries.release(lease)
        assert.deepEqual(await leaseNone(deliveries, 99_000), [])
        assert.equal(await deliveries.sendAgain('bob', 'm', 9_000), false)
        assert.equal(await deliveries.sendAgain('ann', 'other', 9_000), false)
        assert.equal(await deliveries.sendAgain('ann', 'm', 9_000), true)
        assert.equal(await deliveries.sendAgain('ann', 'm', 9_000), false, 'it waits')
        const { lease: next } = await leaseOne(deliveries, 9_000)
        const begun = await deliveries.begun(next)
        assert.deepEqual([begun!.id, begun!.attempts, begun!.annotations], ['m', 0, ids])
        assert.deepEqual(await deliveries.due(next, { now: 9_000, limit: 9 }), [])
        await deliveries.settle(next, 'm', { state: 'sent', at: 9_100, answer: '' }, sent(9_100))
        assert.equal(await deliveries.sendAgain('ann', 'm', 9_200), false)
        await deliveries.log(testMessage('test', { state: 'failed' }))
        assert.equal(await deliveries.sendAgain('ann', 'test', 9_200), false, 'a test is made anew')
      }),
    )

    test(
      'are listed for their owner in pages, newest first, by state and channel',
      place(async (where) => {
        const { deliveries } = where
        const states = ['sent', 'failed', 'sent', 'waiting', 'failed', 'sent'] as const
        await addToLog(
          where,
          states.map((state, n) => ({
            state,
            channel: n % 2 === 0 ? 'even' : 'odd',
            createdAt: n < 4 ? 1_000 : 2_000,
          })),
        )
        await deliveries.log(testMessage('bobs', { owner: 'bob' }))
        const list = async (filter: Parameters<typeof deliveries.messages>[1], limit = 100) => {
          const ids: string[] = []
          for (let before: { createdAt: number; id: string } | null = null; ; ) {
            const page: StoredMessage[] = await deliveries.messages('ann', filter, { before, limit })
            ids.push(...page.map(({ id }) => id))
            if (page.length < limit) return ids
            before = page.at(-1)!
          }
        }
        for (const limit of [1, 2, 4, 100]) {
          assert.deepEqual(await list({}, limit), ['m5', 'm4', 'm3', 'm2', 'm1', 'm0'])
          assert.deepEqual(await list({ state: 'failed' }, limit), ['m4', 'm1'])
          assert.deepEqual(await list({ state: 'sent' }, limit), ['m5', 'm2', 'm0'])
          assert.deepEqual(await list({ state: 'waiting' }, limit), ['m3'])
          assert.deepEqual(await list({ channel: 'odd' }, limit), ['m5', 'm3', 'm1'])
          assert.deepEqual(await list({ channel: 'odd', state: 'failed' }, limit), ['m1'])
          assert.deepEqual(await list({ channel: 'none' }, limit), [])
        }
        assert.deepEqual(await deliveries.message('ann', 'bobs'), null)
        assert.deepEqual(await where.open().deliveries.message('bob', 'bobs'), testMessage('bobs', { owner: 'bob' }))
        await deliveries.log(testMessage('bobs', { owner: 'ann' }))
        assert.deepEqual(await deliveries.message('ann', 'bobs'), null, 'an id is used once')
      }),
    )

    test(
      'sent since a given time are listed for the limit, without tests and failures',
      place(async (where) => {
        await addToLog(where, [
          { at: 4_999 },
          { at: 5_000, profiles: ['p', 'q'] },
          { at: 7_000, profiles: ['r'] },
          { at: 7_000, state: 'failed' },
          { at: 7_000, kind: 'test' },
          { at: 7_000, channel: 'other' },
        ])
        assert.deepEqual(await where.deliveries.sentSince('c', 5_000), [
          { at: 7_000, profiles: ['r'] },
          { at: 5_000, profiles: ['p', 'q'] },
        ])
        assert.deepEqual(await where.deliveries.sentSince('none', 0), [])
      }),
    )

    test(
      'accept invalid characters in texts, and truncate long texts',
      place(async (where) => {
        const { deliveries } = where
        await deliveries.log(
          testMessage('odd', { subject: 'a\0b \ud800 c', answer: '\udfff\0', profiles: ['p\0', '\ud83d'] }),
        )
        const odd = (await deliveries.message('ann', 'odd'))!
        assert.match(odd.subject, /^a[\0\ufffd]b \ufffd+ c$/)
        assert.equal(odd.profiles.length, 2)
        await deliveries.log(testMessage('long', { subject: '💡'.repeat(5_000_000), answer: 'x'.repeat(10_000_000) }))
        const long = (await deliveries.message('ann', 'long'))!
        assert.ok(long.subject.length <= 2_001 && long.subject.startsWith('💡💡'), String(long.subject.length))
        assert.ok(long.answer.length <= 2_001)
        assert.equal(await deliveries.sendAgain('ann\0', 'long\0', 1), false)
        assert.equal(await deliveries.message('\ud800', 'a\0'), null)
        assert.deepEqual(await deliveries.messages('a\0', { channel: '\0' }, { before: null, limit: 9 }), [])
        assert.deepEqual(await deliveries.waitingCounts(['\0', '\ud800', '']), new Map())
        assert.deepEqual(await deliveries.waiting('\0', 9), [])
        assert.deepEqual(await deliveries.sentSince('\0', 0), [])
        // Names of channels come from profiles, so they can be anything.
        await tell(where, [{ channels: ['a\0b', '\ud800'] }])
        assert.equal((await deliveries.unplanned(9)).length, 2)
        await planAll(deliveries)
        assert.deepEqual(await deliveries.unplanned(9), [])
        const [one] = await planned(where, [{ path: '/more' }])
        const { lease } = await composed(where, messageDraft('n\0', [one!.id], { subject: '\0' }), 9_000)
        const end = { state: 'sent', at: 9_000, answer: '\0' } as const
        const health = { ...freshHealth, reason: 'a\0b' }
        assert.equal(await deliveries.settle(lease, (await deliveries.begun(lease))!.id, end, health), true)
        assert.equal(await deliveries.begun(lease), null)
      }),
    )
  })

  describe(`removal of deliveries (${engine.name})`, () => {
    test(
      'removing a channel removes its entries and messages, and no others',
      place(async (where) => {
        const { deliveries, channels } = where
        await channels.add(channelDraft('d', { owner: 'bob' }))
        const [one, two] = await planned(where, [{}, { channels: ['c', 'd'] }])
        const { lease } = await composed(where, messageDraft('m', [one!.id]), 1_000)
        await deliveries.log(testMessage('test'))
        const [three] = await tell(where, [{ path: '/more', channels: ['c', 'd'] }])
        assert.equal(await channels.remove('bob', 'c'), false)
        assert.equal(await stateOf(where, 'm'), 'waiting')
        assert.equal(await channels.remove('ann', 'c'), true)
        assert.deepEqual(await deliveries.messages('ann', {}, { before: null, limit: 9 }), [])
        assert.deepEqual(
          (await deliveries.unplanned(9)).map(({ annotation, channel }) => [annotation, channel]),
          [[three!.id, 'd']],
        )
        assert.deepEqual(idsOf(await deliveries.waiting('d', 9)), [two!.id])
        assert.equal(await deliveries.settle(lease, 'm', { state: 'sent', at: 1, answer: '' }, sent(1)), false)
        // A new channel of the same name does not bring anything back.
        await channels.add(channelDraft('c'))
        assert.deepEqual(
          (await leaseNone(deliveries, 99_000)).map(({ channel }) => channel.id),
          ['d'],
        )
      }),
    )

    test(
      'removing an annotation removes its entries, and pending messages with no other annotation',
      place(async (where) => {
        const { deliveries, inbox } = where
        const given = [{ profile: 'q' }, {}, { profile: 'q' }, { profile: 'q' }, {}]
        const [one, two, three, four, five] = await planned(where, given)
        const { lease } = await composed(where, messageDraft('sent', [one!.id]), 2_000)
        await deliveries.settle(lease, 'sent', { state: 'sent', at: 2_000, answer: '' }, sent(2_000))
        await deliveries.compose(lease, messageDraft('both', [two!.id, three!.id]), [])
        await deliveries.compose(lease, messageDraft('one', [four!.id]), [])
        await inbox.remove('ann', { profile: 'q', limit: 100 })
        assert.deepEqual(
          (await Promise.all(['sent', 'both', 'one'].map((id) => stateOf(where, id)))).map((state) => state ?? 'none'),
          ['sent', 'waiting', 'none'],
        )
        assert.equal(await deliveries.settle(lease, 'one', { state: 'sent', at: 3, answer: '' }, sent(3)), true)
        await deliveries.release(lease)
        assert.deepEqual(await countsOf(where), { entries: 1, messages: 1, nextAt: five!.at })
        await inbox.remove('ann', { limit: 100 })
        assert.equal(await countsOf(where), undefined)
      }),
    )

    test(
      'removing an account removes its channels and everything queued on them',
      place(async (where) => {
        const { accounts, deliveries, channels } = where
        const { id, email } = await addAccount(accounts, 'ann@x.example')
        for (const [name, owner] of [['c', email] as const, ['d', 'bob'] as const])
          await channels.add(channelDraft(name, { owner }))
        await planned(where, [{ owner: email }, { owner: 'bob', channels: ['d'] }])
        await deliveries.log(testMessage('test', { owner: email }))
        assert.equal((await accounts.remove(id)).kind, 'done')
        assert.deepEqual(await channels.list(email), [])
        assert.equal(await channels.find('c'), null)
        assert.deepEqual(await deliveries.messages(email, {}, { before: null, limit: 9 }), [])
        assert.deepEqual(await deliveries.waiting('c', 9), [])
        assert.equal((await deliveries.waiting('d', 9)).length, 1)
      }),
    )

    test(
      'old entries and messages are removed, however many there are',
      place(async (where) => {
        const { deliveries } = where
        const [, , three] = await planned(where, [{ at: 5_000 }, { at: 6_000 }, { at: 7_000 }])
        await tell(where, [{ path: '/more', channels: ['c'], at: 5_000 }])
        await addToLog(where, [{ createdAt: 6_999 }, { createdAt: 7_000 }])
        assert.equal(await deliveries.removeBefore(7_000), 4)
        assert.equal(await deliveries.removeBefore(7_000), 0)
        assert.deepEqual(idsOf(await deliveries.waiting('c', 9)), [three!.id])
        assert.deepEqual(await deliveries.unplanned(9), [])
        assert.deepEqual(
          (await deliveries.messages('ann', {}, { before: null, limit: 9 })).map(({ id }) => id),
          ['m1'],
        )
        const many = Array.from({ length: 1_100 }, (_, n) => ({ id: `many${n}`, createdAt: 8_000 }))
        await Promise.all(many.map((each) => deliveries.log(testMessage(each.id, each))))
        assert.equal(await deliveries.removeBefore(9_000), 1_102)
        // After one lease that finds nothing, the channel is not leased again for what was removed.
        const { lease } = await leaseOne(deliveries, 9_000)
        await deliveries.release(lease)
        assert.deepEqual(await leaseNone(deliveries, 99_000), [])
      }),
    )

    test(
      'a version is not collected while a delivery of its annotations is pending',
      place(async (where) => {
        const { deliveries, collection, inbox, annotations } = where
        const [one, two, three, bobs] = await planned(where, [
          { path: '/a' },
          { path: '/b' },
          { path: '/c' },
          { path: '/d', owner: 'bob', channels: [] },
        ])
        // Later versions, so that the earlier ones can be collected.
        await tell(
          where,
          ['/a', '/b', '/c', '/d'].map((path) => ({ path, owner: 'eve' })),
        )
        for (const [owner, each] of [
          ['ann', one],
          ['ann', two],
          ['ann', three],
          ['bob', bobs],
        ] as const)
          await inbox.mark(owner, [each!.id], { read: true })
        const tasks = await annotations.tasks({ limit: 100, part: 0, parts: 1 })
        await annotations.commit({ ...nothing, done: tasks.map(({ id }) => id) })
        const versions = [one, two, three, bobs].map((each) => each!.versionId)
        await collection.markUnwanted(versions)
        const collect = async (action: 'drop' | 'remove', ...places: number[]) =>
          (await collection.collect(places.map((n) => ({ versionId: versions[n]!, action })))).map((outcome) =>
            outcome.kind === 'kept' ? outcome.why : outcome.kind,
          )
        assert.deepEqual(await collect('drop', 0, 1, 2, 3), ['held', 'held', 'held', 'done'])
        assert.deepEqual(await collect('remove', 0, 1, 2, 3), ['held', 'held', 'held', 'done'])
        const { lease } = await composed(where, messageDraft('m', [one!.id]), 2_000)
        await deliveries.compose(lease, messageDraft('n', [two!.id]), [three!.id])
        assert.deepEqual(await collect('remove', 0, 1, 2), ['held', 'held', 'done'])
        await deliveries.settle(lease, 'm', { state: 'sent', at: 2_000, answer: '' }, sent(2_000))
        await deliveries.settle(lease, 'n', { state: 'waiting', at: 2_000, answer: '' }, freshHealth)
        assert.deepEqual(await collect('remove', 0, 1), ['done', 'held'])
        await deliveries.settle(lease, 'n', { state: 'failed', at: 2_000, answer: '' }, freshHealth)
        await deliveries.sendAgain('ann', 'n', 3_000)
        assert.deepEqual(await collect('remove', 1), ['held'])
        await deliveries.settle(lease, 'n', { state: 'failed', at: 2_000, answer: '' }, freshHealth)
        assert.deepEqual(await collect('remove', 1), ['done'])
      }),
    )
  })
}
