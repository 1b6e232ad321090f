import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cadenceParts, cadenceText } from './cadence.ts'

test('a cadence survives parsing and formatting', () => {
  for (const cadence of ['immediate', 'every 15m', 'hourly', 'daily 08:00', 'weekly fri 17:30', 'every 2h']) {
    assert.equal(cadenceText(cadenceParts(cadence)), cadence)
  }
})

test('a cadence defaults to 08:00 and Monday', () => {
  assert.equal(cadenceText(cadenceParts('daily')), 'daily 08:00')
  assert.equal(cadenceText(cadenceParts('weekly')), 'weekly mon 08:00')
  assert.equal(cadenceText(cadenceParts('weekly 9:15')), 'weekly mon 09:15')
  assert.equal(cadenceText(cadenceParts('Weekly Sunday')), 'weekly sun 08:00')
})
