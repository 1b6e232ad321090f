import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { agentsByKind } from '../../src/delivery/registry.ts'
import type { StoredMessage } from '../../src/store/contracts/deliveries.ts'
import type { StoreSet } from '../../src/store/contracts/store-set.ts'
import { run } from '../deliver.ts'
import { findFaults } from './arrivals.ts'
import type { Received } from './sink-process.ts'
import type { User } from './users.ts'

function userOf(kind: string, annotations: number[]): User {
  const names = { n: 0, email: 'ann@example.org', profile: 'p', channel: 'c' }
  return { ...names, agent: agentsByKind.get(kind)!, isImmediate: true, annotations }
}

function logOf(...sent: Partial<StoredMessage>[]): Pick<StoreSet, 'deliveries'> {
  const messages = sent.map((parts) => ({ state: 'sent', ...parts }))
  return { deliveries: { messages: async () => messages } as unknown as StoreSet['deliveries'] }
}

const arrivedOn = (received: Received): Map<string, Received> => new Map([['c', received]])

describe('delivery faults', () => {
  const two = logOf({ id: 'a', annotations: [1] }, { id: 'b', annotations: [2, 3] })

  test('are absent if every message arrives once with all annotations', async () => {
    const arrived = arrivedOn({ ids: ['a', 'b'], annotations: [1, 2, 3] })
    assert.deepEqual(await findFaults(two, [userOf('webhook', [1, 2, 3])], arrived), { twice: 0, lost: 0 })
    const unnamed = arrivedOn({ ids: ['some text', 'another'], annotations: [] })
    assert.deepEqual(await findFaults(two, [userOf('ntfy', [1, 2, 3])], unnamed), { twice: 0, lost: 0 })
  })

  test('include messages that arrive repeatedly, by id or by count', async () => {
    const arrived = arrivedOn({ ids: ['a', 'b', 'a'], annotations: [1, 2, 3, 1] })
    assert.deepEqual(await findFaults(two, [userOf('webhook', [1, 2, 3])], arrived), { twice: 2, lost: 0 })
    const unnamed = arrivedOn({ ids: ['some text', 'another', 'another'], annotations: [] })
    assert.deepEqual(await findFaults(two, [userOf('ntfy', [1, 2, 3])], unnamed), { twice: 1, lost: 0 })
  })

  test('include annotations without a message and messages that did not arrive', async () => {
    const arrived = arrivedOn({ ids: ['a'], annotations: [1] })
    assert.deepEqual(await findFaults(two, [userOf('http', [1, 2, 3, 4])], arrived), { twice: 0, lost: 2 })
    assert.deepEqual(await findFaults(two, [userOf('ntfy', [1, 2, 3])], arrived), { twice: 0, lost: 1 })
  })

  test('are absent in a small run of the benchmark', async () => {
    const sizes = { users: '10', annotations: '40', 'digest-users': '20', 'digest-items': '3', plain: '20' }
    const { rows } = await run({ roots: [], values: { ...sizes, stores: 'sqlite', parts: 'mixed,digests' } })
    assert.deepEqual(
      rows.map(([store, what, annotations, messages]) => [store, what, annotations, messages]),
      [
        ['SQLite', 'at once, 5 users', 20, 20],
        ['SQLite', 'digests, 5 users', 20, 5],
        ['SQLite', 'digests, 20 users', 60, 20],
      ],
    )
  })
})
