import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AccountSettings, defaultAccountSettings } from '../../core/account.ts'
import { deliveryDefaults, type ProfileDelivery } from '../../core/profile.ts'
import { plannedAt, policyOf, unlessQuiet } from './policies.ts'

const utc = (text: string): number => Date.parse(`${text}:00Z`)
const shown = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString().slice(0, 16))

type Given = { delivery?: Partial<ProfileDelivery>; account?: Partial<AccountSettings> }

const policy = ({ delivery = {}, account = {} }: Given = {}) =>
  policyOf(
    { name: 'P', amount: 'full', delivery: { ...deliveryDefaults, channels: ['inbox', 'c'], ...delivery } },
    { settings: { ...defaultAccountSettings, ...account } },
  )

const planned = (given: Given, at: string, parts: { channel?: string; urgency?: number; now?: string } = {}) => {
  const { channel = 'c', urgency = 1, now = at } = parts
  return shown(plannedAt(policy(given), { channel, urgency, createdAt: utc(at) }, utc(now)))
}

const notifications = { quiet: { from: '22:00', to: '07:00' }, urgentFrom: 4, perHour: 20 }
const athens = { timeZone: 'Europe/Athens', notifications }

describe('delivery policy of a profile', () => {
  test('uses the settings of the profile', () => {
    const delivery = {
      ...{ cadence: 'daily 08:00', perHour: 3, urgentFrom: 5, channels: ['inbox', 'a', 'b'] },
      quiet: { zone: 'Asia/Tokyo', from: '20:00', to: '06:30' },
      escalation: { channel: 'd', after: '30m', urgency: 5 },
    }
    assert.deepEqual(policy({ delivery, account: athens }), {
      ...{ name: 'P', amount: 'full', zone: 'Asia/Tokyo', channels: new Set(['inbox', 'a', 'b']) },
      ...{ cadence: { kind: 'daily', minute: 480, day: null }, perHour: 3, breaksThrough: 5 },
      quiet: { zone: 'Asia/Tokyo', fromMinute: 1200, toMinute: 390 },
      escalation: { channel: 'd', afterMs: 1_800_000, urgency: 5 },
    })
  })

  test('falls back to the settings of the account', () => {
    const { quiet, perHour, breaksThrough, zone, escalation } = policy({ account: athens })
    assert.deepEqual(quiet, { zone: 'Europe/Athens', fromMinute: 1320, toMinute: 420 })
    assert.deepEqual([perHour, breaksThrough, zone, escalation], [20, 4, 'Europe/Athens', null])
    const own = policy({ delivery: { quiet: { zone: '', from: '01:00', to: '02:00' } }, account: athens })
    assert.deepEqual(own.quiet, { zone: 'Europe/Athens', fromMinute: 60, toMinute: 120 })
  })

  test('falls back to the zone of the account or UTC if the time zone is missing or unknown', () => {
    const quiet = { zone: '', from: '22:00', to: '07:00' }
    assert.equal(policy({ delivery: { quiet } }).quiet!.zone, 'UTC')
    assert.equal(policy({ account: { notifications } }).quiet!.zone, 'UTC')
    assert.equal(policy().zone, 'UTC')
    const odd = policy({ delivery: { quiet: { ...quiet, zone: 'Mars/Base' } }, account: { timeZone: 'Old/Zone' } })
    assert.deepEqual([odd.zone, odd.quiet!.zone], ['UTC', 'UTC'])
    const known = policy({ delivery: { quiet: { ...quiet, zone: 'Mars/Base' } }, account: athens })
    assert.equal(known.quiet!.zone, 'Europe/Athens')
  })

  test('is immediate and unlimited by default', () => {
    const { cadence, quiet, perHour, breaksThrough } = policy()
    assert.deepEqual([cadence, quiet, perHour, breaksThrough], [{ kind: 'immediate' }, null, null, null])
    assert.deepEqual(policy({ delivery: { cadence: 'no longer known' } }).cadence, { kind: 'immediate' })
  })
})

