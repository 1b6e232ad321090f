import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelAgent } from '../../../delivery/channel-agent.ts'
import { agentsByKind } from '../../../delivery/registry.ts'
import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import {
  annotationsOn,
  DAY_MS,
  type DeliveryPlace,
  HOUR_MS,
  idsOf,
  MINUTE_MS,
  type ProcessOptions,
  receivedOn,
  SECRET,
  START,
  show,
  withDelivery,
} from './delivery.testkit.ts'

/** Receivers that are down, refuse or ask to retry later, on every engine. */
export function receiverFaultsSuite(engine: StoreEngine): void {
  const place = (work: (place: DeliveryPlace) => Promise<void>, options?: ProcessOptions) =>
    withDelivery(engine, work, options)

  describe(`a receiver that is down (${engine.name})`, () => {
    test(
      'for an hour gets the pending message with its original id, then one digest of the rest',
      place(async (where) => {
        const { sink, clock } = where
        sink.answerWith(() => ({ status: clock.now() < START + HOUR_MS ? 503 : 200 }))
        const found = idsOf(await where.found({}))
        await where.run()
        for (let minute = 0; minute < 120; minute++) {
          if (minute % 5 === 4 && minute < 60) found.push(...idsOf(await where.found({})))
          await where.pass(MINUTE_MS, MINUTE_MS / 2)
        }
        show(where, 'a receiver that is down for an hour, and a change every five minutes')
        const received = receivedOn(where)
        const attempts = received.filter(({ annotations }) => annotations[0] === found[0])
        assert.deepEqual(
          attempts.map(({ at }) => (at - START) / 1000),
          [0, 30, 90, 210, 450, 930, 1890, 3810],
          'each time after twice as long',
        )
        assert.equal(new Set(attempts.map(({ id }) => id)).size, 1)
        const [digest, ...others] = received.slice(attempts.length)
        assert.deepEqual(others, [])
        assert.deepEqual([digest!.type, digest!.annotations], ['annotations.digest', found.slice(1)])
        assert.equal(digest!.at, attempts.at(-1)!.at, 'at once after the first that arrived')
        const channel = await where.channels.find('c')
        assert.deepEqual([channel!.state, channel!.failures, channel!.reason], ['active', 0, ''])
      }),
    )

    test(
      'is failing after three attempts, with the reason, until a message arrives; others still deliver',
      place(async (where) => {
        const { sink } = where
        await where.addChannel('d')
        await where.setProfile('p', { channels: ['c', 'd'] })
        sink.answerWith(({ path }) => (path === '/c' ? { status: 500, body: 'database is full' } : { status: 200 }))
        const [one] = await where.found({})
        const states: string[] = []
        for (let n = 0; n < 4; n++) {
          await where.pass(2 * MINUTE_MS)
          states.push((await where.channels.find('c'))!.state)
        }
        assert.deepEqual(states, ['active', 'active', 'failing', 'failing'])
        assert.equal((await where.channels.find('c'))!.reason, 'status 500: database is full')
        assert.equal(where.problems.length, 1, 'told once')
        assert.deepEqual(annotationsOn(where, 'd'), [[one!.id]])
        sink.answerWith({ status: 200 })
        await where.pass(10 * MINUTE_MS, MINUTE_MS)
        assert.equal((await where.channels.find('c'))!.state, 'active')
        assert.equal(annotationsOn(where).length, 5)
      }),
    )

    test(
      'is retried immediately when its owner changes the settings',
      place(async (where) => {
        const { sink, channels } = where
        sink.answerWith(({ path }) => ({ status: path === '/c' ? 500 : 200 }))
        const [one] = await where.found({})
        await where.pass(20 * MINUTE_MS, MINUTE_MS)
        const settings = { url: `${sink.url}/right`, format: 'json', secret: SECRET }
        await channels.change('ann', 'c', { settings })
        await where.run()
        assert.deepEqual(annotationsOn(where, 'right'), [[one!.id]])
        assert.equal(receivedOn(where, 'right')[0]!.id, receivedOn(where, 'c')[0]!.id)
      }),
    )

    test(
      'and sends Retry-After is not contacted before then',
      place(async (where) => {
        where.sink.answerWith({ status: 429, headers: { 'retry-after': '600' } })
        await where.found({})
        await where.pass(9.5 * MINUTE_MS, MINUTE_MS / 2)
        where.sink.answerWith({ status: 200 })
        await where.pass(2 * MINUTE_MS, MINUTE_MS / 2)
        const [first, second, ...others] = receivedOn(where)
        assert.deepEqual(others, [])
        assert.equal(second!.at - first!.at, 10 * MINUTE_MS)
      }),
    )

    test(
      'for days turns its message into a dead letter, which its owner can resend with the same id',
      place(async (where) => {
        const { sink, deliveries } = where
        sink.answerWith({ status: 503, body: 'closed' })
        const [one, two] = await where.found({}, {})
        await where.pass(3 * DAY_MS + HOUR_MS, HOUR_MS)
        const [dead] = await deliveries.messages('ann', { state: 'failed' }, { before: null, limit: 9 })
        assert.deepEqual(dead!.annotations, [one!.id])
        assert.equal(dead!.answer, 'Given up after three days: status 503: closed')
        assert.ok(dead!.attempts >= 60 && dead!.attempts <= 80, String(dead!.attempts))
        sink.answerWith({ status: 200 })
        await where.pass(2 * HOUR_MS, HOUR_MS)
        assert.deepEqual(annotationsOn(where).at(-1), [two!.id])
        assert.equal(await deliveries.sendAgain('ann', dead!.id, where.clock.now()), true)
        await where.run()
        const last = receivedOn(where).at(-1)!
        assert.deepEqual([last.id, last.annotations], [dead!.id, [one!.id]])
        assert.equal((await deliveries.message('ann', dead!.id))!.state, 'sent')
      }),
    )
  })

  describe(`a receiver that rejects (${engine.name})`, () => {
    test(
      'one message permanently gets the next one immediately',
      place(async (where) => {
        where.sink.answerWith(({ body }) => ({ status: body.includes('Page 2') ? 400 : 200 }))
        const [one, two, three] = await where.found({}, {}, {})
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id], [two!.id], [three!.id]])
        const log = await where.deliveries.messages('ann', {}, { before: null, limit: 9 })
        assert.deepEqual(
          new Set(log.map(({ annotations, state }) => `${annotations} ${state}`)),
          new Set([`${one!.id} sent`, `${two!.id} failed`, `${three!.id} sent`]),
        )
        assert.equal((await where.channels.find('c'))!.state, 'active')
      }),
    )

    test(
      'everything is failing after three messages, and the rest stays queued',
      place(async (where) => {
        where.sink.answerWith({ status: 403 })
        const found = await where.found({}, {}, {}, {}, {})
        await where.run()
        assert.deepEqual(
          annotationsOn(where),
          idsOf(found)
            .slice(0, 3)
            .map((id) => [id]),
        )
        assert.equal((await where.channels.find('c'))!.state, 'failing')
        assert.equal((await where.deliveries.waitingCounts(['c'])).get('c')!.entries, 2)
      }),
    )

    const leaving: ChannelAgent = {
      ...agentsByKind.get('webhook')!,
      kind: 'leaving',
      send: async () => ({ kind: 'never', reason: 'the browser unsubscribed', isGone: true }),
    }

    test(
      'messages because it is gone has its channel switched off, with the reason',
      place(
        async (where) => {
          await where.addChannel('gone', { kind: 'leaving' })
          await where.setProfile('p', { channels: ['gone'] })
          await where.found({}, {})
          await where.run()
          const channel = await where.channels.find('gone')
          assert.deepEqual([channel!.state, channel!.reason], ['off', 'the browser unsubscribed'])
          assert.equal((await where.deliveries.waitingCounts(['gone'])).size, 0)
        },
        { agents: new Map([...agentsByKind, ['leaving', leaving]]) },
      ),
    )
  })
}
