import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import type { DeliveryAgent, DeliveryOutcome } from '../../delivery/agent.ts'
import { tell, withInbox } from '../../store/conformance/inbox-suite.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { createDelivery } from './delivery.ts'

describe('delivery', () => {
  test(
    'each entry goes to the agent of its channel, is repeated under the same id, and ends as the agent says',
    withInbox(sqliteEngine, async (where) => {
      const clock = createManualClock()
      const ids: string[] = []
      const answers: (DeliveryOutcome | Error)[] = [
        { kind: 'later', reason: 'busy', afterMs: 600_000 },
        new Error('no route'),
        { kind: 'delivered' },
      ]
      const agent: DeliveryAgent = {
        kind: 'hook',
        async deliver({ id, annotation }) {
          ids.push(`${id} ${annotation.title}`)
          const answer = answers.shift()!
          if (answer instanceof Error) throw answer
          return answer
        },
      }
      const { outbox, annotations } = where
      const delivery = createDelivery({ outbox, annotations, agents: [agent], clock })
      const [one] = await tell(where, [{ channels: ['hook:ops', 'pigeon'], at: clock.now(), title: 'T' }])
      const stateOf = async (): Promise<string[]> =>
        (await outbox.find(one!.id)).map(({ channel, state, reason }) => `${channel} ${state} ${reason}`.trim())

      assert.equal(await delivery.deliverDue(), 2)
      assert.deepEqual(await stateOf(), ['hook:ops waiting busy', 'pigeon given-up no agent delivers to pigeon'])
      clock.advance(599_999)
      assert.equal(await delivery.deliverDue(), 0)
      clock.advance(1)
      assert.equal(await delivery.deliverDue(), 1)
      assert.equal((await stateOf())[0], 'hook:ops waiting no route')
      clock.advance(120_000)
      assert.equal(await delivery.deliverDue(), 1)
      assert.equal((await stateOf())[0], 'hook:ops sent')
      assert.deepEqual(ids, Array(3).fill(`${one!.id}:hook:ops T`))
    }),
  )
})
