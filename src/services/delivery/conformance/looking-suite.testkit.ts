import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import type { ChannelSending } from '../../channels/sending.ts'
import { createPreviews } from '../preview.ts'
import { createTestSender } from '../test-sender.ts'
import {
  annotationsOn,
  type DeliveryPlace,
  HOUR_MS,
  idsOf,
  MINUTE_MS,
  receivedOn,
  START,
  withDelivery,
} from './delivery.testkit.ts'

type Shown = Awaited<ReturnType<ChannelSending['previews']['next']>>

const summaryOf = (next: Shown) =>
  next === null
    ? null
    : { at: next.at, kind: next.message.kind, annotations: next.message.items.map(({ id }) => id), later: next.later }

/** Previews and tests of a channel, on every engine. */
export function lookingSuite(engine: StoreEngine): void {
  const place = (work: (place: DeliveryPlace) => Promise<void>) => withDelivery(engine, work)

  const previewOf = async (where: DeliveryPlace, channel = 'c') => {
    const { next } = createPreviews(where.process().shared)
    return summaryOf(await next((await where.channels.find(channel))!))
  }

  describe(`the preview of a channel (${engine.name})`, () => {
    test(
      'shows the next message and its time, without annotations already read',
      place(async (where) => {
        await where.setProfile('p', { cadence: 'hourly' })
        assert.equal(await previewOf(where), null)
        const [one, two, three] = idsOf(await where.found({ relevance: 1 }, { relevance: 9 }, { relevance: 5 }))
        await where.run()
        await where.inbox.mark('ann', [three!], { read: true })
        const expected = { at: START + HOUR_MS, kind: 'digest', annotations: [two, one], later: 1 }
        assert.deepEqual(await previewOf(where), expected)
        await where.pass(HOUR_MS)
        const [left] = receivedOn(where)
        assert.deepEqual([left!.at, left!.annotations], [expected.at, expected.annotations])
        assert.equal(await previewOf(where), null)
      }),
    )

    test(
      'respects quiet hours and the hourly limit',
      place(async (where) => {
        await where.addChannel('d')
        await where.setProfile('p', { perHour: 1 })
        await where.setProfile('q', { channels: ['d'], cadence: 'hourly' })
        const [, limited] = idsOf(await where.found({}, {}))
        const [quiet] = idsOf(await where.found({ profile: 'q' }))
        await where.run()
        await where.setProfile('q', {
          ...{ channels: ['d'], cadence: 'hourly', quiet: { zone: 'UTC', from: '12:30', to: '15:00' } },
        })
        const single = { kind: 'single', later: 0 }
        assert.deepEqual(await previewOf(where, 'c'), { ...single, at: START + HOUR_MS, annotations: [limited] })
        assert.deepEqual(await previewOf(where, 'd'), { ...single, at: START + 3 * HOUR_MS, annotations: [quiet] })
      }),
    )

    test(
      'shows the failed message that is retried next, and the time of the retry',
      place(async (where) => {
        where.sink.answerWith({ status: 400 })
        const [one, two] = idsOf(await where.found({}, {}))
        await where.run()
        where.sink.answerWith({ status: 503 })
        for (const { id } of await where.deliveries.messages('ann', {}, { before: null, limit: 9 }))
          await where.deliveries.sendAgain('ann', id, where.clock.now())
        await where.run()
        const { retryAt } = (await where.channels.find('c'))!
        const [tried] = annotationsOn(where).at(-1)!
        assert.ok([one, two].includes(tried!))
        const preview = (await previewOf(where))!
        assert.deepEqual([preview.annotations, preview.later], [[tried], 1])
        assert.ok(retryAt > START && preview.at === retryAt)
      }),
    )
  })

  describe(`a test of a channel (${engine.name})`, () => {
    const testOf = (where: DeliveryPlace) => {
      const { channels, deliveries, clock } = where
      const { send, shared } = where.process()
      const tests = createTestSender({ send, channels, deliveries, clock, contents: shared.contents })
      return async () => tests.send((await channels.find('c'))!)
    }

    test(
      'is sent immediately, returns the answer, and is logged',
      place(async (where) => {
        await where.setProfile('p', { cadence: 'hourly', quiet: { zone: 'UTC', from: '11:00', to: '15:00' } })
        await where.found({})
        await where.run()
        where.sink.answerWith({ status: 201, body: 'made' })
        const send = testOf(where)
        assert.deepEqual(await send(), { outcome: 'delivered', answer: 'status 201: made' })
        where.sink.answerWith({ status: 404, body: 'nobody here' })
        assert.deepEqual(await send(), { outcome: 'never', answer: 'status 404: nobody here' })
        const log = await where.deliveries.messages('ann', {}, { before: null, limit: 9 })
        assert.deepEqual(
          new Set(log.map(({ kind, state, answer }) => `${kind} ${state} ${answer}`)),
          new Set(['test sent status 201: made', 'test failed status 404: nobody here']),
        )
        assert.equal((await where.channels.find('c'))!.failures, 0, 'a test says nothing about what waits')
      }),
    )

    test(
      'that succeeds reactivates a failing channel, and leaves a channel that is off unchanged',
      place(async (where) => {
        const { sink, channels } = where
        sink.answerWith({ status: 503 })
        const [one] = await where.found({})
        await where.pass(20 * MINUTE_MS, MINUTE_MS)
        assert.equal((await channels.find('c'))!.state, 'failing')
        sink.answerWith({ status: 200 })
        const send = testOf(where)
        await send()
        assert.equal((await channels.find('c'))!.state, 'active')
        await where.run()
        assert.deepEqual(annotationsOn(where).at(-1), [one!.id])
        sink.answerWith({ status: 503 })
        await where.found({})
        await where.pass(20 * MINUTE_MS, MINUTE_MS)
        await channels.change('ann', 'c', { state: 'off' })
        sink.answerWith({ status: 200 })
        assert.equal((await send()).outcome, 'delivered')
        assert.equal((await channels.find('c'))!.state, 'off')
      }),
    )
  })
}
