import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import type { TimeWindow } from '../../../core/profile.ts'
import { createRandom, DAY, HOUR, MINUTE } from '../scheduler.testkit.ts'
import { createOpenHours } from './time-window.ts'

const allDays = [1, 2, 3, 4, 5, 6, 7]
const at = (text: string): number => Date.parse(text)
const hours = (zone: string, from: string, to: string, days = allDays) =>
  createOpenHours([{ zone, days, fromMinute: minuteOf(from), toMinute: minuteOf(to) }])
const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const next = (window: ReturnType<typeof hours>, from: string): string | null => {
  const opening = window.nextOpen(at(from))
  return opening === null ? null : new Date(opening).toISOString()
}

test('a window opens at its local time in winter and summer', () => {
  const athens = hours('Europe/Athens', '09:00', '17:00')
  assert.equal(next(athens, '2026-01-10T00:00Z'), '2026-01-10T07:00:00.000Z')
  assert.equal(next(athens, '2026-07-10T00:00Z'), '2026-07-10T06:00:00.000Z')
  assert.equal(next(athens, '2026-07-10T06:30Z'), '2026-07-10T06:30:00.000Z')
  assert.equal(next(athens, '2026-07-10T14:00Z'), '2026-07-11T06:00:00.000Z')
})

test('a window across midnight belongs to the day on which it starts', () => {
  const friday = hours('Europe/Athens', '22:00', '06:00', [5])
  assert.equal(friday.isOpen(at('2026-01-09T19:59Z')), false) // Friday, a minute before ten
  assert.equal(friday.isOpen(at('2026-01-09T20:00Z')), true)
  assert.equal(friday.isOpen(at('2026-01-10T03:59Z')), true)
  assert.equal(friday.isOpen(at('2026-01-10T04:00Z')), false)
  assert.equal(next(friday, '2026-01-10T04:00Z'), '2026-01-16T20:00:00.000Z')
  const wholeDay = hours('UTC', '08:00', '08:00', [1])
  assert.equal(wholeDay.isOpen(at('2026-01-13T07:59Z')), true)
  assert.equal(wholeDay.isOpen(at('2026-01-13T08:00Z')), false)
})

test('a window whose start is skipped by DST opens when the clocks go forward', () => {
  // New York, 8 March 2026: 02:00 is 03:00.
  const night = hours('America/New_York', '02:30', '04:00')
  assert.equal(next(night, '2026-03-08T05:00Z'), '2026-03-08T07:00:00.000Z')
  const skipped = hours('America/New_York', '02:15', '02:45', [7])
  assert.equal(next(skipped, '2026-03-08T05:00Z'), '2026-03-15T06:15:00.000Z')
})

test('a window in an hour that DST repeats opens twice', () => {
  // Athens, 25 October 2026: 04:00 is 03:00 again, at 01:00 UTC.
  const night = hours('Europe/Athens', '03:15', '03:30')
  assert.equal(next(night, '2026-10-24T23:00Z'), '2026-10-25T00:15:00.000Z')
  assert.equal(next(night, '2026-10-25T00:30Z'), '2026-10-25T01:15:00.000Z')
  assert.equal(next(night, '2026-10-25T01:30Z'), '2026-10-26T01:15:00.000Z')
})

test('the earliest of several windows counts, and a window without days never opens', () => {
  const utc = (fromMinute: number, days: number[]): TimeWindow => ({ zone: 'UTC', days, fromMinute, toMinute: 1439 })
  const both = createOpenHours([utc(600, allDays), utc(480, [4])])
  assert.equal(both.nextOpen(at('2026-01-01T00:00Z')), at('2026-01-01T08:00Z'))
  assert.equal(both.nextOpen(at('2026-01-02T00:00Z')), at('2026-01-02T10:00Z'))
  assert.equal(createOpenHours([utc(0, [])]).nextOpen(0), null)
  assert.equal(createOpenHours([]).nextOpen(0), null)
})

test('an unknown time zone is rejected', () => {
  assert.throws(
    () => hours('Europe/Atlantis', '01:00', '02:00'),
    (error) => isAppError(error, 'usage-wrong'),
  )
})

const formats: Record<string, Intl.DateTimeFormat> = {}

/** Reference implementation with `Intl`. */
function naiveIsOpen({ zone, days, fromMinute, toMinute }: TimeWindow, moment: number): boolean {
  formats[zone] ??= new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  const parts = Object.fromEntries(formats[zone].formatToParts(moment).map(({ type, value }) => [type, value]))
  const day = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(parts.weekday!) + 1
  const minute = (Number(parts.hour) % 24) * 60 + Number(parts.minute)
  if (fromMinute < toMinute) return days.includes(day) && minute >= fromMinute && minute < toMinute
  const yesterday = day === 1 ? 7 : day - 1
  return (days.includes(day) && minute >= fromMinute) || (days.includes(yesterday) && minute < toMinute)
}

test('openings around clock changes match a minute-by-minute reference implementation', () => {
  const random = createRandom(11)
  const changes = [
    ['Europe/Athens', '2026-03-29T01:00Z'],
    ['Europe/Athens', '2026-10-25T01:00Z'],
    ['America/New_York', '2026-03-08T07:00Z'],
    ['America/New_York', '2026-11-01T06:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
    ['Pacific/Apia', '2011-12-30T10:00Z'],
  ] as const
  for (let round = 0; round < 24; round++) {
    const [zone, changeAt] = random.of(changes)
    const window: TimeWindow = {
      zone,
      days: allDays.filter(() => random.chance(0.6)),
      fromMinute: random.below(300),
      toMinute: random.of([random.below(300), 1 + random.below(1440)]),
    }
    const open = createOpenHours([window])
    const start = at(changeAt) - 5 * HOUR + random.below(60) * MINUTE
    let expected: number | null = null
    for (let moment = start + DAY / 2; moment >= start; moment -= MINUTE) {
      const isOpen = naiveIsOpen(window, moment)
      assert.equal(open.isOpen(moment), isOpen, `${JSON.stringify(window)} ${new Date(moment).toISOString()}`)
      if (isOpen) expected = moment
      if (expected !== null && random.chance(0.1)) assert.equal(open.nextOpen(moment), expected)
    }
  }
})
