import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHostQueue, type HostQueue } from './host-queue.ts'
import { noteSignal, type PolitenessRules, pauseMs } from './politeness.ts'

const rules: PolitenessRules = {
  delayMs: 1_000,
  delayFactor: 2,
  failuresToRest: 5,
  restMs: 5_000,
  restMaxMs: 60_000,
  maxRests: 3,
}

function hostQueueWith(parts: Partial<HostQueue> = {}): HostQueue {
  const state = { id: 1, host: 'a.example', queued: 1, nextAt: 0, failures: 0, rests: 0 }
  return { ...createHostQueue(state, 0), ...parts }
}

describe('politeness', () => {
  test('the pause is the maximum of delay, crawl delay and a multiple of the last fetch time', () => {
    assert.equal(pauseMs(hostQueueWith(), rules), 1_000)
    assert.equal(pauseMs(hostQueueWith({ lastFetchMs: 700 }), rules), 1_400)
    assert.equal(pauseMs(hostQueueWith({ lastFetchMs: 700, crawlDelayMs: 9_000 }), rules), 9_000)
    assert.equal(pauseMs(hostQueueWith({ lastFetchMs: 100 }), rules), 1_000)
  })

  test('a delay of zero disables pauses except those the host asks for', () => {
    const off = { ...rules, delayMs: 0 }
    assert.equal(pauseMs(hostQueueWith({ lastFetchMs: 700 }), off), 0)
    assert.equal(pauseMs(hostQueueWith({ crawlDelayMs: 2_000 }), off), 2_000)
    const hostQueue = hostQueueWith()
    assert.equal(noteSignal(hostQueue, { kind: 'answered', totalMs: 700 }, 100, off), 'goes-on')
    assert.equal(hostQueue.nextAt, 100)
    noteSignal(hostQueue, { kind: 'slow-down', totalMs: 1, retryAfterMs: 3_000 }, 100, off)
    assert.equal(hostQueue.nextAt, 3_100)
  })

  test('a response clears failures, rests and slow-downs', () => {
    const hostQueue = hostQueueWith({ failures: 4, rests: 2, slowdowns: 7 })
    noteSignal(hostQueue, { kind: 'answered', totalMs: 50 }, 10_000, rules)
    assert.deepEqual([hostQueue.failures, hostQueue.rests, hostQueue.slowdowns, hostQueue.nextAt], [0, 0, 0, 11_000])
  })

  test('a request that reached no server changes nothing', () => {
    const hostQueue = hostQueueWith({ failures: 3, nextAt: 7 })
    assert.equal(noteSignal(hostQueue, { kind: 'untouched' }, 10_000, rules), 'goes-on')
    assert.deepEqual([hostQueue.failures, hostQueue.nextAt], [3, 7])
  })

  test('a nonexistent host counts a failure but causes no pause', () => {
    const hostQueue = hostQueueWith({ failures: 8, nextAt: 7 })
    assert.equal(noteSignal(hostQueue, { kind: 'not-found', totalMs: 5 }, 10_000, rules), 'goes-on')
    assert.deepEqual([hostQueue.failures, hostQueue.rests, hostQueue.nextAt], [9, 0, 7])
  })

  test('Retry-After is honoured up to the longest rest and does not count as a failure', () => {
    const hostQueue = hostQueueWith()
    noteSignal(hostQueue, { kind: 'slow-down', totalMs: 10, retryAfterMs: 30_000 }, 0, rules)
    assert.deepEqual([hostQueue.failures, hostQueue.rests, hostQueue.nextAt], [0, 0, 30_000])
    noteSignal(hostQueue, { kind: 'slow-down', totalMs: 10, retryAfterMs: 86_400_000 }, 0, rules)
    assert.equal(hostQueue.nextAt, 60_000)
    noteSignal(hostQueue, { kind: 'slow-down', totalMs: 10, retryAfterMs: 1 }, 100_000, rules)
    assert.equal(hostQueue.nextAt, 101_000, 'never sooner than its own pause')
  })

  test('slow-downs without a time lead to growing pauses until the host is given up', () => {
    const hostQueue = hostQueueWith()
    const pauses: number[] = []
    let now = 0
    for (let n = 0; n < 20; n++) {
      assert.equal(noteSignal(hostQueue, { kind: 'slow-down', totalMs: 1, retryAfterMs: 0 }, now, rules), 'goes-on')
      pauses.push(hostQueue.nextAt - now)
      now = hostQueue.nextAt
    }
    assert.deepEqual(pauses.slice(0, 5), [1_000, 1_000, 2_000, 4_000, 8_000])
    assert.ok(pauses.every((pause, n) => pause >= (pauses[n - 1] ?? 0) && pause <= rules.restMaxMs))
    assert.equal(noteSignal(hostQueue, { kind: 'slow-down', totalMs: 1, retryAfterMs: 0 }, now, rules), 'given-up')
    assert.equal(hostQueue.failures, 0)
  })

  test('a host rests after five failures in a row, longer each time, and is then given up', () => {
    const hostQueue = hostQueueWith()
    const story: [string, number][] = []
    let now = 0
    for (let n = 0; n < 8; n++) {
      const verdict = noteSignal(hostQueue, { kind: 'failed', totalMs: 1 }, now, rules)
      story.push([verdict, hostQueue.nextAt - now])
      now = hostQueue.nextAt
    }
    assert.deepEqual(story, [
      ['goes-on', 1_000],
      ['goes-on', 1_000],
      ['goes-on', 2_000],
      ['goes-on', 4_000],
      ['rests', 5_000],
      ['rests', 20_000],
      ['rests', 60_000],
      ['given-up', 0],
    ])
  })

  test('a success resets the failure count', () => {
    const hostQueue = hostQueueWith()
    for (let n = 0; n < 4; n++) noteSignal(hostQueue, { kind: 'failed', totalMs: 1 }, 0, rules)
    noteSignal(hostQueue, { kind: 'answered', totalMs: 1 }, 0, rules)
    for (let n = 0; n < 4; n++) assert.equal(noteSignal(hostQueue, { kind: 'failed', totalMs: 1 }, 0, rules), 'goes-on')
    assert.equal(noteSignal(hostQueue, { kind: 'failed', totalMs: 1 }, 0, rules), 'rests')
  })

  test('the time of the next request never moves back', () => {
    const hostQueue = hostQueueWith({ nextAt: 50_000 })
    noteSignal(hostQueue, { kind: 'answered', totalMs: 1 }, 0, rules)
    assert.equal(hostQueue.nextAt, 50_000)
  })
})
