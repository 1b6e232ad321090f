import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { createRetries } from '../../core/work/retries.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { annotationsOn, type DeliveryPlace, LEASE_MS, withDelivery } from './conformance/delivery.testkit.ts'
import { startDelivery } from './delivery.ts'
import { createNextMessage } from './next-message.ts'
import { createPlanner } from './planner.ts'

/** Starts the real loop; the planner throws the given faults first. */
function start(where: DeliveryPlace, faults: Error[] = []) {
  const { clock, channels, problems } = where
  const { send, shared } = where.process()
  const plan = createPlanner(shared.deliveries, shared.policies, clock)
  const retries = createRetries(clock)
  const delivery = startDelivery({
    ...{ deliveries: shared.deliveries, channels, send, clock, retries, leaseMs: LEASE_MS, random: () => 0.5 },
    next: createNextMessage(shared),
    async plan() {
      const fault = faults.shift()
      if (fault !== undefined) throw fault
      return plan()
    },
    onProblem: (message, { error }) => void problems.push(`${message}: ${String(error).split('\n')[0]}`),
  })
  return { ...delivery, retries }
}

/** Resolves when `count` requests have arrived. */
function arrivals({ sink }: DeliveryPlace, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  sink.answerWith(() => {
    if (sink.received.length === count) resolve()
    return { status: 200 }
  })
  return promise
}

describe('delivery', () => {
  test(
    'sends messages found at the start and when woken, and none after its end',
    withDelivery(sqliteEngine, async (where) => {
      const arrived = arrivals(where, 1)
      const [one] = await where.found({})
      const { wake, end } = start(where)
      await arrived
      const again = arrivals(where, 2)
      const [two] = await where.found({})
      wake()
      await again
      await end()
      assert.deepEqual(annotationsOn(where), [[one!.id], [two!.id]])
      await where.found({})
      wake()
      await end()
      assert.equal(where.sink.received.length, 2, 'nothing is begun after its end')
    }),
  )

  test(
    'continues after retryable and unexpected errors, and reports the latter once',
    withDelivery(sqliteEngine, async (where) => {
      const arrived = arrivals(where, 1)
      await where.found({})
      const odd = new TypeError('odd')
      const { end, retries } = start(where, [new AppError('store-unreachable', 'no answer'), odd, odd])
      await arrived
      await end()
      assert.deepEqual(where.problems, ['delivery failed: TypeError: odd'])
      assert.deepEqual(retries.waiting(), [])
    }),
  )

  test(
    'waits at its end for the message being sent, and logs it as sent',
    withDelivery(sqliteEngine, async (where) => {
      const arrived = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      where.sink.answerWith(async () => {
        arrived.resolve()
        await answered.promise
        return { status: 200 }
      })
      await where.found({}, {})
      const { end } = start(where)
      await arrived.promise
      const ended = end()
      answered.resolve()
      await ended
      const log = await where.deliveries.messages('ann', {}, { before: null, limit: 9 })
      assert.deepEqual(
        log.map(({ state }) => state),
        ['sent'],
      )
      await where.run()
      assert.equal(annotationsOn(where).length, 2, 'the lease was given back')
    }),
  )
})
