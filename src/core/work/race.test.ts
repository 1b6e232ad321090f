import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createWhileAlive, firstFailure, withinLimit } from './race.ts'

describe('work while its parts are alive', () => {
  test('settles as the work does', async () => {
    const whileAlive = createWhileAlive(new Promise<never>(() => {}))
    assert.equal(await whileAlive(Promise.resolve(1)), 1)
    await assert.rejects(whileAlive(Promise.reject(new Error('the work failed'))), /the work failed/)
  })

  test('all work in progress rejects with the failure, and so does later work', async () => {
    const { promise: failed, reject } = Promise.withResolvers<never>()
    const whileAlive = createWhileAlive(failed)
    const both = [whileAlive(new Promise(() => {})), whileAlive(new Promise(() => {}))]
    reject(new Error('a part failed'))
    for (const each of both) await assert.rejects(each, /a part failed/)
    await assert.rejects(whileAlive(new Promise(() => {})), /a part failed/)
  })

  test('work that fails after its parts did is no unhandled rejection', async () => {
    const { promise: work, reject } = Promise.withResolvers<never>()
    const whileAlive = createWhileAlive(Promise.reject(new Error('a part failed')))
    await assert.rejects(whileAlive(work), /a part failed/)
    reject(new Error('too late'))
    await new Promise((resolve) => setImmediate(resolve))
  })
})

test('the first of several failures counts, and need not be observed', async () => {
  const failures = [new Promise<never>(() => {}), Promise.reject(new Error('the second'))]
  const first = firstFailure(failures)
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(first, /the second/)
})

test('a time limit decides only where the work takes longer', async () => {
  const late = (): never => {
    throw new Error('too late')
  }
  assert.equal(await withinLimit(Promise.resolve(1), 1, late), 1)
  await assert.rejects(withinLimit(new Promise<never>(() => {}), 1, late), /too late/)
  assert.equal(await withinLimit(new Promise<number>(() => {}), 1, () => 2), 2)
})
