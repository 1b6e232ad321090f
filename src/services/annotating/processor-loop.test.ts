import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { createProcessorLoop } from './processor-loop.ts'

/** Does one step after the other; each says whether there was work, or fails. The loop must end behind the last. */
function scripted(steps: (() => boolean)[]) {
  const told: (string | null)[] = []
  let done = 0
  const loop = createProcessorLoop({
    processor: { work: async () => steps[done++]!() },
    mustEnd: () => done >= steps.length,
    onWaiting: (reason) => told.push(reason),
  })
  return { loop, told, done: () => done }
}

const away = (): never => {
  throw new AppError('store-unreachable', 'nobody answers')
}

describe('a processor at work', () => {
  test('works on while there are tasks, and rests until it is woken', async () => {
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

  test('a word that comes while it works is not lost', async () => {
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

  test('waits for a store that is away, says so once, and goes on', async () => {
    const { loop, told } = scripted([
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
    assert.deepEqual(told, ['nobody answers', null])
  })

  test('ends at once with what can never work', async () => {
    const { loop } = scripted([
      () => {
        throw new AppError('store-refused', 'no rights')
      },
      () => true,
    ])
    await assert.rejects(loop.run(), /no rights/)
  })
})
