import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { queryObjects } from 'node:v8'
import type { TestRequest } from './thread-host.testkit.ts'
import { startThread } from './thread-host.ts'

function start() {
  const events: string[] = []
  const thread = startThread<TestRequest, string, string>(new URL('./thread-host.testkit.ts', import.meta.url), {
    data: 'given',
    onEvent: (event) => events.push(event),
  })
  return { thread, events }
}

describe('a thread', () => {
  test('answers requests using its data and sends events', async () => {
    const { thread, events } = start()
    assert.deepEqual(await Promise.all([thread.request('data'), thread.request('data')]), ['given', 'given'])
    assert.deepEqual(events, ['asked for data', 'asked for data'])
    await thread.terminate()
    assert.equal(thread.hasEnded(), true)
    await assert.rejects(thread.request('data'), { code: 'internal' })
  })

  test('has a small young generation unless given other limits', async () => {
    const entry = new URL('./thread-host.testkit.ts', import.meta.url)
    const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 }
    for (const [options, young] of [[{}, 32] as const, [{ resourceLimits }, 16] as const]) {
      const thread = startThread<TestRequest, string, string>(entry, { data: '', ...options })
      const limits = await thread.request<Record<string, number>>('limits')
      await thread.terminate()
      assert.equal(limits.maxYoungGenerationSizeMb, young)
    }
  })

  test('returns errors with their code, and bugs with their stack', async () => {
    const { thread } = start()
    await assert.rejects(thread.request('refuse'), { code: 'store-unreachable', retry: 'later', message: 'no answer' })
    await assert.rejects(thread.request('bug'), { code: 'internal', message: /unforeseen\n.*thread-host\.testkit/ })
    assert.equal(await thread.request('data'), 'given')
    await thread.terminate()
  })

  test('is terminated if a request exceeds its time limit, which fails pending requests too', async () => {
    const { thread } = start()
    await thread.request('data')
    const slow = assert.rejects(thread.request('hang', { timeLimitMs: 50 }), { code: 'took-too-long' })
    const next = assert.rejects(thread.request('data'), { code: 'internal' })
    await slow
    assert.equal(thread.hasEnded(), true)
    await next
  })

  test('leaves no timers behind for requests answered in time', async () => {
    const { thread } = start()
    const { constructor: Timeout } = setTimeout(() => {}, 0).unref()
    const countTimers = (): number => Number(queryObjects(Timeout, { format: 'count' }))
    await thread.request('data', { timeLimitMs: 600_000 })
    const before = countTimers()
    for (let n = 0; n < 100; n++) await thread.request('data', { timeLimitMs: 600_000 })
    const more = countTimers() - before
    await thread.terminate()
    assert.ok(more < 50, `${more} more timers`)
  })

  test('fails on an uncaught error, together with pending requests', async () => {
    const { thread } = start()
    const waiting = assert.rejects(thread.request('crash'), /not caught/)
    await assert.rejects(thread.failed, /not caught/)
    await waiting
    await thread.exited
  })

  test('fails if it ends unexpectedly', async () => {
    const surprising = start().thread
    await surprising.request('close')
    await assert.rejects(surprising.failed, /thread-host\.testkit\.ts ended with code 0/)
    const expected = start().thread
    expected.expectEnd()
    await expected.request('close')
    await expected.exited
    assert.equal(await Promise.race([expected.failed, 'no failure']), 'no failure')
  })

  test('can be terminated right after starting without ending the process', async () => {
    for (let n = 0; n < 10; n++)
      await startThread(new URL('../../services/profiles/base/profile-base-worker.ts', import.meta.url), {
        data: undefined,
      }).terminate()
  })

  test('reports why it could not be loaded', async () => {
    await assert.rejects(
      startThread(new URL('./not-there.ts', import.meta.url), { data: undefined }).failed,
      /not-there/,
    )
  })
})
