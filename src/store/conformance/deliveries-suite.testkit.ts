import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Annotation } from '../contracts/annotations.ts'
import type { ChannelDraft, ChannelHealth } from '../contracts/channels.ts'
import type { DeliveryStore, LeasedChannel, MessageDraft, StoredMessage } from '../contracts/deliveries.ts'
import { freshHealth } from '../rules/channels.ts'
import { nothing } from './annotations-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type InboxPlace, type Told, tell, withInbox } from './inbox-suite.testkit.ts'

const LEASE_MS = 1_000

export const channelDraft = (id: string, parts: Partial<ChannelDraft> = {}): ChannelDraft => ({
  ...{ id, owner: 'ann', kind: 'webhook', name: id, createdAt: 5, settings: { url: 'https://x.example/' } },
  ...parts,
})

export const messageDraft = (
  id: string,
  annotations: readonly number[],
  parts: Partial<MessageDraft> = {},
): MessageDraft => ({
  ...{ id, kind: 'single', subject: `about ${id}`, annotations, profiles: ['p'], leftOut: 0, createdAt: 5_000 },
  ...parts,
})

export const sent = (at: number): ChannelHealth => ({ ...freshHealth, sentAt: at })

export const idsOf = (entries: readonly { annotation: number }[]): number[] =>
  entries.map(({ annotation }) => annotation)

/** Plans all unplanned entries as due at their creation time. */
export async function planAll(deliveries: DeliveryStore): Promise<void> {
  const entries = await deliveries.unplanned(1_000)
  await deliveries.plan(entries.map((entry) => ({ ...entry, dueAt: entry.createdAt })))
}

export async function leaseOne(deliveries: DeliveryStore, now: number): Promise<LeasedChannel> {
  const leased = await deliveries.lease({ now, leaseMs: LEASE_MS, limit: 10 })
  assert.equal(leased.length, 1)
  return leased[0]!
}

/** Planned annotations of the channel `c`, due at 1,000 and the following milliseconds. */
export async function planned(place: InboxPlace, told: readonly Told[]): Promise<Annotation[]> {
  if ((await place.channels.find('c')) === null) await place.channels.add(channelDraft('c'))
  const annotations = await tell(
    place,
    told.map((each) => ({ channels: ['c'], ...each })),
  )
  await planAll(place.deliveries)
  return annotations
}

/** Leases the channel and composes a message; the caller settles it. */
export async function composed(place: InboxPlace, message: MessageDraft, now: number): Promise<LeasedChannel> {
  const leased = await leaseOne(place.deliveries, now)
  assert.equal(await place.deliveries.compose(leased.lease, message, []), true)
  return leased
}

export const stateOf = async ({ deliveries }: InboxPlace, id: string): Promise<StoredMessage['state'] | undefined> =>
  (await deliveries.message('ann', id))?.state

export const countsOf = async ({ deliveries }: InboxPlace) => (await deliveries.waitingCounts(['c'])).get('c')

