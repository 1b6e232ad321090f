import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  asProfile,
  conditionsOf,
  hasPattern,
  summedPeriods,
  withoutCondition,
  withPeriod,
  withSite,
} from './query-conditions.ts'

const now = Date.UTC(2026, 10, 15, 8, 30)

describe('search conditions', () => {
  test('are found only outside quotation marks', () => {
    const found = conditionsOf('"site:a.org b" sun SITE:example.org after:2026-01-01')
    assert.deepEqual(
      found.map(({ name, value }) => `${name} ${value}`),
      ['site example.org', 'after 2026-01-01'],
    )
  })

  test('a host replaces the previous one', () => {
    assert.equal(withSite('"solar power" site:a.org', 'b.org'), '"solar power" site:b.org')
  })

  test('a period replaces the previous one', () => {
    assert.equal(withPeriod('sun before:2020 after:2019', 'week', now), 'sun after:2026-11-08')
    assert.equal(withPeriod('sun', 'day', now), 'sun after:2026-11-14T08:30')
    assert.equal(withPeriod('sun after:2026-11-08', 'older', now), 'sun before:2025-11-15')
  })

  test('a condition can be removed', () => {
    assert.equal(withoutCondition('sun site:a.org "x  y"', 'site:a.org'), 'sun "x  y"')
  })

  test('counts of periods include shorter periods', () => {
    const times = (['day', 'week', 'month', 'year', 'older'] as const).map((period) => ({ period, count: 1 }))
    assert.deepEqual(
      summedPeriods(times).map(({ count }) => count),
      [1, 2, 3, 4, 1],
    )
  })

  test('a pattern between slashes is distinguished from words and paths', () => {
    const found = ['/cou[a-z]+ x/', 'town -/cou[a-z]+/i', 'town and/or country', '/news', '"/news/ today"', '/'].map(
      hasPattern,
    )
    assert.deepEqual(found, [true, true, false, false, false, false])
  })

  test('a search becomes a profile for its expression and site', () => {
    assert.deepEqual(asProfile('sun OR wind site:example.org after:2026'), {
      expression: 'sun OR wind',
      name: 'sun OR wind',
      url: 'https://example.org/',
    })
  })
})
