import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { CrawlSnapshot } from '../../core/reports/crawl-report.ts'
import { createRateWindow } from './rate-window.ts'

const EVERY_MS = 5000

/** A log line with the crawl's figures every five seconds, for those who watch no terminal. */
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
