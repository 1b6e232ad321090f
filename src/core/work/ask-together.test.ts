import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAskTogether } from './ask-together.ts'

test('batches calls of the same turn; later calls form a new batch', async () => {
  const asked: number[][] = []
  const double = createAskTogether(async (keys: readonly number[]) => {
    asked.push([...keys])
    return keys.map((key) => 2 * key)
  })
  assert.deepEqual(await Promise.all([double(1), double(2), double(3)]), [2, 4, 6])
  assert.equal(await double(4), 8)
  assert.deepEqual(asked, [[1, 2, 3], [4]])
})

test('a failure rejects all calls of its batch but no later ones', async () => {
  let isBroken = true
  const ask = createAskTogether(async (keys: readonly number[]) => {
    if (isBroken) throw new Error('broken')
    return keys
  })
  const results = await Promise.allSettled([ask(1), ask(2)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  isBroken = false
  assert.equal(await ask(3), 3)
})
