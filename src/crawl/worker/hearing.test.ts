import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createHearing } from './hearing.ts'

test('a shard waits for all messages sent before, but not for later ones', async () => {
  let told = 0
  const hearing = createHearing(() => told)
  await hearing.all()
  told = 2
  const order: string[] = []
  const both = hearing.all().then(() => order.push('all'))
  hearing.note(() => order.push('first'))
  await turn()
  told = 3
  hearing.note(() => order.push('second'))
  await both
  assert.deepEqual(order, ['first', 'second', 'all'])
  const last = hearing.all()
  assert.throws(() =>
    hearing.note(() => {
      throw new Error('it made no sense')
    }),
  )
  await last
})
