import { lastLines } from '../kit/erace.ts'
import {
  type ClusterProcess,
  type ClusterWeb,
  type ClusterWebOptions,
  crawlEnd,
  endAll,
  judgeWeb,
  runAlone,
  startClusterWeb,
  type WebReport,
} from './cluster-web.ts'

/**
 * A cluster of which one process after the other is killed without warning, each time replaced by a new one, while it crawls many
 * hosts with a delay. The command that began the crawl is a worker like the others and is killed as well. The origin counts
 * the requests and measures the pauses between them.
 */
export type KillWorkersOptions = ClusterWebOptions & {
  workers: number
  /** A kill every so often, … */
  everyMs: number
  /** … or, where it is not 0, after so many more requests, whatever time they take. */
  everyRequests: number
}

export type KillWorkersReport = WebReport & {
  kills: number
  delayMs: number
  seconds: number
  result: Record<string, unknown> | undefined
  faults: string[]
}

export const killWorkersDefaults: KillWorkersOptions = {
  workers: 4,
  pages: 20_000,
  hosts: 200,
  fetchers: 64,
  threads: 1,
  delayMs: 400,
  latencyMs: 20,
  leaseMs: 15_000,
  everyMs: 5000,
  everyRequests: 0,
  patienceMs: 600_000,
}

/** Kills end when so much of the web was asked for: the last ones are to meet a crawl that is not over. */
const KILL_UNTIL = 0.9

export async function runKillWorkers(given: Partial<KillWorkersOptions> = {}): Promise<KillWorkersReport> {
  const options = { ...killWorkersDefaults, ...given }
  const web = await startClusterWeb(options)
  const startedAt = performance.now()
  try {
    const fleet = createFleet(web, options)
    const kills = await killOneByOne(web, fleet, options)
    const report = await finish(web, fleet, options, kills)
    return { ...report, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    await web.close()
  }
}

type Fleet = ReturnType<typeof createFleet>

/** The first is the command that waits for the end of the crawl. */
function createFleet(web: ClusterWeb, { workers }: KillWorkersOptions) {
  let made = 0
  const start = (place: number): ClusterProcess => (place === 0 ? web.crawl() : web.worker(`worker-${++made}`))
  const places = Array.from({ length: workers }, (_, place) => start(place))
  return {
    crawl: (): ClusterProcess => places[0]!,
    workers: (): ClusterProcess[] => places.slice(1),
    /** True where it had not ended by itself. */
    async replace(place: number): Promise<boolean> {
      const { child, ended } = places[place]!
      const ran = child.exitCode === null && child.signalCode === null
      child.kill('SIGKILL')
      await ended
      places[place] = start(place)
      return ran
    },
  }
}

type Kills = { count: number; faults: string[] }

async function killOneByOne({ origin }: ClusterWeb, fleet: Fleet, options: KillWorkersOptions): Promise<Kills> {
  const kills: Kills = { count: 0, faults: [] }
  const endAt = performance.now() + options.patienceMs
  for (;;) {
    const { requests } = await origin.stats()
    const wanted = Math.min(requests + options.everyRequests, Math.ceil(origin.documents * KILL_UNTIL))
    if (options.everyRequests > 0) await origin.reached(wanted, AbortSignal.timeout(options.patienceMs))
    else await new Promise((resolve) => setTimeout(resolve, options.everyMs))
    if ((await origin.stats()).requests >= origin.documents * KILL_UNTIL) return kills
    if (performance.now() > endAt) {
      kills.faults.push('the crawl did not come near its end in time')
      return kills
    }
    const place = kills.count % options.workers
    if (!(await fleet.replace(place))) kills.faults.push(`process ${place} had ended by itself`)
    kills.count++
  }
}

async function finish(web: ClusterWeb, fleet: Fleet, options: KillWorkersOptions, { count, faults }: Kills) {
  const result = await crawlEnd(fleet.crawl(), options.patienceMs, faults)
  await endAll(fleet.workers(), faults)
  const verify = await web.erace('verify', '--json').ended
  if (verify.exitCode !== 0) faults.push(`verify ended with ${verify.exitCode}: ${lastLines(verify)}`)
  const { delayMs, fetchers } = options
  const report = await judgeWeb(web, { delayMs, fetchers, losses: count }, faults)
  return { kills: count, ...report, delayMs, result, faults }
}

if (import.meta.main) await runAlone(killWorkersDefaults, runKillWorkers)
