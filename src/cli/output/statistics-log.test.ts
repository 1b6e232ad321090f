import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { createLog } from './log.ts'
import { createStatisticsLog } from './statistics-log.ts'

test('the figures are logged every five seconds, however often they come', () => {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  const log = createLog({ level: 'info', format: 'auto', destination, colour: false })
  const clock = createManualClock()
  const note = createStatisticsLog({ log, clock })
  const snapshot = { fetched: 0, stored: 0, failed: 0, queued: 9, bytes: 0, hostsActive: 1, hostsResting: 0 }
  for (let i = 0; i <= 60; i++) {
    note({ ...snapshot, fetched: i * 10 })
    clock.advance(200)
  }
  const entries = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    entries.map(({ msg, fetched, perSecond, queued }) => ({ msg, fetched, perSecond, queued })),
    [
      { msg: 'crawling', fetched: 250, perSecond: 50, queued: 9 },
      { msg: 'crawling', fetched: 500, perSecond: 50, queued: 9 },
    ],
  )
})
