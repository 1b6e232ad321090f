import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createOwnerBudgets, createProfileBudgets, createWorkBudget, createWorkShares } from './work-budget.ts'

describe('work budgets of owners', () => {
  const limits = { each: 100, free: 10, perSecond: 20, max: 250 }

  function sharesAt() {
    let now = 0
    const shares = createWorkShares({ monotonic: () => now }, limits)
    function spend(owner: string, steps: number): number {
      const piece = shares.begin()
      const budget = piece.of(owner)
      const given = budget.left
      budget.left -= steps
      piece.end()
      return given
    }
    return { spend, wait: (ms: number) => (now += ms) }
  }

  test('are limited per piece of work and shrink after expensive ones, for that owner only', () => {
    const { spend, wait } = sharesAt()
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => spend('eve', 150)),
      [100, 100, 50, 0, 0],
    )
    assert.equal(spend('ann', 150), 100)
    wait(2_000)
    assert.equal(spend('eve', 150), 40)
    wait(3_600_000)
    assert.deepEqual(
      [1, 2, 3].map(() => spend('eve', 150)),
      [100, 100, 50],
    )
  })

  test('stay full while the work is cheap', () => {
    const { spend } = sharesAt()
    for (let n = 0; n < 1000; n++) assert.equal(spend('ann', 10), 100)
  })

  test('are shared by all profiles of an owner', () => {
    const budgetOf = createOwnerBudgets(() => createWorkBudget(7_000_000))
    const profiles = createProfileBudgets(budgetOf)
    const given = [1, 2, 3].map(() => {
      const budget = profiles.of('eve')
      const { left } = budget
      budget.left = -5
      return left
    })
    profiles.settle()
    assert.deepEqual(given, [5_000_000, 1_999_995, 0])
    assert.equal(profiles.of('ann').left, 5_000_000)
  })
})
