import type { Clock } from '../../core/clock.ts'
import type { CrawlSnapshot } from '../../core/reports/crawl-report.ts'
import { createRateWindow } from './rate-window.ts'
import type { StatusLine } from './status-line.ts'
import { formatCount, formatSize, formatSpan, printable } from './terminal-text.ts'

type ProgressDeps = { line: StatusLine; clock: Clock; maxPages: number | null }

/** Shows a crawl's figures on the status line each time it is told of them. */
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
    `hosts ${formatCount(hostsActive)} active, ${formatCount(hostsResting)} resting`,
    formatSize(bytes),
  ]
}
