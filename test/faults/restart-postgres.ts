import {
  type ClusterWebOptions,
  crawlEnd,
  endAll,
  judgeWeb,
  runAlone,
  startClusterWeb,
  type WebReport,
} from './cluster-web.ts'

/** A cluster whose database is stopped in the middle of a crawl, for longer than a lease lasts, and started again. */
export type RestartPostgresOptions = ClusterWebOptions & {
  workers: number
  /** How long the database is away. */
  awayMs: number
}

export type RestartPostgresReport = WebReport & {
  /** Documents that were asked for when the database went, and more until it came back. */
  askedBefore: number
  askedMeanwhile: number
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

export async function runRestartPostgres(given: Partial<RestartPostgresOptions> = {}): Promise<RestartPostgresReport> {
  const options = { ...restartPostgresDefaults, ...given }
  const { workers, patienceMs } = options
  const cluster = await startClusterWeb(options)
  const { origin, server } = cluster
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
    const result = await crawlEnd(crawl, patienceMs, faults)
    await endAll(helpers, faults)
    const report = await judgeWeb(cluster, { ...options, losses: workers }, faults)
    const seconds = (performance.now() - startedAt) / 1000
    return { ...report, askedBefore, askedMeanwhile, seconds, result, faults }
  } finally {
    await cluster.close()
  }
}

if (import.meta.main) await runAlone(restartPostgresDefaults, runRestartPostgres)
