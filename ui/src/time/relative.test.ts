import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relativeTime } from './relative.ts'

const now = Date.parse('2026-11-15T12:00:00Z')

test('a time is told by its distance, and by its day when it is a week away', () => {
  const told = (iso: string) => relativeTime(iso, now)
  assert.equal(told('2026-11-15T11:59:50Z'), 'just now')
  assert.equal(told('2026-11-15T12:00:20Z'), 'in a moment')
  assert.equal(told('2026-11-15T11:56:00Z'), '4 min ago')
  assert.equal(told('2026-11-15T11:00:30Z'), '1 h ago')
  assert.equal(told('2026-11-15T14:00:00Z'), 'in 2 h')
  assert.equal(told('2026-11-14T12:10:00Z'), '1 d ago')
  assert.equal(told('2026-11-01T12:00:00Z'), '1 Nov')
  assert.equal(told('2025-11-01T12:00:00Z'), '1 Nov 2025')
})

test('what is no time is told as nothing', () => {
  assert.equal(relativeTime('soon', now), '')
})
