import { checkWeb, crawlEnd, endAll, withClusterWeb } from './cluster-web.ts'
import { runAlone } from './experiment.ts'

/** A cluster whose database is stopped in the middle of a crawl, for longer than a lease, and started again. */
const defaults = {
  workers: 2,
  pages: 6000,
  hosts: 60,
  fetchers: 64,
  threads: 1,
  delayMs: 200,
  latencyMs: 20,
  leaseMs: 15_000,
  /** How long the database is down. */
  awayMs: 20_000,
  /** Whether to connect through PgBouncer. */
  pooler: false,
  patienceMs: 300_000,
}

/** The share of the web after which the database is stopped. */
const AWAY_FROM = 0.3

export function runRestartPostgres(given: Partial<typeof defaults> = {}) {
  const options = { ...defaults, ...given }
  const { workers, patienceMs } = options
  return withClusterWeb(options, async (web, faults) => {
    const { origin, server } = web
    const crawl = web.crawl()
    const others = Array.from({ length: workers - 1 }, (_, n) => web.worker(`worker-${n + 1}`))
    await origin.reached(Math.round(origin.documents * AWAY_FROM), AbortSignal.timeout(patienceMs))
    await server.stop()
    const askedBefore = (await origin.stats()).distinct
    await new Promise((resolve) => setTimeout(resolve, options.awayMs))
    const askedMeanwhile = (await origin.stats()).distinct - askedBefore
    await server.start()
    const result = await crawlEnd(crawl, patienceMs, faults)
    await endAll(others, faults)
    const report = await checkWeb(web, { ...options, losses: workers }, faults)
    return { ...report, askedBefore, askedMeanwhile, result }
  })
}

if (import.meta.main) await runAlone(defaults, runRestartPostgres)
