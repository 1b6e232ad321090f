import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../core/errors.ts'
import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import {
  annotationsOn,
  DAY_MS,
  type DeliveryPlace,
  HOUR_MS,
  idsOf,
  LEASE_MS,
  MINUTE_MS,
  type ProcessOptions,
  receivedOn,
  START,
  withDelivery,
} from './delivery.testkit.ts'

/** Clocks that jump and processes that die, on every engine. */
export function processFaultsSuite(engine: StoreEngine): void {
  const place = (work: (place: DeliveryPlace) => Promise<void>, options?: ProcessOptions) =>
    withDelivery(engine, work, options)

  /** Asserts that every annotation arrived exactly once. */
  function assertEachOnce(where: DeliveryPlace, found: readonly number[], channel = 'c'): void {
    const told = annotationsOn(where, channel).flat()
    assert.deepEqual(
      told.toSorted((a, b) => a - b),
      found.toSorted((a, b) => a - b),
    )
  }

  describe(`a clock change (${engine.name})`, () => {
    for (const isRunning of [true, false])
      test(
        `back by a year, ${isRunning ? 'while it runs' : 'while nothing runs'}, sends everything pending once, by the new time`,
        place(async (where) => {
          const { clock, sink } = where
          await where.addChannel('d')
          await where.addChannel('e')
          await where.setProfile('q', { channels: ['d'], cadence: 'daily 08:00' })
          await where.setProfile('r', { channels: ['e'], perHour: 1 })
          sink.answerWith(({ path }) => ({ status: path === '/c' ? 503 : 200 }))
          const failing = idsOf(await where.found({}, {}))
          const daily = idsOf(await where.found({ profile: 'q' }, { profile: 'q' }))
          const limited = idsOf(await where.found({ profile: 'r' }, { profile: 'r' }))
          await where.pass(10 * MINUTE_MS, MINUTE_MS)
          clock.jump(-365 * DAY_MS)
          sink.answerWith({ status: 200 })
          const { run } = isRunning ? where : where.process()
          const pass = async (ms: number, stepMs: number) => {
            for (let left = ms; left > 0; left -= stepMs) {
              clock.advance(stepMs)
              await run()
            }
          }
          await run()
          const [first, ...rest] = receivedOn(where).slice(-2)
          assert.deepEqual(
            [first!.annotations, rest[0]!.annotations],
            [[failing[0]], [failing[1]]],
            'at once, in order',
          )
          await pass(2 * HOUR_MS, 10 * MINUTE_MS)
          assertEachOnce(where, limited, 'e')
          assert.deepEqual(annotationsOn(where, 'd'), [], 'eight is tomorrow')
          await pass(DAY_MS, HOUR_MS)
          assert.deepEqual(annotationsOn(where, 'd'), [daily], 'as the digest that it was to be')
          const more = idsOf(await where.found({}))
          await run()
          assert.deepEqual(annotationsOn(where).at(-1), more)
        }),
      )

    test(
      'forward by a day and back again sends everything once',
      place(async (where) => {
        const { clock } = where
        await where.addChannel('d')
        await where.setProfile('q', { channels: ['d'], cadence: 'hourly' })
        const found = idsOf(await where.found({}))
        const hourly = idsOf(await where.found({ profile: 'q' }))
        await where.run()
        clock.jump(DAY_MS)
        found.push(...idsOf(await where.found({})))
        await where.pass(MINUTE_MS)
        hourly.push(...idsOf(await where.found({ profile: 'q' })))
        await where.run()
        clock.jump(-DAY_MS)
        found.push(...idsOf(await where.found({})))
        await where.pass(2 * HOUR_MS, 10 * MINUTE_MS)
        assertEachOnce(where, found)
        assertEachOnce(where, hourly, 'd')
      }),
    )

    test(
      'forward during a transmission does not send the message twice',
      place(async (where) => {
        const answered = Promise.withResolvers<void>()
        const arrived = Promise.withResolvers<void>()
        where.sink.answerWith(async () => {
          arrived.resolve()
          await answered.promise
          return { status: 200 }
        })
        const { work, dispatcher, run } = where.process()
        const found = idsOf(await where.found({}))
        await work()
        await arrived.promise
        where.clock.jump(DAY_MS)
        await work()
        await work()
        answered.resolve()
        await dispatcher.idle()
        await run()
        assert.deepEqual(annotationsOn(where), [found])
        assert.equal((await where.channels.find('c'))!.sentAt, START + DAY_MS)
      }),
    )
  })

  describe(`several processes (${engine.name})`, () => {
    test(
      'send each message once, in order on every channel',
      place(async (where) => {
        const names = Array.from({ length: 12 }, (_, n) => `channel${n}`)
        for (const name of names) await where.addChannel(name)
        await where.setProfile('p', { channels: names })
        const processes = [where.process(), where.process()]
        const found: number[] = []
        for (let n = 0; n < 4; n++) {
          found.push(...idsOf(await where.found({}, {})))
          await Promise.all(processes.map(({ run }) => run()))
        }
        await Promise.all(processes.map(({ run }) => run()))
        for (const name of names)
          assert.deepEqual(
            annotationsOn(where, name),
            found.map((id) => [id]),
            name,
          )
      }),
    )

    test(
      'take over the channels of a dead process when its lease expires, and ignore its late writes',
      place(async (where) => {
        const { clock, sink, deliveries } = where
        const answered = Promise.withResolvers<void>()
        const arrived = Promise.withResolvers<void>()
        sink.answerWith(async () => {
          if (receivedOn(where).length > 1) return { status: 200 }
          arrived.resolve()
          await answered.promise
          return { status: 500 }
        })
        const dead = where.process()
        const [one, two] = await where.found({}, {})
        await dead.work()
        await arrived.promise
        clock.advance(LEASE_MS - 1)
        await where.run()
        assert.equal(receivedOn(where).length, 1, 'as long as the lease lasts nobody else sends')
        clock.advance(1)
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id], [one!.id], [two!.id]])
        const [first, repeated] = receivedOn(where)
        assert.equal(repeated!.id, first!.id)
        answered.resolve()
        await dead.dispatcher.idle()
        const message = await deliveries.message('ann', first!.id)
        assert.deepEqual([message!.state, message!.attempts], ['sent', 1])
        assert.equal((await where.channels.find('c'))!.failures, 0)
      }),
    )

    test(
      'keep renewed leases, however slow the receiver',
      place(async (where) => {
        const { clock } = where
        const answered = Promise.withResolvers<void>()
        const arrived = Promise.withResolvers<void>()
        where.sink.answerWith(async () => {
          arrived.resolve()
          await answered.promise
          return { status: 200 }
        })
        const slow = where.process()
        await where.found({})
        await slow.work()
        await arrived.promise
        for (let n = 0; n < 10; n++) {
          clock.advance(LEASE_MS / 2)
          await slow.dispatcher.renew()
          await where.run()
        }
        answered.resolve()
        await slow.dispatcher.idle()
        assert.equal(receivedOn(where).length, 1)
      }),
    )
  })

  describe(`a store failure (${engine.name})`, () => {
    /** Fails once, at the first call of the method. */
    const failing =
      (method: 'settle' | 'compose' | 'begun', error: Error): NonNullable<ProcessOptions['faulty']> =>
      (deliveries) => {
        let hasFailed = false
        const call = deliveries[method] as (...given: unknown[]) => Promise<unknown>
        return {
          ...deliveries,
          async [method](...given: unknown[]) {
            if (hasFailed) return call(...given)
            hasFailed = true
            throw error
          },
        }
      }

    test(
      'after sending repeats the message with the same id, and does not count against the channel',
      place(
        async (where) => {
          const [one] = await where.found({})
          await assert.rejects(where.run(), { code: 'store-unreachable' })
          assert.equal(receivedOn(where).length, 1)
          await where.pass(LEASE_MS)
          const [first, second, ...others] = receivedOn(where)
          assert.deepEqual(others, [])
          assert.deepEqual([second!.id, second!.annotations], [first!.id, [one!.id]])
          assert.equal((await where.channels.find('c'))!.failures, 0)
        },
        { faulty: failing('settle', new AppError('store-unreachable', 'no answer')) },
      ),
    )

    for (const method of ['compose', 'begun'] as const)
      test(
        `of an unexpected kind (${method}) delays one channel with the reason, and others still deliver`,
        place(
          async (where) => {
            await where.addChannel('d')
            await where.setProfile('p', { channels: ['c', 'd'] })
            const [one] = await where.found({})
            await where.run()
            assert.equal(where.sink.received.length, 1)
            assert.match(where.problems[0]!, /a channel could not be served: TypeError: odd/)
            const all = await where.channels.list('ann')
            assert.deepEqual(all.map(({ failures }) => failures).sort(), [0, 1])
            assert.equal(all.find(({ failures }) => failures === 1)!.reason, 'internal error: odd')
            await where.pass(MINUTE_MS)
            for (const name of ['c', 'd']) assert.deepEqual(annotationsOn(where, name), [[one!.id]])
          },
          { faulty: failing(method, new TypeError('odd')) },
        ),
      )
  })
}
