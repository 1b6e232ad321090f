import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../core/clock.ts'
import { signalOf } from './answer-signal.ts'

const now = Date.parse('2030-05-05T12:00:00Z')
const clock = { ...systemClock, now: () => now }

/** How long a host with this answer is left alone, as far as the host says. */
function waitOf(retryAfter: string, date?: string): number {
  const rawHeaders = ['Retry-After', retryAfter, ...(date === undefined ? [] : ['Date', date])]
  const head = { status: 503, statusLine: 'HTTP/1.1 503 Busy', rawHeaders, address: '192.0.2.1', startedAt: now }
  const times = { firstByteMs: 1, totalMs: 1, wireBytes: 100 }
  const signal = signalOf({ kind: 'response', ...head, ...times, body: Buffer.alloc(0), truncated: null }, clock)
  assert.equal(signal.kind, 'slow-down')
  return signal.kind === 'slow-down' ? signal.retryAfterMs : -1
}

test('a host is left alone for the seconds that it names', () => {
  assert.equal(waitOf('120'), 120_000)
  assert.equal(waitOf(' 0120 '), 120_000)
  assert.equal(waitOf('1.5'), 1500)
  assert.equal(waitOf('0'), 0)
})

test('an excessive number of seconds is a long time, not none', () => {
  assert.ok(waitOf('9999999999') >= 9_999_999_999_000)
  assert.equal(waitOf('9'.repeat(400)), Number.MAX_SAFE_INTEGER)
})

test('a host is left alone until the date that it names, in any of the three forms of HTTP', () => {
  for (const date of ['Sun, 05 May 2030 12:01:00 GMT', 'Sunday, 05-May-30 12:01:00 GMT', 'Sun May  5 12:01:00 2030']) {
    assert.equal(waitOf(date), 60_000, date)
  }
  assert.equal(waitOf('2030-05-05T12:01:00Z'), 60_000)
  assert.equal(waitOf('Sun, 05 May 2030 11:00:00 GMT'), 0)
})

test('a date counts by the clock of the host', () => {
  assert.equal(waitOf('Sun, 05 May 2030 13:01:00 GMT', 'Sun, 05 May 2030 13:00:00 GMT'), 60_000)
  assert.equal(waitOf('Sun, 05 May 2030 11:01:00 GMT', 'Sun, 05 May 2030 11:00:00 GMT'), 60_000)
})

test('what is neither says nothing about the time', () => {
  for (const value of ['', 'soon', '-5', '5 minutes, or so', '1e9']) assert.equal(waitOf(value), 0, value)
})
