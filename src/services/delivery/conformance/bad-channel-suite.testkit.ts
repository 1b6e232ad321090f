import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelAgent } from '../../../delivery/channel-agent.ts'
import { agentsByKind } from '../../../delivery/registry.ts'
import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import { annotationsOn, type DeliveryPlace, MINUTE_MS, type ProcessOptions, withDelivery } from './delivery.testkit.ts'

/** A broken channel doesn't affect others, on every engine. */
export function badChannelSuite(engine: StoreEngine): void {
  const place = (work: (place: DeliveryPlace) => Promise<void>, options?: ProcessOptions) =>
    withDelivery(engine, work, options)

  describe(`a bad channel (${engine.name})`, () => {
    const throwing: ChannelAgent = {
      ...agentsByKind.get('webhook')!,
      kind: 'throwing',
      send() {
        throw new TypeError('a fault of the agent')
      },
    }
    const agents = new Map([...agentsByKind, ['throwing', throwing]])

    test(
      'whose agent throws is failing with the reason, and other channels still deliver',
      place(
        async (where) => {
          await where.addChannel('bad', { kind: 'throwing' })
          await where.setProfile('p', { channels: ['bad', 'c'] })
          const [one] = await where.found({})
          await where.run()
          assert.deepEqual(annotationsOn(where), [[one!.id]])
          await where.pass(5 * MINUTE_MS, MINUTE_MS)
          const bad = await where.channels.find('bad')
          assert.deepEqual([bad!.state, bad!.reason], ['failing', 'a fault of the agent'])
          assert.equal((await where.deliveries.waitingCounts(['bad'])).get('bad')!.messages, 1)
        },
        { agents },
      ),
    )

    const silent: ChannelAgent = { ...throwing, kind: 'silent', send: () => new Promise(() => {}) }

    test(
      'whose agent never returns counts as failed after a timeout',
      place(
        async (where) => {
          await where.addChannel('bad', { kind: 'silent' })
          await where.setProfile('p', { channels: ['bad'] })
          await where.found({})
          await where.run()
          const bad = await where.channels.find('bad')
          assert.deepEqual([bad!.failures, bad!.reason], [1, 'no answer in time'])
        },
        { agents: new Map([['silent', silent]]), maxMs: 20 },
      ),
    )

    test(
      'of a kind unknown to this version fails with the reason, and loses nothing',
      place(async (where) => {
        await where.addChannel('new', { kind: 'hologram' })
        await where.setProfile('p', { channels: ['new', 'c'] })
        const [one] = await where.found({})
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id]])
        assert.equal(
          (await where.channels.find('new'))!.reason,
          'this version of eRACE has no channels of kind hologram',
        )
        const newer = where.process({
          agents: new Map([...agentsByKind, ['hologram', { ...agentsByKind.get('webhook')!, kind: 'hologram' }]]),
        })
        where.clock.advance(MINUTE_MS)
        await newer.run()
        assert.deepEqual(annotationsOn(where, 'new'), [[one!.id]])
      }),
    )

    test(
      'of a kind reserved for administrators is not used for other owners',
      place(async (where) => {
        await where.addChannel('x', { kind: 'exec', settings: { command: '/bin/true' } })
        await where.setProfile('p', { channels: ['x'] })
        await where.found({})
        await where.run()
        const [logged] = await where.deliveries.messages('ann', {}, { before: null, limit: 9 })
        assert.deepEqual(
          [logged!.state, logged!.answer],
          ['failed', 'only administrators can use this kind of channel'],
        )
      }),
    )

    test(
      'that is polled by its readers queues nothing',
      place(async (where) => {
        await where.addChannel('feed', { kind: 'feed', settings: {} })
        await where.setProfile('p', { channels: ['feed'] })
        await where.found({}, {})
        await where.run()
        assert.equal((await where.deliveries.waitingCounts(['feed'])).size, 0)
        assert.deepEqual(await where.deliveries.messages('ann', {}, { before: null, limit: 9 }), [])
      }),
    )

    test(
      'that is slow does not delay other channels',
      place(async (where) => {
        await where.addChannel('slow')
        await where.setProfile('p', { channels: ['slow', 'c'] })
        const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
        const arrived = Promise.withResolvers<void>()
        const slowArrived = Promise.withResolvers<void>()
        const allArrived = Promise.withResolvers<void>()
        where.sink.answerWith(async ({ path }) => {
          if (path === '/slow') {
            slowArrived.resolve()
            await answered
          } else if (annotationsOn(where).length === 3) arrived.resolve()
          if (annotationsOn(where, 'slow').length === 3) allArrived.resolve()
          return { status: 200 }
        })
        const passes: Promise<unknown>[] = []
        const { work, dispatcher } = where.process({ onFree: () => void passes.push(work()) })
        const [one, two, three] = await where.found({}, {}, {})
        await work()
        await Promise.all([arrived.promise, slowArrived.promise])
        assert.deepEqual(annotationsOn(where), [[one!.id], [two!.id], [three!.id]])
        assert.deepEqual(annotationsOn(where, 'slow'), [[one!.id]])
        answer()
        await allArrived.promise
        // Each pass may free a slot and so start another pass.
        for (let known = -1; known < passes.length; ) {
          known = passes.length
          await Promise.all(passes)
          await dispatcher.idle()
        }
        assert.deepEqual(annotationsOn(where, 'slow'), [[one!.id], [two!.id], [three!.id]])
      }),
    )
  })
}
