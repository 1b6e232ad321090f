import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SendOutcome } from '../../delivery/channel-agent.ts'
import type { ChannelHealth } from '../../store/contracts/channels.ts'
import { freshHealth } from '../../store/rules/channels.ts'
import { endOfAttempt } from './outcome.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const now = Date.UTC(2026, 5, 1, 12)
const busy: SendOutcome = { kind: 'later', reason: 'busy' }

type Given = { createdAt?: number; attempts?: number; health?: ChannelHealth; random?: number }

function end(outcome: SendOutcome, { createdAt = now, attempts = 0, health = freshHealth, random = 0.5 }: Given = {}) {
  return endOfAttempt(outcome, { createdAt, attempts }, health, { now, random })
}

/** How long a channel waits after each consecutive failure. */
function waits(count: number, random: number, outcome = busy): number[] {
  let health: ChannelHealth = freshHealth
  return Array.from({ length: count }, () => {
    health = end(outcome, { health, random }).health
    return health.retryAt - now
  })
}

describe('successful attempt', () => {
  test('settles the message and makes the channel active again', () => {
    const health = { state: 'failing', reason: 'busy', failures: 7, retryAt: now, sentAt: 5 } as const
    assert.deepEqual(end({ kind: 'delivered', answer: '200 ok' }, { attempts: 7, health }), {
      end: { state: 'sent', at: now, answer: '200 ok' },
      health: { state: 'active', reason: '', failures: 0, retryAt: 0, sentAt: now },
    })
  })
})

describe('attempt that may succeed later', () => {
  test('is repeated after 30 seconds, then with doubling delays up to an hour', () => {
    assert.deepEqual(
      waits(10, 0.5).map((ms) => ms / 1000),
      [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600],
    )
    assert.equal(waits(2_000, 0.5).at(-1), HOUR_MS)
  })

  test('is repeated up to 20% earlier or later, at random', () => {
    assert.deepEqual(waits(8, 0), [24_000, 48_000, 96_000, 192_000, 384_000, 768_000, 1_536_000, 2_880_000])
    assert.equal(waits(1, 1)[0], 36_000)
    assert.equal(waits(8, 1).at(-1), 4_320_000)
  })

  test('is not repeated before the time the receiver asks for, but within a day', () => {
    const asked = (afterMs: number): number => waits(1, 0.5, { ...busy, kind: 'later', afterMs })[0]!
    assert.equal(asked(300_000), 300_000)
    assert.equal(asked(1_000), 30_000, 'what it asks is a minimum')
    assert.equal(asked(7 * DAY_MS), DAY_MS)
  })

  test('leaves the message waiting, and marks the channel as failing from the third failure', () => {
    const states: string[] = []
    let health: ChannelHealth = { ...freshHealth, sentAt: 99 }
    for (let n = 0; n < 4; n++) {
      const attempt = end(busy, { health, attempts: n })
      health = attempt.health
      states.push(health.state)
      assert.deepEqual(attempt.end, { state: 'waiting', at: now, answer: 'busy' })
      assert.deepEqual([health.reason, health.failures, health.sentAt], ['busy', n + 1, 99])
    }
    assert.deepEqual(states, ['active', 'active', 'failing', 'failing'])
  })

  test('is abandoned after three days and at least eight attempts, but the channel is retried', () => {
    const old = now - 3 * DAY_MS
    const state = (createdAt: number, attempts: number) => end(busy, { createdAt, attempts }).end.state
    assert.equal(state(old, 7), 'failed')
    assert.equal(state(old + 1, 70), 'waiting')
    assert.equal(state(old, 6), 'waiting')
    const { end: last, health } = end(busy, { createdAt: old, attempts: 70 })
    assert.equal(last.answer, 'Given up after three days: busy')
    assert.equal(health.retryAt, now + 30_000)
  })

  test('is neither abandoned when the clock is set forward, nor delayed when it is set back', () => {
    assert.equal(end(busy, { createdAt: now - 365 * DAY_MS, attempts: 2 }).end.state, 'waiting')
    const back = end(busy, { createdAt: now + 365 * DAY_MS, attempts: 500 })
    assert.deepEqual([back.end.state, back.health.retryAt], ['waiting', now + 30_000])
  })
})

describe('permanently refused attempt', () => {
  const never: SendOutcome = { kind: 'never', reason: 'status 400: no' }

  test('fails the message, and the next one is tried at once until the channel is failing', () => {
    const first = end(never)
    assert.deepEqual(first.end, { state: 'failed', at: now, answer: 'status 400: no' })
    assert.deepEqual(first.health, { ...freshHealth, reason: 'status 400: no', failures: 1 })
    const second = end(never, { health: first.health })
    assert.deepEqual([second.health.state, second.health.retryAt], ['active', 0])
    const third = end(never, { health: second.health })
    assert.deepEqual([third.health.state, third.health.retryAt], ['failing', now + 120_000])
  })

  test('switches the channel off at once if the receiver is gone', () => {
    const { end: last, health } = end({ kind: 'never', reason: 'gone', isGone: true })
    assert.equal(last.state, 'failed')
    assert.deepEqual([health.state, health.reason, health.retryAt], ['off', 'gone', 0])
  })
})

test('a long error message of the receiver is shortened', () => {
  const { health } = end({ kind: 'later', reason: 'x'.repeat(10_000_000) })
  assert.ok(health.reason.length <= 500)
})
