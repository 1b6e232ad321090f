import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import { createWorkLoop } from './work-loop.ts'

/** Runs the steps one after the other; each returns whether there is more, or fails. The loop must end after the last. */
function scripted(steps: (() => boolean)[]) {
  const reasons: (string | null)[] = []
  let done = 0
  const loop = createWorkLoop({
    work: async () => steps[done++]!(),
    restMs: 500,
    mustEnd: () => done >= steps.length,
    track: {
      begin() {},
      failed: (error) => void reasons.push((error as Error).message),
      done: () => void reasons.push(null),
    },
  })
  return { loop, reasons, done: () => done }
}

const away = (): never => {
  throw new AppError('store-unreachable', 'no answer')
}

describe('a work loop', () => {
  test('keeps working while there is more, then rests until woken', async () => {
    const { loop, done } = scripted([
      () => true,
      () => {
        setImmediate(loop.wake)
        return false
      },
      () => true,
    ])
    await loop.run()
    assert.equal(done(), 3)
  })

  test('does not lose a wake-up that arrives while it works', async () => {
    const { loop, done } = scripted([
      () => {
        loop.wake()
        return false
      },
      () => true,
    ])
    await loop.run()
    assert.equal(done(), 2)
  })

  test('retries while the store is unreachable, reports it and continues', async () => {
    const { loop, reasons } = scripted([
      () => true,
      away,
      () => {
        loop.wake()
        return away()
      },
      () => true,
      () => true,
    ])
    const running = loop.run()
    setImmediate(loop.wake)
    await running
    assert.deepEqual(reasons, [null, 'no answer', 'no answer', null, null])
  })

  test('ends at once on a permanent error', async () => {
    const { loop } = scripted([
      () => {
        throw new AppError('store-refused', 'no rights')
      },
      () => true,
    ])
    await assert.rejects(loop.run(), /no rights/)
  })
})
