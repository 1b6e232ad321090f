import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddress, readChoice, readTime } from './version-finder.ts'

test('reads partial times, and times without a zone as UTC', () => {
  for (const [text, iso] of [
    ['2026-11', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T12', '2026-11-01T12:00:00.000Z'],
    ['2026-11-01T12:30', '2026-11-01T12:30:00.000Z'],
    ['2026-11-01t12:30:05z', '2026-11-01T12:30:05.000Z'],
    ['2026-11-01T12:30:05.1239', '2026-11-01T12:30:05.123Z'],
    ['2026-11-01T12:30+02:00', '2026-11-01T10:30:00.000Z'],
    ['2026-11-01T12:30-0530', '2026-11-01T18:00:00.000Z'],
    ['2026-11-01T00:30+01', '2026-10-31T23:30:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ] as const) {
    assert.equal(new Date(readTime(text)!).toISOString(), iso, text)
  }
})

test('rejects invalid times', () => {
  const words = `2026 2026-13-01 2026-02-30 2026-11-01T24:00 2026-11-01T12:60 2026-11-01T12:00+25:00 2026-11-01T
    01.11.2026`.split(/\s+/)
  for (const text of ['', '2026-11-01 12:00', '2026-11-01T12:00:00Z ', ...words]) {
    assert.equal(readTime(text), null, text)
  }
})

test('reads a choice of a version by number, time or position', () => {
  assert.deepEqual(readChoice('12'), { kind: 'number', n: 12 })
  assert.deepEqual(readChoice('2026'), { kind: 'number', n: 2026 })
  assert.deepEqual(readChoice('2026-01-01'), { kind: 'time', at: Date.UTC(2026, 0, 1) })
  assert.deepEqual(readChoice('first'), { kind: 'first' })
  for (const text of ['', '0', '-1', '1.5', 'user', '9999999999']) assert.equal(readChoice(text), null, text)
})

test('reads an address as a URL and, if it may end with a version, also as URL and version', () => {
  assert.equal(readAddress('http://a.example/@user').split, null)
  assert.deepEqual(readAddress('http://a.example/@user@3').split, {
    url: 'http://a.example/@user',
    choice: { kind: 'number', n: 3 },
  })
  assert.deepEqual(readAddress('http://a.example/@3').whole, { url: 'http://a.example/@3', choice: { kind: 'last' } })
  assert.deepEqual(readAddress('a.example@2026-11-01T12:00').split?.url, 'a.example')
  assert.equal(readAddress('@3').split, null)
})
