import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readCadence, timeText } from './cadence.ts'
import { type DeliveryPolicy, dueAt } from './due.ts'

const utc = (text: string): number => Date.parse(`${text}Z`)
const shown = (at: number): string => new Date(at).toISOString().slice(0, 16)

function policy(cadence: string, parts: Partial<DeliveryPolicy> = {}): DeliveryPolicy {
  return { cadence: readCadence(cadence)!, zone: 'Europe/Berlin', quiet: null, breaksThrough: null, ...parts }
}

describe('cadences', () => {
  test('accept immediate, interval, daily and weekly notations', () => {
    assert.deepEqual(readCadence('immediate'), { kind: 'immediate' })
    assert.deepEqual(readCadence(' Every 15m '), { kind: 'every', ms: 900_000 })
    assert.deepEqual(readCadence('hourly'), { kind: 'every', ms: 3_600_000 })
    assert.deepEqual(readCadence('daily 08:00'), { kind: 'daily', minute: 480, day: null })
    assert.deepEqual(readCadence('weekly mon 08:00'), { kind: 'daily', minute: 480, day: 1 })
    assert.deepEqual(readCadence('weekly Sunday 23:59'), { kind: 'daily', minute: 1439, day: 7 })
    assert.equal(timeText(485), '08:05')
  })

  test('reject invalid notations', () => {
    for (const text of [
      '',
      'often',
      'every',
      'every 0m',
      'every 90d',
      'every 15',
      'daily 24:00',
      'daily 8',
      'weekly 08:00',
      'weekly xyz 08:00',
      'hourly 5',
    ])
      assert.equal(readCadence(text), null, text)
  })
})

describe('delivery time', () => {
  test('is now, the next full interval or the next local time, depending on the cadence', () => {
    const now = utc('2026-06-01T05:07:00')
    assert.equal(dueAt(policy('immediate'), 1, now), now)
    assert.equal(shown(dueAt(policy('every 15m'), 1, now)), '2026-06-01T05:15')
    assert.equal(shown(dueAt(policy('daily 08:00'), 1, now)), '2026-06-01T06:00')
    assert.equal(shown(dueAt(policy('daily 07:00'), 1, now)), '2026-06-02T05:00')
    assert.equal(shown(dueAt(policy('weekly mon 08:00'), 1, now)), '2026-06-01T06:00')
    assert.equal(shown(dueAt(policy('weekly mon 07:00'), 1, now)), '2026-06-08T05:00')
    assert.equal(shown(dueAt(policy('daily 08:00', { zone: 'Asia/Kathmandu' }), 1, now)), '2026-06-02T02:15')
  })

  test('is now for messages that are urgent enough', () => {
    const now = utc('2026-06-01T23:00:00')
    const quiet = { zone: 'Europe/Berlin', fromMinute: 22 * 60, toMinute: 7 * 60 }
    assert.equal(dueAt(policy('daily 08:00', { quiet, breaksThrough: 4 }), 4, now), now)
    assert.notEqual(dueAt(policy('daily 08:00', { quiet, breaksThrough: 4 }), 3, now), now)
  })

  test('moves past quiet hours across midnight, which are empty if both ends are equal', () => {
    const quiet = { zone: 'Europe/Berlin', fromMinute: 22 * 60, toMinute: 7 * 60 }
    const due = (at: string): string => shown(dueAt(policy('immediate', { quiet }), 1, utc(at)))
    assert.equal(due('2026-06-01T19:59:00'), '2026-06-01T19:59')
    assert.equal(due('2026-06-01T20:00:00'), '2026-06-02T05:00')
    assert.equal(due('2026-06-02T03:00:00'), '2026-06-02T05:00')
    assert.equal(due('2026-06-02T05:00:00'), '2026-06-02T05:00')
    const none = { ...quiet, toMinute: quiet.fromMinute }
    assert.equal(shown(dueAt(policy('immediate', { quiet: none }), 1, utc('2026-06-01T20:00:00'))), '2026-06-01T20:00')
  })

  test('occurs once a day across DST changes, right after the gap if the local time is skipped', () => {
    // On 29 March 2026 there is no 02:30 in Berlin, on 25 October there are two.
    const times = (from: string, minute: string, count: number): string[] => {
      const found: string[] = []
      for (let at = utc(from), n = 0; n < count; n++) {
        at = dueAt(policy(`daily ${minute}`), 1, at)
        found.push(shown(at))
      }
      return found
    }
    assert.deepEqual(times('2026-03-27T12:00:00', '02:30', 3), [
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
    assert.deepEqual(times('2026-10-23T12:00:00', '02:30', 3), [
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
    assert.deepEqual(times('2026-03-27T12:00:00', '08:00', 3), [
      '2026-03-28T07:00',
      '2026-03-29T06:00',
      '2026-03-30T06:00',
    ])
  })

  test('follows local time if quiet hours include a DST change', () => {
    const quiet = { zone: 'Europe/Berlin', fromMinute: 22 * 60, toMinute: 7 * 60 }
    const due = (at: string): string => shown(dueAt(policy('immediate', { quiet }), 1, utc(at)))
    assert.equal(due('2026-03-28T23:00:00'), '2026-03-29T05:00')
    assert.equal(due('2026-10-24T23:00:00'), '2026-10-25T06:00')
  })
})