describe('delivery time of an annotation', () => {
  const daily: Given = { delivery: { cadence: 'daily 08:00' }, account: { timeZone: 'Europe/Athens' } }

  test('is based on the creation time, however late it is planned', () => {
    assert.equal(planned({}, '2026-06-01T10:00', { now: '2026-06-03T00:00' }), '2026-06-01T10:00')
    assert.equal(planned(daily, '2026-06-01T04:00', { now: '2026-06-01T09:00' }), '2026-06-01T05:00')
  })

  test('is not delayed if the creation time is in the future', () => {
    assert.equal(planned({}, '2027-06-01T10:00', { now: '2026-06-01T10:00' }), '2026-06-01T10:00')
    assert.equal(planned(daily, '2027-06-01T10:00', { now: '2026-06-01T10:00' }), '2026-06-02T05:00')
  })

  test('is null if the profile is gone or no longer uses the channel', () => {
    const entry = { channel: 'c', urgency: 1, createdAt: 5 }
    assert.equal(plannedAt(null, entry, 5), null)
    assert.equal(plannedAt(policy({ delivery: { channels: ['inbox'] } }), entry, 5), null)
  })

  test('is immediate if the annotation is urgent enough', () => {
    const given: Given = { delivery: { cadence: 'daily 08:00' }, account: athens }
    assert.equal(planned(given, '2026-06-01T23:00', { urgency: 4 }), '2026-06-01T23:00')
    assert.equal(planned(given, '2026-06-01T23:00', { urgency: 3.9 }), '2026-06-02T05:00')
  })

  test('follows daylight saving time of the zone in both directions', () => {
    const summer = (day: string) => planned(daily, `${day}T00:30`)
    // In Athens clocks go forward on 29 March 2026, and back on 25 October.
    assert.deepEqual(['2026-03-28', '2026-03-29', '2026-03-30'].map(summer), [
      '2026-03-28T06:00',
      '2026-03-29T05:00',
      '2026-03-30T05:00',
    ])
    assert.deepEqual(['2026-10-24', '2026-10-25', '2026-10-26'].map(summer), [
      '2026-10-24T05:00',
      '2026-10-25T06:00',
      '2026-10-26T06:00',
    ])
    const quiet = (at: string) => planned({ account: athens }, at)
    // Quiet hours that last eight and ten hours.
    assert.deepEqual([quiet('2026-03-28T20:00'), quiet('2026-10-24T19:00')], ['2026-03-29T04:00', '2026-10-25T05:00'])
    assert.deepEqual([quiet('2026-03-28T19:59'), quiet('2026-10-24T18:59')], ['2026-03-28T19:59', '2026-10-24T18:59'])
  })
})

describe('escalation', () => {
  const escalation = { channel: 'second', after: '30m', urgency: 5 }
  const given: Given = { delivery: { escalation }, account: athens }
  const second = (at: string, urgency: number) => planned(given, at, { channel: 'second', urgency })

  test('happens after the given time, if urgent enough, on its own channel only', () => {
    assert.equal(second('2026-06-01T10:00', 5), '2026-06-01T10:30')
    assert.equal(second('2026-06-01T10:00', 4.9), null)
    assert.equal(planned(given, '2026-06-01T10:00', { channel: 'third', urgency: 9 }), null)
    assert.equal(planned(given, '2026-06-01T10:00', { urgency: 5 }), '2026-06-01T10:00')
  })

  test('waits until quiet hours end, unless it is urgent enough', () => {
    assert.equal(second('2026-06-01T22:00', 5), '2026-06-01T22:30')
    const calm: Given = { ...given, account: { ...athens, notifications: { ...notifications, urgentFrom: null } } }
    assert.equal(planned(calm, '2026-06-01T22:00', { channel: 'second', urgency: 5 }), '2026-06-02T04:00')
  })
})

test('a time outside quiet hours is not changed', () => {
  const at = utc('2026-06-01T12:00')
  assert.equal(unlessQuiet(policy({ account: athens }), 1, at), at)
  assert.equal(unlessQuiet(policy(), 1, at), at)
})
