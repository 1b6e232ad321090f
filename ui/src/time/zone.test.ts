import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearTime, relativeTime, setTimeZone } from './zone.ts'

const now = Date.parse('2026-11-15T12:00:00Z')

test('a time is shown relative to now, or as a date if it is a week or more away', () => {
  const shown = (iso: string) => relativeTime(iso, now)
  assert.equal(shown('2026-11-15T11:59:50Z'), 'just now')
  assert.equal(shown('2026-11-15T12:00:20Z'), 'in a moment')
  assert.equal(shown('2026-11-15T11:56:00Z'), '4 min ago')
  assert.equal(shown('2026-11-15T11:00:30Z'), '1 h ago')
  assert.equal(shown('2026-11-15T14:00:00Z'), 'in 2 h')
  assert.equal(shown('2026-11-14T12:10:00Z'), '1 d ago')
  assert.equal(shown('2026-11-01T12:00:00Z'), '1 Nov')
  assert.equal(shown('2025-11-01T12:00:00Z'), '1 Nov 2025')
})

test('an invalid time is shown as an empty string', () => {
  assert.equal(relativeTime('soon', now), '')
})

test('a near time is shown as a clock time, with the weekday unless it is today', () => {
  setTimeZone('Europe/Vienna')
  assert.equal(nearTime('2026-11-15T13:05:00Z', now), '14:05')
  assert.equal(nearTime('2026-11-15T23:30:00Z', now), 'Mon 00:30')
  setTimeZone('')
})
