import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configOf } from '../../config/load-config.ts'
import { budgetsOf, createLevels } from './schedule-settings.ts'

const { schedule } = configOf()

describe('schedule settings', () => {
  test('users are silver unless listed as gold or bronze, ignoring the case of their addresses', () => {
    const levelOf = createLevels({
      ...schedule,
      gold: ['Ann@Example.org', 'eve@example.org'],
      bronze: ['bob@example.org', 'eve@example.org'],
    })
    assert.deepEqual(['ann@example.org', 'BOB@example.org', 'eve@example.org', 'cy@example.org'].map(levelOf), [
      'gold',
      'bronze',
      'gold',
      'silver',
    ])
  })

  test('users and hosts get a burst of ten seconds and only part of the check slots', () => {
    const budgets = budgetsOf({ ...schedule, perUserPerSecond: 2, perHostPerSecond: 0.01, maxChecks: 100 })
    assert.deepEqual(budgets.perUser, { perSecond: 2, burst: 20, maxInFlight: 50 })
    assert.deepEqual(budgets.perHost, { perSecond: 0.01, burst: 1, maxInFlight: 10 })
    assert.equal(budgetsOf({ ...schedule, maxChecks: 1 }).perHost!.maxInFlight, 1)
  })

  test('default limits leave room for a user with two hundred sources', () => {
    const { perUser, burst } = budgetsOf(schedule)
    assert.ok(perUser!.burst >= 200)
    assert.ok(burst >= 50)
  })
})
