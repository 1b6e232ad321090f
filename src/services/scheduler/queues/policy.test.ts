import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPolicy, type Policy } from './policy.ts'

const memoryOf = (policy: Policy): number[] => Array.from({ length: policy.memory }, () => 0)
const queuesOf = (lengths: number[]) => lengths.map((length) => ({ length }))

function serve(policy: Policy, waiting: number[], times: number, turns = memoryOf(policy)): number[] {
  const served = waiting.map(() => 0)
  for (let turn = 0; turn < times; turn++) {
    const queue = policy.pick(queuesOf(waiting), turns)
    served[queue]!++
    policy.took(queue, turns)
  }
  return served
}

test('levels that always have work waiting are served in proportion to their shares', () => {
  assert.deepEqual(serve(createPolicy('weighted-fair'), [9, 9, 9], 2_100), [1_600, 400, 100])
  assert.deepEqual(
    serve(createPolicy('weighted-fair', { gold: 5, silver: 3, bronze: 2 }), [9, 9, 9], 100),
    [50, 30, 20],
  )
})

test('the share of an idle level goes to the others, and idle time earns no credit', () => {
  const policy = createPolicy('weighted-fair')
  const turns = memoryOf(policy)
  assert.deepEqual(serve(policy, [0, 9, 9], 500, turns), [0, 400, 100])
  const [gold, silver, bronze] = serve(policy, [9, 9, 9], 210, turns) as [number, number, number]
  assert.ok(Math.abs(gold - 160) <= 2 && Math.abs(silver - 40) <= 2 && Math.abs(bronze - 10) <= 2)
})

test('no queue is picked if all are empty', () => {
  assert.equal(createPolicy('weighted-fair').pick(queuesOf([0, 0, 0]), [0, 0, 0, 0]), -1)
  assert.equal(createPolicy('first-in').pick(queuesOf([0]), []), -1)
})

test('first-in ranks by due time, earliest-deadline by deadline', () => {
  assert.equal(createPolicy('first-in').rank(5, 100), 5)
  assert.equal(createPolicy('earliest-deadline').rank(5, 100), 100)
})
