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
  test('answers requests with the data that it was given, and sends events', async () => {
    const { thread, events } = start()
    assert.deepEqual(await Promise.all([thread.request('data'), thread.request('data')]), ['given', 'given'])
    assert.deepEqual(events, ['asked for data', 'asked for data'])
    await thread.terminate()
    assert.equal(thread.hasEnded(), true)
    await assert.rejects(thread.request('data'), { code: 'internal' })
  })

  test('takes little memory for new objects, unless it is given other limits', async () => {
    const entry = new URL('./thread-host.testkit.ts', import.meta.url)
    const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 }
    for (const [options, young] of [[{}, 32] as const, [{ resourceLimits }, 16] as const]) {
      const thread = startThread<TestRequest, string, string>(entry, { data: '', ...options })
      const limits = await thread.request<Record<string, number>>('limits')
      await thread.terminate()
      assert.equal(limits.maxYoungGenerationSizeMb, young)
    }
  })

  test('an error comes back with its code, a bug with its stack', async () => {
    const { thread } = start()
    await assert.rejects(thread.request('refuse'), { code: 'store-unreachable', retry: 'later', message: 'no answer' })
    await assert.rejects(thread.request('bug'), { code: 'internal', message: /unforeseen\n.*thread-host\.testkit/ })
    assert.equal(await thread.request('data'), 'given')
    await thread.terminate()
  })

  test('a request that takes too long ends the thread, and the requests behind it', async () => {
    const { thread } = start()
    await thread.request('data')
    const slow = assert.rejects(thread.request('hang', { timeLimitMs: 50 }), { code: 'took-too-long' })
    const next = assert.rejects(thread.request('data'), { code: 'internal' })
    await slow
    assert.equal(thread.hasEnded(), true)
    await next
  })

  test('a request that was answered in time leaves no timer behind', async () => {
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

  test('an error that it does not catch fails it, and the requests that wait', async () => {
    const { thread } = start()
    const waiting = assert.rejects(thread.request('crash'), /not caught/)
    await assert.rejects(thread.failed, /not caught/)
    await waiting
    await thread.exited
  })

  test('its end is a failure unless it is expected', async () => {
    const surprising = start().thread
    await surprising.request('close')
    await assert.rejects(surprising.failed, /thread-host\.testkit\.ts ended with code 0/)
    const expected = start().thread
    expected.expectEnd()
    await expected.request('close')
    await expected.exited
    assert.equal(await Promise.race([expected.failed, 'no failure']), 'no failure')
  })

  test('can be ended as soon as it is started, and the process goes on', async () => {
    for (let n = 0; n < 10; n++)
      await startThread(new URL('../../services/profiles/base/profile-base-worker.ts', import.meta.url), {
        data: undefined,
      }).terminate()
  })

  test('that can not be loaded says why', async () => {
    await assert.rejects(
      startThread(new URL('./not-there.ts', import.meta.url), { data: undefined }).failed,
      /not-there/,
    )
  })
})
