import { lastLines, readResult, startErace } from '../kit/erace.ts'
import { isRobots, maxOpenConnections, type RequestLogEntry, shortestPauseMs } from '../site/request-log.ts'
import { createGate, createSite, type Site } from '../site/site.ts'
import { inFolder, runAlone } from './experiment.ts'

/**
 * Two hosts in one crawl, one of them slow. The origin's log shows whether the fast one was crawled as fast as its delay
 * allows, and whether each host got one connection at a time with the delay kept.
 */
const defaults = {
  fastPages: 200,
  slowPages: 4,
  delayMs: 50,
  /** The latency of the slow host; `held` delays its first page until the fast host is done. */
  slowMs: 5000 as number | 'held',
}
type SlowHostOptions = typeof defaults

type SlowHostReport = {
  fastPages: number
  slowPages: number
  /** Pages per second of the fast host from its first request to its last answer, and the maximum with its delay. */
  fastPerSecond: number
  fastPerSecondAtBest: number
  /** Answers of the slow host while the fast one was crawled. */
  slowMeanwhile: number
  maxConnections: number[]
  shortestPausesMs: number[]
  result: Record<string, unknown> | undefined
  faults: string[]
}

const [fast, slow] = [0, 1]
/** A timer counts whole milliseconds and may fire one early. The log never makes a pause shorter. */
const toleranceMs = 1

export async function runSlowHost(given: Partial<SlowHostOptions> = {}): Promise<SlowHostReport> {
  const options = { ...defaults, ...given }
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
  try {
    const seeds = [`${site.origin(slow)}/`, `${site.origin(fast)}/`]
    const limits = ['--delay', `${options.delayMs}`, '--per-host', '1', '--fetchers', '8', '--allow-net', '127.0.0.0/8']
    const end = await inFolder(
      'slow-host',
      false,
      (data) => startErace(['crawl', ...seeds, '--data', data, '--json', '--quiet', ...limits]).ended,
    )
    const faults = end.exitCode === 0 ? [] : [`the crawl ended with ${end.exitCode}: ${lastLines(end)}`]
    return check(site.log, options, readResult(end), faults)
  } finally {
    gate.open()
    await site.close()
  }
}

/** The slow host has a chain of few pages, without links to the fast one. */
function setSlowPages(site: Site, options: SlowHostOptions, opened: Promise<void>): void {
  for (let page = 0; page < options.slowPages; page++) {
    const next = page + 1 < options.slowPages ? `<a href="/slow/${page + 1}">next</a>` : ''
    const held = options.slowMs === 'held' && page === 0 ? { until: opened } : {}
    site.set(page === 0 ? '/' : `/slow/${page}`, { body: `<title>Slow ${page}</title>${next}`, ...held }, slow)
  }
}

function check(
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
  if (options.slowMs === 'held' && report.slowMeanwhile > 0) faults.push('the slow host was too fast')
  if (report.maxConnections.some((count) => count > 1))
    faults.push(`connections per host: ${report.maxConnections.join(', ')}`)
  if (report.shortestPausesMs.some((pauseMs) => pauseMs < options.delayMs - toleranceMs))
    faults.push(`the delay of ${options.delayMs} ms was shortened to ${report.shortestPausesMs.join(', ')}`)
  return report
}

if (import.meta.main) await runAlone(defaults, runSlowHost)
