import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { CrawlSnapshot } from '../../core/reports/crawl-report.ts'
import type { StatusLine } from './status-line.ts'
import { formatCount, formatSize, formatSpan, printable } from './terminal-text.ts'

type ProgressDeps = { line: StatusLine; clock: Clock; maxPages: number | null }

/** Shows the crawl's stats on the status line after each update. */
export function createProgressLine({ line, clock, maxPages }: ProgressDeps): (snapshot: CrawlSnapshot) => void {
  const rate = createRateWindow()
  return (snapshot) => line.draw(pieces(snapshot, rate.add(clock.monotonic(), snapshot.fetched), maxPages))
}

function pieces(snapshot: CrawlSnapshot, perSecond: number, maxPages: number | null): string[] {
  const { fetched, failed, queued, bytes, hostsActive, hostsResting, paused } = snapshot
  const left = maxPages === null ? undefined : Math.max(0, maxPages - fetched)
  return [
    ...(paused === undefined ? [] : [`paused: ${printable(paused)}`]),
    `${perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond))} pages/s`,
    `${formatCount(fetched)} fetched`,
    ...(left === undefined || perSecond <= 0 ? [] : [`ETA ${formatSpan(left / perSecond)}`]),
    `${formatCount(queued)} queued`,
    `${formatCount(failed)} errors`,
    `hosts ${formatCount(hostsActive)} active, ${formatCount(hostsResting)} backing off`,
    formatSize(bytes),
  ]
}

/** The rate covers this time: long enough to be steady, short enough to show a change. */
const WINDOW_MS = 5000
const MAX_SAMPLES = 64

type RateWindow = {
  /** Adds a sample of a growing count and returns its recent growth per second. */
  add(atMs: number, count: number): number
}

function createRateWindow(): RateWindow {
  const samples: { atMs: number; count: number }[] = []
  return {
    add(atMs, count) {
      samples.push({ atMs, count })
      while (samples.length > MAX_SAMPLES || (samples.length > 2 && atMs - samples[1]!.atMs >= WINDOW_MS))
        samples.shift()
      const first = samples[0]!
      return atMs > first.atMs ? ((count - first.count) * 1000) / (atMs - first.atMs) : 0
    },
  }
}

const EVERY_MS = 5000

/** Without a terminal: a log line with the crawl's stats every five seconds. */
export function createStatisticsLog({ log, clock }: { log: Logger; clock: Clock }): (snapshot: CrawlSnapshot) => void {
  const rate = createRateWindow()
  let lastMs = clock.monotonic()
  return (snapshot) => {
    const nowMs = clock.monotonic()
    const perSecond = rate.add(nowMs, snapshot.fetched)
    if (nowMs - lastMs < EVERY_MS) return
    lastMs = nowMs
    log.info({ ...snapshot, perSecond: Math.round(perSecond * 10) / 10 }, 'crawling')
  }
}
