import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Belief, believe, believeCount, priorBelief, rateOf } from './change-belief.ts'

const DAY = 86_400_000

/** The mean of the exact posterior, by numerical integration over the rate. */
function exactRate({ shape, spanMs }: Belief, checks: readonly (readonly [number, boolean])[]): number {
  let mass = 0
  let mean = 0
  for (let log = -16; log < 8; log += 0.01) {
    const rate = Math.exp(log) / DAY
    let weight = Math.exp(shape * Math.log(rate) - rate * spanMs + shape * Math.log(DAY))
    for (const [ms, changed] of checks) weight *= changed ? -Math.expm1(-rate * ms) : Math.exp(-rate * ms)
    mass += weight
    mean += weight * rate
  }
  return mean / mass
}

test('the belief approximates the exact posterior rate of a history of irregular checks', () => {
  const histories = [
    [0.5, 1, 2, 0.2, 3, 1].map((days, at) => [days * DAY, at % 3 === 0] as const),
    [1, 1, 1, 1, 1, 1, 1, 1].map((days) => [days * DAY, true] as const),
    [7, 1, 30, 7, 14].map((days, at) => [days * DAY, at === 4] as const),
  ]
  for (const checks of histories) {
    const prior = priorBelief(0.25 / DAY)
    const learnt = checks.reduce((belief, [ms, changed]) => believe(belief, ms, changed), prior)
    const ratio = rateOf(learnt) / exactRate(prior, checks)
    assert.ok(ratio > 0.8 && ratio < 1.25, `${ratio}`)
  }
})

test('the rate follows dated changes, and rises when a quiet source becomes active', () => {
  const dated = believeCount(priorBelief(0.01 / DAY), 20, 10 * DAY)
  assert.ok(rateOf(dated) * DAY > 0.4 && rateOf(dated) * DAY < 2)
  let belief = priorBelief(0.25 / DAY)
  for (let check = 0; check < 100; check++) belief = believe(belief, 10 * DAY, false)
  assert.ok(rateOf(belief) * DAY < 0.01)
  for (let check = 0; check < 20; check++) belief = believe(belief, DAY, true)
  assert.ok(rateOf(belief) * DAY > 0.1)
})

test('a check without a duration changes nothing', () => {
  const belief = priorBelief(1 / DAY)
  assert.equal(believe(belief, 0, true), belief)
  assert.equal(believe(belief, Number.NaN, true), belief)
})
