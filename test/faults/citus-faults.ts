import { type CitusCluster, startCitusCluster } from '../../src/store/postgres/testkit/citus-cluster.testkit.ts'
import { lastLines } from '../kit/erace.ts'
import { type ClusterWeb, checkWeb, crawlEnd, endAll, withClusterWeb } from './cluster-web.ts'
import { runAlone } from './experiment.ts'

/**
 * A crawl into a real Citus with a coordinator and two nodes: a worker is killed and replaced, a node is stopped for longer than a
 * lease, the coordinator is restarted, and the command that started the crawl is killed and rerun. Afterwards the archive is verified
 * and read. Needs the programs of a PostgreSQL with the Citus extension.
 */
const defaults = {
  programs: '/usr/lib/postgresql/15/bin',
  nodes: 2,
  workers: 3,
  pages: 4000,
  hosts: 60,
  fetchers: 64,
  threads: 1,
  delayMs: 200,
  latencyMs: 20,
  leaseMs: 15_000,
  /** How long the node is down. */
  awayMs: 20_000,
  patienceMs: 600_000,
}

type Options = typeof defaults

/** Shares of the web after which each fault is injected. */
const KILL_WORKER = 0.15
const STOP_NODE = 0.35
const RESTART_COORDINATOR = 0.55
const KILL_CRAWL = 0.75

export function runCitusFaults(given: Partial<Options> = {}) {
  const options = { ...defaults, ...given }
  const { programs, nodes, workers, patienceMs } = options
  const start = () => startCitusCluster({ programs, nodes, durable: true })
  return withClusterWeb(
    options,
    async (web, faults) => {
      const reached = (share: number) =>
        web.origin.reached(Math.round(web.origin.documents * share), AbortSignal.timeout(patienceMs))
      const distributed = await tryCommand(web, faults, 'migrate', '--citus', '--json')
      let crawl = web.crawl()
      const others = Array.from({ length: workers - 1 }, (_, n) => web.worker(`worker-${n + 1}`))
      await reached(KILL_WORKER)
      await others[0]!.stop('SIGKILL')
      others[0] = web.worker('worker-again')
      await reached(STOP_NODE)
      const away = await stopNode(web, options)
      await reached(RESTART_COORDINATOR)
      await web.server.coordinator.stop()
      await web.server.coordinator.start()
      await reached(KILL_CRAWL)
      await crawl.stop('SIGKILL')
      crawl = web.crawl()
      const result = await crawlEnd(crawl, patienceMs, faults)
      await endAll(others, faults)
      for (const command of [['verify'], ['gc'], ['status'], ['verify']])
        await tryCommand(web, faults, ...command, '--json')
      // The killed processes, and all of them while the coordinator was down.
      const report = await checkWeb(web, { ...options, losses: 2 + 2 * workers }, faults)
      return { ...report, delayMs: options.delayMs, away, distributed, result }
    },
    start,
  )
}

/** Stops a node for a while; reports the requests made meanwhile, and whether commands that read the store still work. */
async function stopNode({ origin, server, erace }: ClusterWeb<CitusCluster>, { awayMs }: Options) {
  const [node] = server.nodes
  await node!.stop()
  const before = (await origin.stats()).distinct
  const top = await erace('top', '--json').ended
  await new Promise((resolve) => setTimeout(resolve, awayMs))
  const asked = (await origin.stats()).distinct - before
  await node!.start()
  return { asked, top: top.exitCode, says: lastLines(top).slice(0, 300) }
}

async function tryCommand(web: ClusterWeb<CitusCluster>, faults: string[], ...args: string[]): Promise<string> {
  const end = await web.erace(...args).ended
  if (end.exitCode !== 0) faults.push(`${args.join(' ')} ended with ${end.exitCode}: ${lastLines(end)}`)
  return lastLines(end).slice(0, 300)
}

if (import.meta.main) await runAlone(defaults, runCitusFaults)
