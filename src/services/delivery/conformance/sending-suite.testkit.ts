import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { AppError } from '../../../core/errors.ts'
import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import {
  annotationsOn,
  type DeliveryPlace,
  HOUR_MS,
  idsOf,
  MINUTE_MS,
  type ProcessOptions,
  receivedOn,
  SECRET,
  START,
  withDelivery,
} from './delivery.testkit.ts'

/** Guarantees of delivery on every engine, with and without a failing channel or page. */
export function sendingSuite(engine: StoreEngine): void {
  const place = (work: (place: DeliveryPlace) => Promise<void>, options?: ProcessOptions) =>
    withDelivery(engine, work, options)

  describe(`sending (${engine.name})`, () => {
    test(
      'delivers an annotation as a signed message, and records it in the log and the channel',
      place(async (where) => {
        const { sink, deliveries, channels } = where
        const [one] = await where.found({ title: 'Kettle', urgency: 2 })
        await where.run()
        const [request, ...others] = sink.received
        assert.deepEqual(others, [])
        const { headers, body } = request!
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
        const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
        const expected = createHmac('sha256', key).update(signed).digest('base64')
        assert.equal(headers['webhook-signature'], `v1,${expected}`)
        const { type, data, links } = JSON.parse(body)
        assert.equal(type, 'annotation.created')
        assert.equal(data[0].title, 'Kettle')
        assert.deepEqual(data[0].profile, { id: 'p', name: 'Profile p' })
        assert.equal(links.inbox, 'https://e.example/inbox')
        const [logged] = await deliveries.messages('ann', {}, { before: null, limit: 9 })
        const { id, state, attempts, at, answer, annotations } = logged!
        assert.deepEqual([id, state, attempts, at], [headers['webhook-id'], 'sent', 1, START])
        assert.deepEqual([answer, annotations], ['status 200: ok', [one!.id]])
        const channel = await channels.find('c')
        assert.deepEqual([channel!.state, channel!.sentAt, channel!.failures], ['active', START, 0])
        await where.pass(MINUTE_MS)
        assert.equal(sink.received.length, 1)
      }),
    )

    test(
      'delivers messages of a channel in the order of their annotations, each with a unique id',
      place(async (where) => {
        await where.addChannel('d')
        await where.setProfile('q', { channels: ['c', 'd'] })
        const found = await where.found({}, { profile: 'q' }, {}, { profile: 'q' }, { profile: 'q' })
        await where.run()
        const [one, two, three, four, five] = idsOf(found)
        assert.deepEqual(annotationsOn(where, 'c'), [[one], [two], [three], [four], [five]])
        assert.deepEqual(annotationsOn(where, 'd'), [[two], [four], [five]])
        assert.equal(new Set(where.sink.received.map(({ headers }) => headers['webhook-id'])).size, 8)
      }),
    )

    test(
      'sends annotations found during a transmission afterwards',
      place(async (where) => {
        const more: number[] = []
        where.sink.answerWith(async () => {
          if (more.length < 3) more.push(...idsOf(await where.found({})))
          return { status: 204 }
        })
        const [first] = await where.found({})
        await where.run()
        assert.deepEqual(annotationsOn(where), [[first!.id], ...more.map((id) => [id])])
      }),
    )

    test(
      'combines more than five annotations into a digest, and sends every one to programs',
      place(async (where) => {
        await where.setProfile('q', {})
        const found = await where.found(
          ...Array.from({ length: 103 }, (_, n) => ({ profile: n % 2 === 0 ? 'p' : 'q' })),
        )
        await where.run()
        const received = receivedOn(where)
        assert.deepEqual(
          received.map(({ type, annotations }) => [type, annotations.length]),
          [
            ['annotations.digest', 100],
            ['annotation.created', 1],
            ['annotation.created', 1],
            ['annotation.created', 1],
          ],
        )
        assert.deepEqual(
          received.flatMap(({ annotations }) => annotations).sort((a, b) => a - b),
          idsOf(found),
        )
      }),
    )

    test(
      'shows people as many changes as fit, and a count of the rest',
      place(async (where) => {
        await where.addChannel('n', { kind: 'ntfy', settings: { url: `${where.sink.url}/n`, topic: 't', token: '' } })
        await where.setProfile('p', { channels: ['n'] })
        await where.found(...Array.from({ length: 14 }, (_, n) => ({ relevance: n })))
        await where.run()
        assert.equal(where.sink.received.length, 1)
        const { title, message } = JSON.parse(where.sink.received[0]!.body)
        assert.match(title, /14 changes/)
        assert.match(message, /Page 14[\s\S]*Page 5[\s\S]*4 more/)
        assert.doesNotMatch(message, /Page 4\b/)
        const [logged] = await where.deliveries.messages('ann', {}, { before: null, limit: 9 })
        assert.deepEqual([logged!.leftOut, logged!.annotations.length], [4, 14])
        assert.equal((await where.deliveries.waitingCounts(['n'])).size, 0)
      }),
    )

    test(
      'groups near-duplicates for people, with the other URLs, and lists each one for programs',
      place(async (where) => {
        await where.addChannel('n', { kind: 'ntfy', settings: { url: `${where.sink.url}/n`, topic: 't', token: '' } })
        await where.setProfile('p', { channels: ['c', 'n'] })
        const near = await where.found({ cluster: 9, relevance: 5 }, { cluster: 9 }, { cluster: 9, relevance: 3 })
        const [one, two, three] = near
        await where.found({}, {}, {})
        await where.run()
        assert.equal(annotationsOn(where)[0]!.length, 6)
        const { body } = where.sink.received.find(({ path }) => path === '/n')!
        const { message } = JSON.parse(body) as { message: string }
        assert.deepEqual(
          [1, 2, 3, 4, 5, 6].filter((n) => message.includes(`Page ${n}:`)),
          [1, 4, 5, 6],
        )
        const [logged] = await where.deliveries.messages('ann', { channel: 'n' }, { before: null, limit: 9 })
        const { items } = await where.process().shared.contents.of((await where.channels.find('n'))!, logged!)
        assert.deepEqual([items[0]!.id, items[0]!.alsoAt], [one!.id, [three!.url, two!.url]])
      }),
    )

    test(
      'skips annotations without channels, unknown channels, and channels removed from the profile',
      place(async (where) => {
        await where.addChannel('d')
        await where.found({ channels: [] })
        const [kept] = await where.found({ channels: ['c', 'd', 'nowhere'] })
        await where.setProfile('p', { channels: ['d'] })
        await where.run()
        assert.deepEqual(annotationsOn(where, 'c'), [])
        assert.deepEqual(annotationsOn(where, 'd'), [[kept!.id]])
        assert.deepEqual(await where.deliveries.unplanned(9), [])
      }),
    )

    test(
      'sends nothing for a disabled account, not even a pending message',
      place(async (where) => {
        where.sink.answerWith({ status: 503 })
        await where.found({})
        await where.run()
        const [begun] = receivedOn(where)
        await where.found({})
        const { id } = (await where.accounts.findByEmail('ann'))!
        await where.accounts.update(id, { disabled: true })
        where.sink.answerWith({ status: 200 })
        await where.pass(HOUR_MS, 5 * MINUTE_MS)
        assert.equal(where.sink.received.length, 1)
        assert.equal((await where.deliveries.waitingCounts(['c'])).size, 0)
        // Its owner can still have it sent again.
        await where.accounts.update(id, { disabled: false })
        assert.equal(await where.deliveries.sendAgain('ann', begun!.id, where.clock.now()), true)
        await where.run()
        assert.deepEqual(
          receivedOn(where).map((each) => each.id),
          [begun!.id, begun!.id],
        )
      }),
    )

    test(
      'applies changed channel settings to the next message',
      place(async (where) => {
        const { sink, channels } = where
        sink.answerWith(async ({ path }) => {
          if (path === '/c') {
            const settings = { url: `${sink.url}/moved`, format: 'json', secret: SECRET }
            assert.equal(await channels.change('ann', 'c', { settings }), true)
          }
          return { status: 200 }
        })
        const [one, two, three] = await where.found({}, {}, {})
        await where.run()
        assert.deepEqual(annotationsOn(where, 'c'), [[one!.id]])
        assert.deepEqual(annotationsOn(where, 'moved'), [[two!.id], [three!.id]])
      }),
    )

    test(
      'drops everything queued when a channel is switched off, even if it is switched on again',
      place(async (where) => {
        const { sink, channels } = where
        sink.answerWith(async () => {
          await channels.change('ann', 'c', { state: 'off' })
          return { status: 200 }
        })
        const [one] = await where.found({}, {}, {})
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id]])
        await where.found({})
        await where.pass(MINUTE_MS)
        sink.answerWith({ status: 200 })
        await channels.change('ann', 'c', { state: 'active' })
        const [later] = await where.found({})
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id], [later!.id]])
      }),
    )

    test(
      'does not send a message whose annotations were all removed',
      place(async (where) => {
        where.sink.answerWith({ status: 503 })
        const [one] = await where.found({})
        await where.run()
        await where.inbox.remove('ann', { limit: 100 })
        where.sink.answerWith({ status: 200 })
        await where.pass(MINUTE_MS)
        assert.deepEqual(annotationsOn(where), [[one!.id]], 'the attempt that failed')
        assert.equal((await where.deliveries.waitingCounts(['c'])).size, 0)
      }),
    )
  })

  describe(`page text in messages (${engine.name})`, () => {
    const textsIn = ({ sink }: DeliveryPlace): (string | undefined)[] =>
      sink.received.flatMap(({ body }) => (JSON.parse(body).data as { text?: string }[]).map(({ text }) => text))

    test(
      'is included only for profiles that ask for it',
      place(async (where) => {
        await where.setProfile('q', {}, { amount: 'full' })
        const [, full] = await where.found({}, { profile: 'q' })
        await where.run()
        assert.deepEqual(textsIn(where), [undefined, `Text of ${full!.versionId}`])
      }),
    )

    for (const [what, error] of [
      ['is damaged', new AppError('record-damaged', 'the body of version 1 is damaged')],
      ['takes too long', new AppError('took-too-long', 'reading took too long')],
      ['makes its reader fail', new TypeError('not a string')],
    ] as const)
      test(
        `that ${what} is left out, and the message is still sent`,
        place(
          async (where) => {
            await where.setProfile('p', {}, { amount: 'full' })
            const [one, two] = await where.found({}, {})
            await where.run()
            assert.deepEqual(annotationsOn(where), [[one!.id], [two!.id]])
            assert.deepEqual(textsIn(where), [undefined, undefined])
            assert.equal(where.problems.length, 2)
            assert.match(where.problems[0]!, /without the text of its page: .*(?:damaged|too long|not a string)/)
          },
          { archive: { text: () => Promise.reject(error) } },
        ),
      )

    test(
      'delays the message while the store is unreachable',
      place(
        async (where) => {
          await where.setProfile('p', {}, { amount: 'full' })
          await where.found({})
          await assert.rejects(where.run(), { code: 'store-unreachable' })
          assert.deepEqual(where.sink.received, [])
          assert.equal((await where.channels.find('c'))!.failures, 0, 'the channel is not to blame')
        },
        { archive: { text: () => Promise.reject(new AppError('store-unreachable', 'no answer')) } },
      ),
    )
  })
}
