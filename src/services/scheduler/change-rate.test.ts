import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOff, changeRate, nextInterval, observe } from './change-rate.ts'
import { createRandom, DAY, HOUR, MINUTE } from './scheduler.testkit.ts'

const nothing = { checks: 0, changes: 0, observedMs: 0 }

/** Checks a source that changes at random, every `meanMs` on average, and returns the resulting intervals. */
function watchSource(meanMs: number, bounds: { everyMs: number; everyMaxMs: number }, checks: number): number[] {
  const random = createRandom(7)
  let record = nothing
  let intervalMs = bounds.everyMs
  return Array.from({ length: checks }, () => {
    record = observe(record, intervalMs, random.chance(1 - Math.exp(-intervalMs / meanMs)))
    intervalMs = nextInterval(intervalMs, bounds, record)
    return intervalMs
  })
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

test('the change rate is estimated correctly even if several changes fall between two checks', () => {
  const random = createRandom(3)
  // Two changes between checks on average; counting the changes seen would give 0.86.
  const estimates = Array.from({ length: 200 }, () => {
    let record = nothing
    for (let check = 0; check < 60; check++) record = observe(record, HOUR, random.chance(1 - Math.exp(-2)))
    return changeRate(record) * HOUR
  })
  assert.ok(Math.abs(mean(estimates) - 2) < 0.4, `${mean(estimates)}`)
})

test('the interval settles at about half the mean time between changes', () => {
  const settled = watchSource(4 * HOUR, { everyMs: 10 * MINUTE, everyMaxMs: 7 * DAY }, 400).slice(100)
  assert.ok(mean(settled) > 1.4 * HOUR && mean(settled) < 3 * HOUR, `${mean(settled) / HOUR} h`)
})

test('the interval stays within its bounds and changes by at most half per step', () => {
  const bounds = { everyMs: 10 * MINUTE, everyMaxMs: DAY }
  for (const meanMs of [MINUTE, HOUR, 100 * DAY]) {
    let before = bounds.everyMs
    for (const intervalMs of watchSource(meanMs, bounds, 200)) {
      assert.ok(intervalMs >= bounds.everyMs && intervalMs <= bounds.everyMaxMs)
      assert.ok(intervalMs <= before * 1.5 && intervalMs >= before * 0.5)
      before = intervalMs
    }
  }
  assert.equal(watchSource(100 * DAY, bounds, 50).at(-1), DAY)
  assert.equal(watchSource(MINUTE, bounds, 50).at(-1), 10 * MINUTE)
})

test('the interval drops quickly when a quiet source starts to change', () => {
  const bounds = { everyMs: 10 * MINUTE, everyMaxMs: DAY }
  let record = nothing
  for (let check = 0; check < 200; check++) record = observe(record, DAY, false)
  let intervalMs = DAY
  let checks = 0
  for (; intervalMs > HOUR; checks++) {
    record = observe(record, intervalMs, true)
    intervalMs = nextInterval(intervalMs, bounds, record)
  }
  assert.ok(checks <= 25, `${checks} checks`)
})

test('failures double the wait up to the maximum, and a fixed interval stays fixed', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 30].map((failures) => backOff(MINUTE, 5 * MINUTE, failures)),
    [1, 2, 4, 5, 5].map((minutes) => minutes * MINUTE),
  )
  assert.equal(backOff(MINUTE, MINUTE, 4), MINUTE)
})
