import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { createProgressLine, createStatisticsLog } from './crawl-progress.ts'
import { createLog } from './log.ts'
import { createStatusLine } from './status-line.ts'

const snapshot = {
  fetched: 0,
  stored: 0,
  failed: 7,
  queued: 1_204_332,
  bytes: 345_600_000,
  hostsActive: 12,
  hostsResting: 3,
}

/** What a terminal would show: each carriage return moves the cursor back, and further text overwrites the line. */
function screen(text: string): string[] {
  return text.split('\n').map((row) => {
    const cells: string[] = []
    for (const part of row.split('\r')) cells.splice(0, part.length, ...part)
    return cells.join('').trimEnd()
  })
}

function setUp(columns: number, maxPages: number | null = null) {
  let written = ''
  const terminal = { isTTY: true, columns, write: (text: string) => (written += text) }
  const line = createStatusLine(terminal)
  const clock = createManualClock()
  const show = createProgressLine({ line, clock, maxPages })
  return { line, clock, show, rows: () => screen(written) }
}

test('the progress line shows rate, counts, ETA, errors, hosts and size', () => {
  const { show, clock, rows } = setUp(200, 100_000)
  show(snapshot)
  for (let i = 1; i <= 60; i++) {
    clock.advance(200)
    show({ ...snapshot, fetched: i * 100 })
  }
  assert.deepEqual(rows(), [
    '500 pages/s · 6,000 fetched · ETA 3m08s · 1,204,332 queued · 7 errors · hosts 12 active, 3 backing off · 346 MB',
  ])
})

test('the rate adapts to a change within seconds', () => {
  const { show, clock, rows } = setUp(30)
  show(snapshot)
  clock.advance(60_000)
  show({ ...snapshot, fetched: 60_000 })
  for (let i = 0; i < 30; i++) {
    clock.advance(200)
    show({ ...snapshot, fetched: 60_000 })
  }
  assert.deepEqual(rows(), ['0.0 pages/s · 60,000 fetched'])
})

test('the line drops trailing fields on a narrow terminal and never wraps', () => {
  for (const columns of [1, 5, 20, 40, 60, 80]) {
    const { show, rows } = setUp(columns)
    show(snapshot)
    assert.ok(rows()[0]!.length < columns, String(columns))
  }
  const { show, rows } = setUp(50)
  show(snapshot)
  assert.deepEqual(rows(), ['0.0 pages/s · 0 fetched · 1,204,332 queued'])
})

test('a paused crawl shows the reason first', () => {
  const { show, rows } = setUp(50)
  show({ ...snapshot, paused: 'the disk is full' })
  assert.match(rows()[0]!, /^paused: the disk is full · /)
})

test('a shorter line fully overwrites a longer one, and log lines appear above it', () => {
  const { show, line, rows } = setUp(50)
  show({ ...snapshot, fetched: 1_000_000 })
  line.sink.write('a log line\n')
  show(snapshot)
  assert.deepEqual(rows(), ['a log line', '0.0 pages/s · 0 fetched · 1,204,332 queued'])
  line.clear()
  assert.deepEqual(rows(), ['a log line', ''])
})

test('statistics are logged every five seconds, however often they are updated', () => {
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
