import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import {
  annotationsOn,
  type DeliveryPlace,
  HOUR_MS,
  idsOf,
  MINUTE_MS,
  type Received,
  receivedOn,
  START,
  show,
  withDelivery,
} from './delivery.testkit.ts'

const utc = (text: string): number => Date.parse(`${text}:00Z`)
const shown = (at: number): string => new Date(at).toISOString().slice(0, 16)
const timesOf = (received: readonly Received[]): string[] => received.map(({ at }) => shown(at))

/** Runs from one time to another with a change every `everyMs`, advancing the clock in half hours. */
async function live(where: DeliveryPlace, from: string, to: string, everyMs: number): Promise<number[]> {
  where.clock.advance(utc(from) - where.clock.now())
  const found: number[] = []
  for (let at = utc(from); at < utc(to); at += HOUR_MS / 2) {
    if ((at - utc(from)) % everyMs === 0) found.push(...idsOf(await where.found({})))
    await where.run()
    where.clock.advance(HOUR_MS / 2)
  }
  await where.run()
  return found
}

/** When messages leave, on every engine. */
export function timingSuite(engine: StoreEngine): void {
  const place = (work: (place: DeliveryPlace) => Promise<void>) => withDelivery(engine, work)

  describe(`quiet hours (${engine.name})`, () => {
    const nights = [
      // Clocks go forward at 01:00 UTC: these quiet hours last eight hours.
      { what: 'the short night in spring', from: '2026-03-28T18:30', end: '2026-03-29T04:00', changes: 8 },
      // Clocks go back at 01:00 UTC: these last ten.
      { what: 'the long night in autumn', from: '2026-10-24T17:30', end: '2026-10-25T05:00', changes: 10 },
    ]
    for (const { what, from, end, changes } of nights)
      test(
        `deliver nothing in ${what}, and one digest at seven local time`,
        place(async (where) => {
          await where.setProfile('p', { quiet: { zone: '', from: '22:00', to: '07:00' } })
          await where.setAccount({ timeZone: 'Europe/Athens' })
          // At 20:30, 21:30, … 08:30 local time.
          const found = await live(where, from, shown(utc(end) + 2 * HOUR_MS), HOUR_MS)
          show(where, `quiet from 22:00 to 07:00 in Athens, a change every hour: ${what}`, 'Europe/Athens')
          const received = receivedOn(where)
          const [one, two, ...others] = found
          const night = others.splice(0, changes)
          assert.deepEqual(
            received.map(({ annotations }) => annotations),
            [[one], [two], night, ...others.map((id) => [id])],
          )
          assert.deepEqual([received[2]!.type, shown(received[2]!.at)], ['annotations.digest', end])
        }),
      )

    test(
      'are in UTC for an account without a time zone',
      place(async (where) => {
        await where.setAccount({
          notifications: { quiet: { from: '22:00', to: '07:00' }, urgentFrom: null, perHour: null },
        })
        await live(where, '2026-03-28T21:00', '2026-03-29T08:00', 2 * HOUR_MS)
        assert.deepEqual(timesOf(receivedOn(where)), ['2026-03-28T21:00', '2026-03-29T07:00', '2026-03-29T07:00'])
        assert.deepEqual(
          receivedOn(where).map(({ annotations }) => annotations.length),
          [1, 4, 1],
        )
      }),
    )

    test(
      'also delay a pending message, and urgent messages overtake it',
      place(async (where) => {
        const { clock, sink } = where
        await where.setProfile('p', { quiet: { zone: 'UTC', from: '22:00', to: '07:00' }, urgentFrom: 5 })
        clock.advance(utc('2026-06-01T21:59') + 45_000 - clock.now())
        sink.answerWith({ status: 503 })
        const [begun] = await where.found({})
        await where.run()
        sink.answerWith({ status: 200 })
        const [calm] = await where.found({})
        await where.pass(HOUR_MS, 15 * MINUTE_MS)
        assert.equal(receivedOn(where).length, 1, 'it waits since 22:00')
        const [urgent] = await where.found({ urgency: 5 })
        await where.run()
        await where.pass(HOUR_MS, 15 * MINUTE_MS)
        const preview = await where.deliveries.waitingCounts(['c'])
        assert.deepEqual([preview.get('c')!.entries, preview.get('c')!.messages], [1, 1])
        await where.pass(8 * HOUR_MS, HOUR_MS / 4)
        show(where, 'a message that failed at 21:59, and an urgent one at 22:59')
        const [failed, broke, first, second, ...others] = receivedOn(where)
        assert.deepEqual(others, [])
        assert.deepEqual(broke!.annotations, [urgent!.id])
        assert.equal(shown(broke!.at), '2026-06-01T22:59')
        assert.deepEqual([first!.id, first!.annotations], [failed!.id, [begun!.id]], 'under the id that it has')
        assert.deepEqual(second!.annotations, [calm!.id])
        for (const { at } of [first!, second!]) assert.ok(at >= utc('2026-06-02T07:00'), shown(at))
      }),
    )
  })

  describe(`digests (${engine.name})`, () => {
    const changes = [
      {
        what: 'at a time that is skipped in spring leave after the gap',
        ...{ from: '2026-03-27T12:00', to: '2026-03-31T12:00' },
        times: ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30', '2026-03-31T00:30'],
      },
      {
        what: 'at a time that comes twice in autumn leave once',
        ...{ from: '2026-10-23T12:00', to: '2026-10-27T12:00' },
        times: ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
      },
    ]
    for (const { what, from, to, times } of changes)
      test(
        what,
        place(async (where) => {
          await where.setProfile('p', { cadence: 'daily 02:30' })
          await where.setAccount({ timeZone: 'Europe/Berlin' })
          const found = await live(where, from, to, 6 * HOUR_MS)
          show(where, `daily 02:30 in Berlin, a change every six hours: digests ${what}`, 'Europe/Berlin')
          const received = receivedOn(where)
          assert.deepEqual(timesOf(received), times)
          const told = received.flatMap(({ annotations }) => annotations)
          assert.deepEqual(told, found.slice(0, told.length), 'each once, in order')
          assert.ok(found.length - told.length <= 2, 'what was found since waits for tomorrow')
        }),
      )

    test(
      'are sent hourly, every 15 minutes or weekly, with everything since the last one',
      place(async (where) => {
        for (const id of ['hour', 'quarter', 'week']) await where.addChannel(id)
        await where.setProfile('h', { channels: ['hour'], cadence: 'hourly' })
        await where.setProfile('q', { channels: ['quarter'], cadence: 'every 15m' })
        await where.setProfile('w', { channels: ['week'], cadence: 'weekly tue 13:00' })
        await where.pass(5 * MINUTE_MS)
        for (let n = 0; n < 6; n++) {
          await where.found({ profile: 'h' }, { profile: 'q' }, { profile: 'w' })
          await where.pass(10 * MINUTE_MS)
        }
        await where.pass(25 * HOUR_MS, HOUR_MS / 4)
        const minutes = (channel: string) =>
          receivedOn(where, channel).map(({ at, annotations }) => [(at - START) / MINUTE_MS, annotations.length])
        assert.deepEqual(minutes('hour'), [[65, 6]])
        assert.deepEqual(
          minutes('quarter').reduce((sum, [, count]) => sum + count!, 0),
          6,
        )
        assert.ok(minutes('quarter').length >= 3)
        assert.deepEqual(minutes('week'), [[25 * 60 + 5, 6]])
      }),
    )

    test(
      'leave out annotations read or archived before sending, and are not sent when empty',
      place(async (where) => {
        const { inbox } = where
        await where.setProfile('p', { cadence: 'hourly' })
        const [one, two, three] = await where.found({}, {}, {})
        await where.run()
        await inbox.mark('ann', [one!.id], { read: true })
        await inbox.mark('ann', [three!.id], { archived: true })
        await where.pass(HOUR_MS)
        assert.deepEqual(annotationsOn(where), [[two!.id]])
        const [four] = await where.found({})
        await where.run()
        await inbox.mark('ann', [four!.id], { read: true })
        await where.pass(2 * HOUR_MS, HOUR_MS)
        assert.equal(receivedOn(where).length, 1)
        assert.equal((await where.deliveries.waitingCounts(['c'])).size, 0)
      }),
    )

    test(
      'are overtaken by urgent annotations',
      place(async (where) => {
        await where.setProfile('p', { cadence: 'daily 08:00', urgentFrom: 5 })
        const [calm, urgent] = await where.found({}, { urgency: 5 })
        await where.run()
        assert.deepEqual(annotationsOn(where), [[urgent!.id]])
        await where.pass(20 * HOUR_MS, HOUR_MS)
        assert.deepEqual(annotationsOn(where), [[urgent!.id], [calm!.id]])
      }),
    )

    test(
      'respect quiet hours added after their entries were planned',
      place(async (where) => {
        await where.setProfile('p', { cadence: 'hourly' })
        const [one] = await where.found({})
        await where.run()
        await where.setProfile('p', { cadence: 'hourly', quiet: { zone: 'UTC', from: '12:30', to: '15:00' } })
        await where.pass(2 * HOUR_MS, HOUR_MS)
        assert.deepEqual(annotationsOn(where), [])
        await where.pass(HOUR_MS)
        assert.deepEqual(annotationsOn(where), [[one!.id]])
      }),
    )
  })

  describe(`the hourly limit (${engine.name})`, () => {
    test(
      'collects further messages into one digest',
      place(async (where) => {
        await where.setProfile('p', { perHour: 2 })
        const [one, two] = await where.found({}, {})
        await where.run()
        await where.pass(10 * MINUTE_MS)
        const rest = await where.found({}, {}, {})
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id], [two!.id]])
        const [more] = await where.found({})
        await where.pass(2 * HOUR_MS, 5 * MINUTE_MS)
        const [, , digest, ...others] = receivedOn(where)
        assert.deepEqual(others, [])
        assert.deepEqual(digest!.annotations, [...idsOf(rest), more!.id])
        assert.equal(digest!.at, START + HOUR_MS)
      }),
    )

    test(
      'of one profile does not delay another',
      place(async (where) => {
        await where.setProfile('p', { perHour: 1 })
        await where.setProfile('q', {})
        const [one, , three] = await where.found({}, {}, { profile: 'q' })
        await where.run()
        assert.deepEqual(annotationsOn(where), [[one!.id], [three!.id]])
      }),
    )
  })

  describe(`escalation (${engine.name})`, () => {
    test(
      'sends only urgent annotations that were not read in time to the second channel',
      place(async (where) => {
        await where.addChannel('second')
        await where.setProfile('p', { escalation: { channel: 'second', after: '30m', urgency: 5 } })
        const [unread, read, calm] = await where.found({ urgency: 5 }, { urgency: 6 }, { urgency: 4 })
        await where.run()
        await where.pass(20 * MINUTE_MS)
        await where.inbox.mark('ann', [read!.id], { read: true })
        assert.deepEqual(annotationsOn(where, 'second'), [])
        await where.pass(10 * MINUTE_MS)
        assert.deepEqual(annotationsOn(where, 'c'), [[unread!.id], [read!.id], [calm!.id]])
        assert.deepEqual(annotationsOn(where, 'second'), [[unread!.id]])
        assert.equal(receivedOn(where, 'second')[0]!.at, START + 30 * MINUTE_MS)
        await where.pass(2 * HOUR_MS, HOUR_MS)
        assert.equal(receivedOn(where, 'second').length, 1)
      }),
    )

    test(
      'is dropped when the profile no longer escalates',
      place(async (where) => {
        await where.addChannel('second')
        await where.setProfile('p', { escalation: { channel: 'second', after: '30m', urgency: 5 } })
        await where.found({ urgency: 5 })
        await where.run()
        await where.setProfile('p', {})
        await where.pass(HOUR_MS)
        assert.deepEqual(annotationsOn(where, 'second'), [])
        assert.equal((await where.deliveries.waitingCounts(['second'])).size, 0)
      }),
    )
  })
}
