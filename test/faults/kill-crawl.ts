import { createRandom } from '../../bench/origin/random.ts'
import { type Origin, startOrigin } from '../../bench/origin/start.ts'
import { type EraceProcess, lastLines, readResult, startErace, startWebCrawl } from '../kit/erace.ts'
import { inFolder, runAlone, timed } from './experiment.ts'
import { readWarcFolder } from './warc-records.ts'

/**
 * A crawl that is killed repeatedly and continued each time. The origin, in its own process, counts the requests;
 * kills come after random numbers of them, spread over the whole crawl. Some kills come while the program starts and
 * repairs what the previous kill left.
 */
const defaults = {
  rounds: 50,
  pages: 10_000,
  hosts: 4,
  fetchers: 32,
  threads: 2,
  latencyMs: 4,
  seed: 1,
  /** Timeout of each wait: a crawl that hangs is a fault. */
  patienceMs: 300_000,
  keep: false,
}
type KillCrawlOptions = typeof defaults

export async function runKillCrawl(given: Partial<KillCrawlOptions> = {}) {
  const options = { ...defaults, ...given }
  const { pages, hosts, seed, latencyMs, keep } = options
  const origin = await startOrigin({ pages, hosts, seed, latencyMs, meanBytes: 8000, links: 25 })
  try {
    return await inFolder('kill-crawl', keep, (data) =>
      timed(async () => {
        const kills = await killAgainAndAgain(origin, data, options)
        return finishAndCheck(origin, data, options, kills)
      }),
    )
  } finally {
    await origin.close()
  }
}

type Kills = { rounds: number; startKills: number; faults: string[] }

function startCrawl(origin: Origin, data: string, { fetchers, hosts, threads }: KillCrawlOptions) {
  return startWebCrawl(origin, data, { fetchers, perHost: Math.ceil(fetchers / hosts), threads })
}

async function killAgainAndAgain(origin: Origin, data: string, options: KillCrawlOptions): Promise<Kills> {
  const random = createRandom(options.seed)
  const kills: Kills = { rounds: 0, startKills: 0, faults: [] }
  for (const gap of drawGaps(options, random.next)) {
    const { requests } = await origin.stats()
    const crawl = startCrawl(origin, data, options)
    const stop = new AbortController()
    const reached = origin.reached(
      requests + gap,
      AbortSignal.any([stop.signal, AbortSignal.timeout(options.patienceMs)]),
    )
    const first = await Promise.race([
      reached.then(
        () => 'reached' as const,
        () => 'late' as const,
      ),
      crawl.ended,
    ])
    stop.abort()
    const end = await crawl.stop('SIGKILL')
    await origin.mark()
    if (first === 'late') kills.faults.push(`round ${kills.rounds}: ${gap} requests did not arrive in time`)
    else if (first !== 'reached')
      kills.faults.push(`round ${kills.rounds}: the crawl ended unexpectedly with ${end.exitCode}: ${lastLines(end)}`)
    if (first !== 'reached') return kills
    kills.rounds++
    if (kills.rounds % 10 === 0) {
      await killDuringStart(origin, data, options, random.below(600))
      kills.startKills++
    }
  }
  return kills
}

async function killDuringStart(
  origin: Origin,
  data: string,
  options: KillCrawlOptions,
  afterMs: number,
): Promise<void> {
  const crawl = startCrawl(origin, data, options)
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  await crawl.stop('SIGKILL')
  await origin.mark()
}

/**
 * Splits most of the crawl at random into as many parts as there are rounds. The rest covers the requests between a kill
 * and its effect, so that even the last kill hits an unfinished crawl.
 */
function drawGaps({ rounds, pages }: KillCrawlOptions, next: () => number): number[] {
  const cuts = Array.from({ length: rounds }, () => next()).sort((a, b) => a - b)
  return cuts.map((cut, at) => Math.max(1, Math.round((cut - (cuts[at - 1] ?? 0)) * pages * 0.8)))
}

async function finishAndCheck(origin: Origin, data: string, options: KillCrawlOptions, kills: Kills) {
  const faults = [...kills.faults]
  const command = async (name: string, run: EraceProcess) => {
    const end = await run.endWithin(options.patienceMs)
    if (end.exitCode !== 0) faults.push(`${name} ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
    return readResult(end)
  }
  const result = await command('the last crawl', startCrawl(origin, data, options))
  await origin.mark()
  const stats = await origin.stats()
  const status = await command('status', startErace(['status', '--data', data, '--json']))
  await command('verify', startErace(['verify', '--data', data, '--json']))
  const warc = await readWarcFolder(data)
  const counts = [...warc.responses.values()]
  const killCount = kills.rounds + kills.startKills
  const report = {
    rounds: kills.rounds,
    startKills: kills.startKills,
    pages: origin.documents,
    requests: stats.requests,
    /** Requests beyond one per page: those in flight at a kill. */
    excess: stats.duplicates,
    excessLimit: killCount * options.fetchers,
    /** Maximum number of repeats between two kills. */
    worstRound: Math.max(0, ...stats.rounds.map((round) => round.duplicates)),
    robotsRequests: stats.robots,
    storedOnce: counts.filter((count) => count === 1).length,
    storedTwice: counts.filter((count) => count > 1).length,
    warcRecords: warc.records,
    result,
    status,
  }
  faults.push(...warc.faults)
  if (kills.rounds !== options.rounds)
    faults.push(`only ${kills.rounds} of ${options.rounds} kills met a running crawl`)
  if (result?.finished !== true) faults.push('the last crawl is not finished')
  if (stats.distinct !== origin.documents)
    faults.push(`${origin.documents - stats.distinct} pages were never requested`)
  if (report.storedOnce !== origin.documents)
    faults.push(
      `${report.storedOnce} of ${origin.documents} pages are stored once, ${report.storedTwice} more than once`,
    )
  if (report.excess > report.excessLimit)
    faults.push(`${report.excess} repeated requests, at most ${report.excessLimit} could be in flight`)
  return { ...report, faults }
}

if (import.meta.main) await runAlone(defaults, runKillCrawl)
