import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import { createBackoff, type RetryOptions, retry, wait } from './retry.ts'

const away = (): never => {
  throw new AppError('store-unreachable', 'no answer')
}

/** Runs the steps one after the other; waits take no time and are recorded. */
function run(steps: (() => unknown)[], options: Partial<RetryOptions> = {}) {
  const waits: number[] = []
  const attempts: number[] = []
  const result = retry(
    async (attempt) => {
      attempts.push(attempt)
      return steps[attempt - 1]!()
    },
    { firstMs: 100, lastMs: 500, wait: async (ms) => void waits.push(ms), ...options },
  )
  return { result, waits, attempts }
}

describe('retry', () => {
  test('returns the result of a successful first call without waiting', async () => {
    const { result, waits } = run([() => 'done'])
    assert.equal(await result, 'done')
    assert.deepEqual(waits, [])
  })

  test('doubles the wait after every failure, up to the limit', async () => {
    const { result, waits, attempts } = run([away, away, away, away, away, () => 'done'])
    assert.equal(await result, 'done')
    assert.deepEqual(waits, [100, 200, 400, 500, 500])
    assert.deepEqual(attempts, [1, 2, 3, 4, 5, 6])
  })

  test('throws permanent errors and foreign errors at once', async () => {
    const refused = run([
      () => {
        throw new AppError('store-refused', 'no rights')
      },
    ])
    await assert.rejects(refused.result, { code: 'store-refused' })
    const bug = run([
      () => {
        throw new TypeError('undefined is not a function')
      },
    ])
    await assert.rejects(bug.result, TypeError)
    assert.deepEqual([...refused.waits, ...bug.waits], [])
  })

  test('lets the caller decide which errors are retried, and how often', async () => {
    const bug = (): never => {
      throw new TypeError('undefined is not a function')
    }
    const shouldRetry = (error: unknown, attempt: number): boolean => error instanceof TypeError && attempt < 3
    const often = run([bug, bug, bug, bug], { shouldRetry })
    await assert.rejects(often.result, TypeError)
    assert.deepEqual(often.attempts, [1, 2, 3])
    const other = run([bug, away, bug], { shouldRetry })
    await assert.rejects(other.result, { code: 'store-unreachable' })
    assert.deepEqual(other.attempts, [1, 2])
  })

  test('reports every wait with its reason before it begins', async () => {
    const events: string[] = []
    const { result } = run([away, away, () => 'done'], {
      onWait: (error, waitMs) => events.push(`${(error as Error).message}: ${waitMs}`),
      wait: async (ms) => void events.push(`waits ${ms}`),
    })
    await result
    assert.deepEqual(events, ['no answer: 100', 'waits 100', 'no answer: 200', 'waits 200'])
  })

  test('ends a wait at once on abort and rejects with the last error', async () => {
    const ending = new AbortController()
    const { result, attempts } = run([away, () => 'done'], {
      ...{ firstMs: 600_000, lastMs: 600_000, signal: ending.signal, wait },
      onWait: () => setImmediate(() => ending.abort()),
    })
    await assert.rejects(result, { code: 'store-unreachable' })
    assert.deepEqual(attempts, [1])
  })

  test('does not retry after an abort', async () => {
    const { result, waits } = run([away], { signal: AbortSignal.abort() })
    await assert.rejects(result, { code: 'store-unreachable' })
    assert.deepEqual(waits, [])
  })
})

test('a backoff starts again after a reset', () => {
  const backoff = createBackoff({ firstMs: 100, lastMs: 300 })
  assert.deepEqual([backoff.nextMs(), backoff.nextMs(), backoff.nextMs()], [100, 200, 300])
  backoff.reset()
  assert.equal(backoff.nextMs(), 100)
})
