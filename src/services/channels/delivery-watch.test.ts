import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestServer } from '../../server/server.testkit.ts'
import type { StoredMessage } from '../../store/contracts/deliveries.ts'
import { freshHealth } from '../../store/rules/channels.ts'
import { createDeliveryWatch } from './delivery-watch.ts'

test('counts messages by kind and outcome, and reports once when a channel starts failing or recovers', async () => {
  const { stores, close } = await createTestServer()
  try {
    const { channels } = stores
    const watch = createDeliveryWatch(stores.deliveries)
    const told: string[] = []
    watch.onState(({ owner, id }) => told.push(`${owner} ${id}`))
    const draft = { owner: 'ann', name: '', settings: {}, createdAt: 0 }
    await channels.add({ ...draft, id: 'c_1', kind: 'webhook' })
    const failed: StoredMessage = {
      ...{ id: 'm1', kind: 'single', subject: '', annotations: [], profiles: [], leftOut: 0, createdAt: 1 },
      ...{ channel: 'c_1', owner: 'ann', state: 'failed', attempts: 1, at: 1, answer: '' },
    }
    await stores.deliveries.log(failed)
    await stores.deliveries.sendAgain('ann', 'm1', 5)
    const settle = async (state: 'waiting' | 'sent', health: 'active' | 'failing') => {
      const [leased] = await watch.deliveries.lease({ now: 10, leaseMs: 1000, limit: 1 })
      assert.ok(leased !== undefined, 'nothing is due')
      const end = { state, at: 10, answer: '' }
      assert.equal(await watch.deliveries.settle(leased.lease, 'm1', end, { ...freshHealth, state: health }), true)
      await watch.deliveries.release(leased.lease)
    }
    await settle('waiting', 'active')
    assert.deepEqual(told, [])
    await settle('waiting', 'failing')
    await settle('waiting', 'failing')
    assert.deepEqual(told, ['ann c_1'])
    await settle('sent', 'active')
    assert.deepEqual(told, ['ann c_1', 'ann c_1'])
    assert.deepEqual(watch.counts(), [
      { kind: 'webhook', outcome: 'retried', count: 3 },
      { kind: 'webhook', outcome: 'sent', count: 1 },
    ])
  } finally {
    await close()
  }
})
