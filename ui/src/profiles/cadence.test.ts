import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cadenceParts, cadenceText } from './cadence.ts'

test('a cadence is taken apart and put together again', () => {
  for (const cadence of ['immediate', 'every 15m', 'hourly', 'daily 08:00', 'weekly fri 17:30', 'every 2h']) {
    assert.equal(cadenceText(cadenceParts(cadence)), cadence)
  }
})

test('without a time it is 08:00, without a day Monday', () => {
  assert.equal(cadenceText(cadenceParts('daily')), 'daily 08:00')
  assert.equal(cadenceText(cadenceParts('weekly')), 'weekly mon 08:00')
  assert.equal(cadenceText(cadenceParts('weekly 9:15')), 'weekly mon 09:15')
  assert.equal(cadenceText(cadenceParts('Weekly Sunday')), 'weekly sun 08:00')
})
