import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createWhileAlive, firstFailure, withinLimit } from './race.ts'

describe('whileAlive', () => {
  test('settles like the work', async () => {
    const whileAlive = createWhileAlive(new Promise<never>(() => {}))
    assert.equal(await whileAlive(Promise.resolve(1)), 1)
    await assert.rejects(whileAlive(Promise.reject(new Error('the work failed'))), /the work failed/)
  })

  test('rejects current and later work once a part fails', async () => {
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const whileAlive = createWhileAlive(failed)
    const both = [whileAlive(new Promise(() => {})), whileAlive(new Promise(() => {}))]
    reject(new Error('a part failed'))
    for (const each of both) await assert.rejects(each, /a part failed/)
    await assert.rejects(whileAlive(new Promise(() => {})), /a part failed/)
  })

  test('causes no unhandled rejection if the work fails after a part did', async () => {
    const { promise: work, reject } = Promise.withResolvers<never>()
    const whileAlive = createWhileAlive(Promise.reject(new Error('a part failed')))
    await assert.rejects(whileAlive(work), /a part failed/)
    reject(new Error('too late'))
    await new Promise((resolve) => setImmediate(resolve))
  })
})

test('firstFailure rejects with the first failure and causes no unhandled rejection', async () => {
  const failures = [new Promise<never>(() => {}), Promise.reject(new Error('the second'))]
  const first = firstFailure(failures)
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(first, /the second/)
})

test('withinLimit uses its fallback only if the work exceeds the limit', async () => {
  const late = (): never => {
    throw new Error('too late')
  }
  assert.equal(await withinLimit(Promise.resolve(1), 1, late), 1)
  await assert.rejects(withinLimit(new Promise<never>(() => {}), 1, late), /too late/)
  assert.equal(await withinLimit(new Promise<number>(() => {}), 1, () => 2), 2)
})
