import { type EraceProcess, lastLines } from '../kit/erace.ts'
import { type ClusterWeb, checkWeb, crawlEnd, endAll, withClusterWeb } from './cluster-web.ts'
import { runAlone } from './experiment.ts'

/**
 * A cluster whose processes are killed one after another and replaced while it crawls many hosts with a delay. The
 * command that started the crawl is a worker like the others and is killed as well. The origin counts the requests and
 * measures the pauses between them.
 */
const defaults = {
  workers: 4,
  pages: 20_000,
  hosts: 200,
  fetchers: 64,
  threads: 1,
  delayMs: 400,
  latencyMs: 20,
  leaseMs: 15_000,
  /** Time between two kills … */
  everyMs: 5000,
  /** … or, if not 0, the number of requests between them. */
  everyRequests: 0,
  /** Whether to connect through PgBouncer. */
  pooler: false,
  patienceMs: 600_000,
}
type KillWorkersOptions = typeof defaults

/** The share of the web after which kills end, so that the last one hits an unfinished crawl. */
const KILL_UNTIL = 0.9

export function runKillWorkers(given: Partial<KillWorkersOptions> = {}) {
  const options = { ...defaults, ...given }
  return withClusterWeb(options, async (web, faults) => {
    const fleet = createFleet(web, options)
    const kills = await killOneByOne(web, fleet, options, faults)
    const result = await crawlEnd(fleet.crawl(), options.patienceMs, faults)
    await endAll(fleet.workers(), faults)
    const verify = await web.erace('verify', '--json').ended
    if (verify.exitCode !== 0) faults.push(`verify ended with ${verify.exitCode}: ${lastLines(verify)}`)
    const report = await checkWeb(web, { ...options, losses: kills }, faults)
    return { kills, ...report, delayMs: options.delayMs, result }
  })
}

type Fleet = ReturnType<typeof createFleet>

/** The first process is the command that waits for the end of the crawl. */
function createFleet(web: ClusterWeb, { workers }: KillWorkersOptions) {
  let made = 0
  const start = (index: number): EraceProcess => (index === 0 ? web.crawl() : web.worker(`worker-${++made}`))
  const processes = Array.from({ length: workers }, (_, index) => start(index))
  return {
    crawl: (): EraceProcess => processes[0]!,
    workers: (): EraceProcess[] => processes.slice(1),
    /** Kills and restarts a process; returns whether it was still running. */
    async replace(index: number): Promise<boolean> {
      const { isRunning, stop } = processes[index]!
      const wasRunning = isRunning()
      await stop('SIGKILL')
      processes[index] = start(index)
      return wasRunning
    },
  }
}

async function killOneByOne(
  { origin }: ClusterWeb,
  fleet: Fleet,
  options: KillWorkersOptions,
  faults: string[],
): Promise<number> {
  const endAt = performance.now() + options.patienceMs
  for (let kills = 0; ; kills++) {
    const { requests } = await origin.stats()
    const wanted = Math.min(requests + options.everyRequests, Math.ceil(origin.documents * KILL_UNTIL))
    if (options.everyRequests > 0) await origin.reached(wanted, AbortSignal.timeout(options.patienceMs))
    else await new Promise((resolve) => setTimeout(resolve, options.everyMs))
    if ((await origin.stats()).requests >= origin.documents * KILL_UNTIL) return kills
    if (performance.now() > endAt) {
      faults.push('the crawl did not come near its end in time')
      return kills
    }
    const index = kills % options.workers
    if (!(await fleet.replace(index))) faults.push(`process ${index} ended unexpectedly`)
  }
}

if (import.meta.main) await runAlone(defaults, runKillWorkers)
