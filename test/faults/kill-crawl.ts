import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../bench/origin/random.ts'
import { type Origin, startOrigin } from '../../bench/origin/start.ts'
import { lastLines, readResult, startErace, startWebCrawl } from '../kit/erace.ts'
import { readKillOptions } from './command-line.ts'
import { readWarcFolder } from './warc-records.ts'

/**
 * A crawl that is killed without warning again and again and continued each time. The origin, in a process of its own,
 * counts the requests; a kill comes after a random number of them, so that the kills are spread over the whole crawl.
 * In between some kills come while the program starts, when it repairs what the kill before left.
 */
export type KillCrawlOptions = {
  rounds: number
  pages: number
  hosts: number
  fetchers: number
  threads: number
  latencyMs: number
  seed: number
  /** A limit for each wait: a crawl that hangs is a fault, not a script that never ends. */
  patienceMs: number
  keep: boolean
}

export type KillCrawlReport = {
  rounds: number
  startKills: number
  pages: number
  requests: number
  /** Requests beyond one for each page: what was asked for before a kill and not marked done by then. */
  excess: number
  /** The most that the kills may cost: what can be in flight at once, for each kill. */
  excessLimit: number
  /** The most repeats between two kills. */
  worstRound: number
  robotsRequests: number
  storedOnce: number
  storedTwice: number
  warcRecords: number
  seconds: number
  result: Record<string, unknown> | undefined
  status: Record<string, unknown> | undefined
  /** Empty when everything held. */
  faults: string[]
}

export const killCrawlDefaults: KillCrawlOptions = {
  rounds: 50,
  pages: 10_000,
  hosts: 4,
  fetchers: 32,
  threads: 2,
  latencyMs: 4,
  seed: 1,
  patienceMs: 300_000,
  keep: false,
}

export async function runKillCrawl(given: Partial<KillCrawlOptions> = {}): Promise<KillCrawlReport> {
  const options = { ...killCrawlDefaults, ...given }
  const { pages, hosts, seed, latencyMs } = options
  const origin = await startOrigin({ pages, hosts, seed, latencyMs, meanBytes: 8000, links: 25 })
  const data = mkdtempSync(join(tmpdir(), 'erace-kill-'))
  const startedAt = performance.now()
  try {
    const kills = await killAgainAndAgain(origin, data, options)
    const report = await finishAndCheck(origin, data, options, kills)
    return { ...report, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    await origin.close()
    if (!options.keep) rmSync(data, { recursive: true, force: true })
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
    crawl.child.kill('SIGKILL')
    const end = await crawl.ended
    await origin.mark()
    if (first === 'late') kills.faults.push(`round ${kills.rounds}: ${gap} requests did not come in time`)
    else if (first !== 'reached')
      kills.faults.push(`round ${kills.rounds}: the crawl ended by itself with ${end.exitCode}: ${lastLines(end)}`)
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
  crawl.child.kill('SIGKILL')
  await crawl.ended
  await origin.mark()
}

/**
 * Cuts most of the crawl at random places into as many parts as there are rounds. The rest is left to what is asked
 * for between the moment of a kill and its effect, so that the last kill, too, finds a crawl that is not finished.
 */
function drawGaps({ rounds, pages }: KillCrawlOptions, next: () => number): number[] {
  const cuts = Array.from({ length: rounds }, () => next()).sort((a, b) => a - b)
  return cuts.map((cut, at) => Math.max(1, Math.round((cut - (cuts[at - 1] ?? 0)) * pages * 0.8)))
}

async function finishAndCheck(origin: Origin, data: string, options: KillCrawlOptions, kills: Kills) {
  const faults = [...kills.faults]
  const command = async (name: string, run: ReturnType<typeof startErace>) => {
    const timer = setTimeout(() => run.child.kill('SIGKILL'), options.patienceMs)
    const end = await run.ended
    clearTimeout(timer)
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
    excess: stats.duplicates,
    excessLimit: killCount * options.fetchers,
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
  if (result?.finished !== true) faults.push('the last crawl does not say that it is finished')
  if (stats.distinct !== origin.documents)
    faults.push(`${origin.documents - stats.distinct} pages were never asked for`)
  if (report.storedOnce !== origin.documents)
    faults.push(
      `${report.storedOnce} of ${origin.documents} pages are stored once, ${report.storedTwice} more than once`,
    )
  if (report.excess > report.excessLimit)
    faults.push(`${report.excess} requests in excess, ${report.excessLimit} could be in flight`)
  return { ...report, faults }
}

if (import.meta.main) {
  const report = await runKillCrawl(readKillOptions())
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}
