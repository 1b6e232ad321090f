import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { lastLines, readResult, startErace } from '../kit/erace.ts'
import { isRobots, maxOpenConnections, type RequestLogEntry, shortestPauseMs } from '../site/request-log.ts'
import { createGate, createSite } from '../site/site.ts'

/**
 * Two hosts in one crawl, one of them slow. The origin's log tells whether the fast one was crawled meanwhile as fast
 * as its delay allows, and whether each host was asked by one connection at a time with the delay kept.
 */
export type SlowHostOptions = {
  fastPages: number
  slowPages: number
  delayMs: number
  /** The slow host's time for an answer; `held` holds its first page until the fast host is done, whatever that takes. */
  slowMs: number | 'held'
}

export type SlowHostReport = {
  fastPages: number
  slowPages: number
  /** Pages a second of the fast host, from its first request to its last answer, and what its delay allows at most. */
  fastPerSecond: number
  fastPerSecondAtBest: number
  /** Answers of the slow host in the time that the fast one took. */
  slowMeanwhile: number
  maxConnections: number[]
  shortestPausesMs: number[]
  result: Record<string, unknown> | undefined
  faults: string[]
}

const [fast, slow] = [0, 1]
/** A timer counts whole milliseconds and may fire up to one early. The log itself never makes a pause shorter. */
const toleranceMs = 1

export const slowHostDefaults: SlowHostOptions = { fastPages: 200, slowPages: 4, delayMs: 50, slowMs: 5000 }

export async function runSlowHost(given: Partial<SlowHostOptions> = {}): Promise<SlowHostReport> {
  const options = { ...slowHostDefaults, ...given }
  const gate = createGate()
  let fastAnswers = 0
  const site = await createSite({
    addresses: ['127.0.0.2', '127.0.0.3'],
    pages: options.fastPages,
    apart: true,
    linksPerPage: 3,
    latenciesMs: [0, options.slowMs === 'held' ? 0 : options.slowMs],
    onAnswered(entry) {
      if (entry.hostIndex === fast && !isRobots(entry) && ++fastAnswers === options.fastPages) gate.open()
    },
  })
  setSlowPages(site, options, gate.opened)
  const data = mkdtempSync(join(tmpdir(), 'erace-slow-'))
  try {
    const seeds = [`${site.origin(slow)}/`, `${site.origin(fast)}/`]
    const limits = ['--delay', `${options.delayMs}`, '--per-host', '1', '--fetchers', '8', '--allow-net', '127.0.0.0/8']
    const end = await startErace(['crawl', ...seeds, '--data', data, '--json', '--quiet', ...limits]).ended
    const faults = end.exitCode === 0 ? [] : [`the crawl ended with ${end.exitCode}: ${lastLines(end)}`]
    return judge(site.log, options, readResult(end), faults)
  } finally {
    gate.open()
    await site.close()
    rmSync(data, { recursive: true, force: true })
  }
}

/** The slow host has few pages in a row, none of them linked with the fast one. */
function setSlowPages(
  site: Awaited<ReturnType<typeof createSite>>,
  options: SlowHostOptions,
  opened: Promise<void>,
): void {
  for (let page = 0; page < options.slowPages; page++) {
    const next = page + 1 < options.slowPages ? `<a href="/slow/${page + 1}">next</a>` : ''
    const held = options.slowMs === 'held' && page === 0 ? { until: opened } : {}
    site.set(page === 0 ? '/' : `/slow/${page}`, { body: `<title>Slow ${page}</title>${next}`, ...held }, slow)
  }
}

function judge(
  log: RequestLogEntry[],
  options: SlowHostOptions,
  result: SlowHostReport['result'],
  faults: string[],
): SlowHostReport {
  const answered = (hostIndex: number) =>
    log.filter((entry) => entry.hostIndex === hostIndex && !isRobots(entry) && entry.status === 200)
  const pages = answered(fast)
  const startedAtMs = pages[0]?.startedAtMs ?? 0
  const endedAtMs = pages.at(-1)?.endedAtMs ?? 0
  const report: SlowHostReport = {
    fastPages: pages.length,
    slowPages: answered(slow).length,
    fastPerSecond: (pages.length / (endedAtMs - startedAtMs)) * 1000,
    fastPerSecondAtBest: 1000 / options.delayMs,
    slowMeanwhile: answered(slow).filter((entry) => (entry.endedAtMs ?? 0) < endedAtMs).length,
    maxConnections: [fast, slow].map((hostIndex) => maxOpenConnections(log, hostIndex)),
    shortestPausesMs: [fast, slow].map((hostIndex) => shortestPauseMs(log, hostIndex)),
    result,
    faults,
  }
  if (report.fastPages !== options.fastPages)
    faults.push(`the fast host answered ${report.fastPages} of ${options.fastPages} pages`)
  if (report.slowPages !== options.slowPages)
    faults.push(`the slow host answered ${report.slowPages} of ${options.slowPages} pages`)
  if (options.slowMs === 'held' && report.slowMeanwhile > 0) faults.push('the slow host was not slow')
  if (report.maxConnections.some((count) => count > 1))
    faults.push(`connections per host: ${report.maxConnections.join(', ')}`)
  if (report.shortestPausesMs.some((pauseMs) => pauseMs < options.delayMs - toleranceMs))
    faults.push(`the delay of ${options.delayMs} ms was cut to ${report.shortestPausesMs.join(', ')}`)
  return report
}

if (import.meta.main) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { 'fast-pages': text, 'slow-pages': text, delay: text, slow: text } })
  const report = await runSlowHost({
    fastPages: Number(values['fast-pages'] ?? slowHostDefaults.fastPages),
    slowPages: Number(values['slow-pages'] ?? slowHostDefaults.slowPages),
    delayMs: Number(values.delay ?? slowHostDefaults.delayMs),
    slowMs: values.slow === 'held' ? 'held' : Number(values.slow ?? slowHostDefaults.slowMs),
  })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}