export function deliveriesSuite(engine: StoreEngine): void {
  const place = (work: (place: InboxPlace) => Promise<void>) => withInbox(engine, work)

  describe(`delivery entries (${engine.name})`, () => {
    test(
      'are written once with their annotation, one for each channel, and unplanned',
      place(async (where) => {
        const { deliveries, annotations } = where
        const [one, two] = await tell(where, [
          { channels: ['ops', 'mail'], at: 5_000, urgency: 3 },
          { channels: ['ops'], at: 6_000, owner: 'bob', profile: 'q' },
          { channels: [], at: 7_000 },
        ])
        const first = { annotation: one!.id, owner: 'ann', profile: 'p', urgency: 3, createdAt: 5_000 }
        const expected = [
          { ...first, channel: 'mail' },
          { ...first, channel: 'ops' },
          ...[
            {
              annotation: two!.id,
              channel: 'ops',
              owner: 'bob',
              profile: 'q',
              urgency: two!.urgency,
              createdAt: 6_000,
            },
          ],
        ]
        assert.deepEqual(await deliveries.unplanned(10), expected)
        assert.deepEqual(await where.open().deliveries.unplanned(2), expected.slice(0, 2))
        assert.deepEqual(await annotations.find(one!.id), one, 'channels are no part of the annotation')
        // Committed again, it is not new: neither the annotation nor its entries are written twice.
        const { id: _, url: __, n: ___, alsoAt: ____, ...fields } = two!
        await annotations.commit({ ...nothing, annotations: [{ ...fields, channels: ['ops', 'later'] }] })
        assert.deepEqual(await deliveries.unplanned(10), expected)
      }),
    )

    test(
      'are planned once, and removed if not needed or if their channel is off or missing',
      place(async (where) => {
        const { deliveries, channels } = where
        for (const id of ['on', 'off']) await channels.add(channelDraft(id))
        await channels.change('ann', 'off', { state: 'off' })
        const [one, two, three] = await tell(where, [
          { channels: ['on', 'off', 'nowhere'] },
          { channels: ['on'] },
          { channels: ['on'] },
        ])
        const at = (annotation: Annotation | undefined, dueAt: number | null, channel = 'on') => ({
          ...{ annotation: annotation!.id, channel, dueAt },
        })
        await deliveries.plan([at(one, 7_000), at(one, 7_000, 'off'), at(one, 7_000, 'nowhere'), at(two, null)])
        assert.deepEqual(idsOf(await deliveries.unplanned(10)), [three!.id])
        await deliveries.plan([at(one, 1), at(two, 2), at(three, 6_000)])
        await deliveries.plan([])
        assert.deepEqual(
          (await deliveries.waiting('on', 10)).map(({ annotation, dueAt }) => [annotation, dueAt]),
          [
            [one!.id, 7_000],
            [three!.id, 6_000],
          ],
        )
        assert.deepEqual(
          await deliveries.waitingCounts(['on', 'off', 'nowhere']),
          new Map([['on', { entries: 2, messages: 0, nextAt: 6_000 }]]),
        )
        assert.deepEqual(await deliveries.unplanned(10), [])
      }),
    )

    test(
      'contain what their message depends on, and whether their annotation was read or archived',
      place(async (where) => {
        const given = { urgency: 2, relevance: 0.5, cluster: 4, profile: 'q' }
        const [one, two, three, four] = await planned(where, [given, {}, {}, { muted: true }])
        await where.inbox.mark('ann', [two!.id], { read: true })
        await where.inbox.mark('ann', [three!.id], { archived: true })
        const entries = await where.deliveries.waiting('c', 10)
        const { cluster, ...decisive } = given
        assert.deepEqual(entries[0], {
          ...{
            annotation: one!.id,
            documentId: one!.documentId,
            dueAt: 1_000,
            createdAt: 1_000,
            isRead: false,
            cluster,
          },
          ...decisive,
        })
        assert.deepEqual(
          entries.map(({ annotation, isRead }) => [annotation, isRead]),
          [one, two, three, four].map((each, n) => [each!.id, n > 0]),
        )
      }),
    )
  })

  describe(`channel leases (${engine.name})`, () => {
    test(
      'are exclusive, and given for channels with due entries, longest due first',
      place(async (where) => {
        const { deliveries, channels, open } = where
        const names = ['a', 'b', 'c', 'd', 'e', 'f']
        for (const id of names) await channels.add(channelDraft(id))
        await channels.add(channelDraft('idle'))
        await tell(
          where,
          names.map((id, n) => ({ channels: [id], at: 9_000 - n * 1_000 })),
        )
        await planAll(deliveries)
        assert.deepEqual(await deliveries.lease({ now: 3_999, leaseMs: LEASE_MS, limit: 9 }), [])
        const two = await deliveries.lease({ now: 6_000, leaseMs: LEASE_MS, limit: 2 })
        assert.deepEqual(
          two.map(({ channel }) => channel),
          [await channels.find('f'), await channels.find('e')],
        )
        const stores = [deliveries, open().deliveries, open().deliveries]
        const rest = await Promise.all(stores.map((each) => each.lease({ now: 9_000, leaseMs: 90, limit: 9 })))
        const taken = rest.flat().map(({ channel }) => channel.id)
        // The first two leases have ended by then.
        assert.deepEqual(taken.sort(), names)
        assert.deepEqual(await deliveries.lease({ now: 9_000, leaseMs: LEASE_MS, limit: 9 }), [])
      }),
    )

    test(
      'of a dead process expire, and reject its writes once another process has the channel',
      place(async (where) => {
        const { deliveries } = where
        const [one, two] = await planned(where, [{}, {}])
        const { lease: old } = await leaseOne(deliveries, 2_000)
        assert.deepEqual(await deliveries.lease({ now: 2_999, leaseMs: LEASE_MS, limit: 1 }), [])
        assert.equal(await deliveries.renew(old, 4_000), true)
        assert.deepEqual(await deliveries.lease({ now: 3_999, leaseMs: LEASE_MS, limit: 1 }), [])
        const { lease } = await leaseOne(where.open().deliveries, 4_000)
        assert.ok(lease.epoch > old.epoch)
        assert.equal(await deliveries.renew(old, 9_000), false)
        assert.equal(await deliveries.compose(old, messageDraft('late', [one!.id]), [two!.id]), false)
        assert.equal(await deliveries.compose(old, null, [two!.id]), false)
        assert.equal(await deliveries.postpone(old, [one!.id], 9_000), false)
        assert.deepEqual(await deliveries.due(old, { now: 9_000, limit: 9 }), [])
        assert.equal(await deliveries.compose(lease, messageDraft('m', [one!.id]), []), true)
        assert.equal(await deliveries.begun(old), null)
        assert.equal(await deliveries.settle(old, 'm', { state: 'sent', at: 1, answer: '' }, sent(1)), false)
        assert.equal(await deliveries.release(old), false)
        assert.equal(await stateOf(where, 'm'), 'waiting')
        assert.equal(await deliveries.message('ann', 'late'), null)
        assert.deepEqual(idsOf(await deliveries.due(lease, { now: 9_000, limit: 9 })), [two!.id])
        assert.equal(await deliveries.release(lease), true)
        assert.equal(await deliveries.release(lease), false, 'it is over')
        assert.equal(await deliveries.postpone(lease, [two!.id], 9_000), false)
      }),
    )

    test(
      'set the next due time when released, but not before the channel may be retried',
      place(async (where) => {
        const { deliveries } = where
        const [one, two] = await planned(where, [{}, {}])
        const ids = [one!.id, two!.id]
        const { lease } = await leaseOne(deliveries, 2_000)
        assert.equal(await deliveries.postpone(lease, ids, 8_000), true)
        assert.deepEqual(await deliveries.due(lease, { now: 7_999, limit: 9 }), [])
        await deliveries.release(lease)
        assert.deepEqual(await countsOf(where), { entries: 2, messages: 0, nextAt: 8_000 })
        assert.deepEqual(await deliveries.lease({ now: 7_999, leaseMs: LEASE_MS, limit: 1 }), [])
        const { lease: next } = await composed(where, messageDraft('m', [one!.id]), 8_000)
        const later = { ...freshHealth, failures: 1, reason: 'status 503', retryAt: 20_000 }
        assert.equal(await deliveries.settle(next, 'm', { state: 'waiting', at: 8_100, answer: '503' }, later), true)
        await deliveries.release(next)
        assert.deepEqual(await countsOf(where), { entries: 1, messages: 1, nextAt: 20_000 })
        // Entries planned in the meantime do not bring it forward.
        await planned(where, [{ path: '/more' }])
        assert.deepEqual(await deliveries.lease({ now: 19_999, leaseMs: LEASE_MS, limit: 1 }), [])
        assert.deepEqual((await leaseOne(deliveries, 20_000)).channel, { ...channelDraft('c'), ...later })
      }),
    )

    test(
      'released with a time delay a pending message until then, but not entries due earlier',
      place(async (where) => {
        const { deliveries } = where
        const [one] = await planned(where, [{}])
        const { lease } = await composed(where, messageDraft('m', [one!.id]), 2_000)
        assert.equal(await deliveries.release(lease, 30_000), true)
        assert.equal((await leaseNone(deliveries, 29_999)).length, 0)
        await planned(where, [{ path: '/urgent', at: 9_000 }])
        const { lease: next } = await leaseOne(deliveries, 9_000)
        await deliveries.release(next, 30_000)
        assert.equal((await leaseOne(deliveries, 9_000)).channel.id, 'c', 'the entry is still due')
      }),
    )

    test(
      'are not given for a channel that is off; its queue is cleared, and failed messages can be resent',
      place(async (where) => {
        const { deliveries, channels } = where
        const [one, two] = await planned(where, [{}, {}])
        const { lease } = await composed(where, messageDraft('m', [one!.id]), 2_000)
        await deliveries.release(lease)
        await channels.change('ann', 'c', { state: 'off' })
        assert.deepEqual(await leaseNone(deliveries, 99_000), [])
        assert.equal(await countsOf(where), undefined)
        const failed = await deliveries.message('ann', 'm')
        assert.deepEqual([failed!.state, failed!.answer], ['failed', 'The channel was switched off.'])
        await channels.change('ann', 'c', { state: 'active' })
        assert.deepEqual(await leaseNone(deliveries, 99_000), [])
        assert.equal(await deliveries.sendAgain('ann', 'm', 50_000), true)
        const again = await leaseOne(deliveries, 50_000)
        assert.deepEqual((await deliveries.begun(again.lease))!.annotations, [one!.id])
        // The agent reports that the receiver no longer exists.
        const [more] = await planned(where, [{ path: '/more' }])
        const end = { state: 'failed', at: 50_100, answer: 'gone' } as const
        assert.equal(await deliveries.settle(again.lease, 'm', end, { ...freshHealth, state: 'off' }), true)
        assert.equal(await countsOf(where), undefined)
        assert.ok(more!.id > two!.id)
      }),
    )

    test(
      'of a failing channel are given immediately when its owner changes the settings',
      place(async (where) => {
        const { deliveries, channels } = where
        const [one] = await planned(where, [{}])
        const { lease } = await composed(where, messageDraft('m', [one!.id]), 2_000)
        const failing = { state: 'failing', reason: 'no', failures: 3, retryAt: 90_000, sentAt: 0 } as const
        await deliveries.settle(lease, 'm', { state: 'waiting', at: 2_000, answer: 'no' }, failing)
        await deliveries.release(lease)
        assert.deepEqual(await leaseNone(deliveries, 89_999), [])
        await channels.change('ann', 'c', { settings: { url: 'https://y.example/' } })
        assert.equal((await leaseOne(deliveries, 6_000)).channel.state, 'active')
      }),
    )

    test(
      'lose no entry planned while they are released',
      place(async (where) => {
        const { deliveries, open } = where
        const other = open().deliveries
        await planned(where, [{}])
        for (let round = 0; round < 20; round++) {
          const { lease } = await leaseOne(deliveries, 10_000)
          await deliveries.compose(lease, null, idsOf(await deliveries.due(lease, { now: 10_000, limit: 99 })))
          await tell(where, [{ channels: ['c'], path: `/round${round}`, at: 2_000 + round }])
          await Promise.all([planAll(other), deliveries.release(lease)])
          assert.deepEqual(await countsOf(where), { entries: 1, messages: 0, nextAt: 2_000 + round }, `round ${round}`)
        }
      }),
    )

    test(
      'let concurrent processes deliver everything once, in order',
      place(async (where) => {
        const { channels, open } = where
        const names = ['a', 'b', 'c']
        for (const id of names) await channels.add(channelDraft(id))
        const told = await tell(
          where,
          Array.from({ length: 30 }, () => ({ channels: names })),
        )
        const received = new Map<string, number[]>(names.map((name) => [name, []]))
        const work = async (deliveries: DeliveryStore, n: number): Promise<void> => {
          for (let turn = 0; turn < 40; turn++) {
            const entries = await deliveries.unplanned(10)
            await deliveries.plan(entries.map((entry) => ({ ...entry, dueAt: entry.createdAt })))
            for (const { lease } of await deliveries.lease({ now: 9_000, leaseMs: LEASE_MS, limit: 1 })) {
              const due = await deliveries.due(lease, { now: 9_000, limit: 3 })
              const id = `${n} ${turn} ${lease.channel}`
              assert.equal(await deliveries.compose(lease, messageDraft(id, idsOf(due)), []), true)
              received.get(lease.channel)!.push(...idsOf(due))
              await deliveries.settle(lease, id, { state: 'sent', at: 9_000, answer: '' }, sent(9_000))
              await deliveries.release(lease)
            }
          }
        }
        await Promise.all([where, open(), open()].map(({ deliveries }, n) => work(deliveries, n)))
        for (const name of names)
          assert.deepEqual(
            received.get(name),
            told.map(({ id }) => id),
            name,
          )
      }),
    )
  })
}

export const leaseNone = (deliveries: DeliveryStore, now: number): Promise<LeasedChannel[]> =>
  deliveries.lease({ now, leaseMs: LEASE_MS, limit: 10 })
