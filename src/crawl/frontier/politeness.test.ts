import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLane, type Lane } from './host-queue.ts'
import { noteSignal, type PolitenessRules, pauseMs } from './politeness.ts'

const rules: PolitenessRules = {
  delayMs: 1_000,
  delayFactor: 2,
  failuresToRest: 5,
  restMs: 5_000,
  restMaxMs: 60_000,
  maxRests: 3,
}

function laneWith(parts: Partial<Lane> = {}): Lane {
  const state = { id: 1, host: 'a.example', queued: 1, nextAt: 0, failures: 0, rests: 0 }
  return { ...createLane(state, 0), ...parts }
}

describe('politeness', () => {
  test('the pause is the largest of delay, crawl delay and a multiple of the last fetch', () => {
    assert.equal(pauseMs(laneWith(), rules), 1_000)
    assert.equal(pauseMs(laneWith({ lastFetchMs: 700 }), rules), 1_400)
    assert.equal(pauseMs(laneWith({ lastFetchMs: 700, crawlDelayMs: 9_000 }), rules), 9_000)
    assert.equal(pauseMs(laneWith({ lastFetchMs: 100 }), rules), 1_000)
  })

  test('a delay of zero switches waiting off, but for what the host asks for', () => {
    const off = { ...rules, delayMs: 0 }
    assert.equal(pauseMs(laneWith({ lastFetchMs: 700 }), off), 0)
    assert.equal(pauseMs(laneWith({ crawlDelayMs: 2_000 }), off), 2_000)
    const lane = laneWith()
    assert.equal(noteSignal(lane, { kind: 'answered', totalMs: 700 }, 100, off), 'goes-on')
    assert.equal(lane.nextAt, 100)
    noteSignal(lane, { kind: 'slow-down', totalMs: 1, retryAfterMs: 3_000 }, 100, off)
    assert.equal(lane.nextAt, 3_100)
  })

  test('an answer clears failures, rests and slow-downs', () => {
    const lane = laneWith({ failures: 4, rests: 2, slowdowns: 7 })
    noteSignal(lane, { kind: 'answered', totalMs: 50 }, 10_000, rules)
    assert.deepEqual([lane.failures, lane.rests, lane.slowdowns, lane.nextAt], [0, 0, 0, 11_000])
  })

  test('a request that reached nobody moves no clock', () => {
    const lane = laneWith({ failures: 3, nextAt: 7 })
    assert.equal(noteSignal(lane, { kind: 'untouched' }, 10_000, rules), 'goes-on')
    assert.deepEqual([lane.failures, lane.nextAt], [3, 7])
  })

  test('Retry-After is honoured up to the longest rest and is no strike', () => {
    const lane = laneWith()
    noteSignal(lane, { kind: 'slow-down', totalMs: 10, retryAfterMs: 30_000 }, 0, rules)
    assert.deepEqual([lane.failures, lane.rests, lane.nextAt], [0, 0, 30_000])
    noteSignal(lane, { kind: 'slow-down', totalMs: 10, retryAfterMs: 86_400_000 }, 0, rules)
    assert.equal(lane.nextAt, 60_000)
    noteSignal(lane, { kind: 'slow-down', totalMs: 10, retryAfterMs: 1 }, 100_000, rules)
    assert.equal(lane.nextAt, 101_000, 'never sooner than its own pause')
  })

  test('a host that says slow down without a time is asked ever less often, and given up in the end', () => {
    const lane = laneWith()
    const pauses: number[] = []
    let now = 0
    for (let n = 0; n < 20; n++) {
      assert.equal(noteSignal(lane, { kind: 'slow-down', totalMs: 1, retryAfterMs: 0 }, now, rules), 'goes-on')
      pauses.push(lane.nextAt - now)
      now = lane.nextAt
    }
    assert.deepEqual(pauses.slice(0, 5), [1_000, 1_000, 2_000, 4_000, 8_000])
    assert.ok(pauses.every((pause, n) => pause >= (pauses[n - 1] ?? 0) && pause <= rules.restMaxMs))
    assert.equal(noteSignal(lane, { kind: 'slow-down', totalMs: 1, retryAfterMs: 0 }, now, rules), 'given-up')
    assert.equal(lane.failures, 0)
  })

  test('five failures in a row make a host rest, each rest is longer, then it is given up', () => {
    const lane = laneWith()
    const story: [string, number][] = []
    let now = 0
    for (let n = 0; n < 8; n++) {
      const verdict = noteSignal(lane, { kind: 'failed', totalMs: 1 }, now, rules)
      story.push([verdict, lane.nextAt - now])
      now = lane.nextAt
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

  test('one success in between starts the count anew', () => {
    const lane = laneWith()
    for (let n = 0; n < 4; n++) noteSignal(lane, { kind: 'failed', totalMs: 1 }, 0, rules)
    noteSignal(lane, { kind: 'answered', totalMs: 1 }, 0, rules)
    for (let n = 0; n < 4; n++) assert.equal(noteSignal(lane, { kind: 'failed', totalMs: 1 }, 0, rules), 'goes-on')
    assert.equal(noteSignal(lane, { kind: 'failed', totalMs: 1 }, 0, rules), 'rests')
  })

  test('a clock is never moved back', () => {
    const lane = laneWith({ nextAt: 50_000 })
    noteSignal(lane, { kind: 'answered', totalMs: 1 }, 0, rules)
    assert.equal(lane.nextAt, 50_000)
  })
})
