import { parseArgs } from 'node:util'
import { countStored, mostInHand, type StoredOnce, startClusterWeb } from './cluster-web.ts'
import { lastLines, readResult } from './erace.ts'

/** A cluster whose database is stopped in the middle of a crawl, for longer than a lease lasts, and started again. */
export type RestartPostgresOptions = {
  workers: number
  pages: number
  hosts: number
  fetchers: number
  threads: number
  delayMs: number
  latencyMs: number
  leaseMs: number
  /** How long the database is away. */
  awayMs: number
  patienceMs: number
}

export type RestartPostgresReport = {
  pages: number
  requests: number
  excess: number
  excessLimit: number
  shortestPauseMs: number | null
  /** Documents that were asked for when the database went, and when it came back. */
  askedBefore: number
  askedMeanwhile: number
  stored: StoredOnce
  seconds: number
  result: Record<string, unknown> | undefined
  faults: string[]
}

export const restartPostgresDefaults: RestartPostgresOptions = {
  workers: 2,
  pages: 6000,
  hosts: 60,
  fetchers: 64,
  threads: 1,
  delayMs: 200,
  latencyMs: 20,
  leaseMs: 15_000,
  awayMs: 20_000,
  patienceMs: 300_000,
}

const AWAY_FROM = 0.3
const TOLERANCE_MS = 1

export async function runRestartPostgres(given: Partial<RestartPostgresOptions> = {}): Promise<RestartPostgresReport> {
  const options = { ...restartPostgresDefaults, ...given }
  const { pages, hosts, latencyMs, workers, patienceMs } = options
  const cluster = await startClusterWeb({ ...options, web: { pages, hosts, latencyMs, meanBytes: 8000, links: 25 } })
  const { origin, server, pool } = cluster
  const startedAt = performance.now()
  const faults: string[] = []
  try {
    const crawl = cluster.crawl()
    const helpers = Array.from({ length: workers - 1 }, (_, n) => cluster.worker(`worker-${n + 1}`))
    await origin.reached(Math.round(origin.documents * AWAY_FROM), AbortSignal.timeout(patienceMs))
    await server.stop()
    const askedBefore = (await origin.stats()).distinct
    await new Promise((resolve) => setTimeout(resolve, options.awayMs))
    const askedMeanwhile = (await origin.stats()).distinct - askedBefore
    await server.start()
    const limit = setTimeout(() => crawl.child.kill('SIGKILL'), patienceMs)
    const end = await crawl.ended
    clearTimeout(limit)
    if (end.exitCode !== 0) faults.push(`the crawl ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
    const result = readResult(end)
    if (result?.finished !== true) faults.push('the crawl does not say that it is finished')
    for (const { child, ended } of helpers) {
      if (child.exitCode !== null) faults.push('a worker had ended by itself')
      child.kill('SIGTERM')
      const worker = await ended
      if (worker.exitCode !== 0) faults.push(`a worker ended with ${worker.exitCode}: ${lastLines(worker)}`)
    }
    const stats = await origin.stats()
    const stored = await countStored(pool)
    if (stored.once !== origin.documents || stored.twice > 0 || stored.queued > 0)
      faults.push(`${stored.once} pages are stored once, ${stored.twice} more than once, ${stored.queued} are queued`)
    const excessLimit = workers * mostInHand(options.fetchers)
    if (stats.duplicates > excessLimit)
      faults.push(`${stats.duplicates} requests in excess, ${excessLimit} could be in hand`)
    if (stats.shortestPauseMs !== null && stats.shortestPauseMs < options.delayMs - TOLERANCE_MS)
      faults.push(`a host was asked again after ${stats.shortestPauseMs} ms, the delay is ${options.delayMs}`)
    return {
      pages: origin.documents,
      requests: stats.requests,
      excess: stats.duplicates,
      excessLimit,
      shortestPauseMs: stats.shortestPauseMs,
      askedBefore,
      askedMeanwhile,
      stored,
      seconds: (performance.now() - startedAt) / 1000,
      result,
      faults,
    }
  } finally {
    await cluster.close()
  }
}

if (import.meta.main) {
  const names = Object.keys(restartPostgresDefaults)
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
  const report = await runRestartPostgres(given)
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}
