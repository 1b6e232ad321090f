import { openPool } from '../src/store/postgres/connection/pool.ts'
import { distribute } from '../src/store/postgres/schema/citus.ts'
import { migrate } from '../src/store/postgres/schema/migrate.ts'
import { type CitusCluster, startCitusCluster } from '../src/store/postgres/testkit/citus-cluster.testkit.ts'
import { startFleet } from './fleet.ts'
import { processorSeconds } from './measure.ts'
import { startOrigin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'

/**
 * The same crawls into plain PostgreSQL and into Citus with a coordinator and some nodes, alternating, all on this machine and of the same
 * version. Needs the programs of a PostgreSQL with the Citus extension.
 */
export const optionNames = ['programs', 'nodes', 'pages', 'hosts', 'pairs', 'threads']

type Run = { seconds: number; workerCpu: number; databaseCpu: number; pages: number }

const FETCHERS = 128
const PER_HOST = 8

export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const programs = values.programs ?? '/usr/lib/postgresql/15/bin'
  const [pages, hosts, pairs] = [number('pages', 5000), number('hosts', 40), number('pairs', 3)]
  const nodes = number('nodes', 2)
  const threads = number('threads', 1)
  const origin = await startOrigin({ pages, hosts })
  const plain = await startCitusCluster({ programs, nodes: 0, durable: true })
  const citus = await startCitusCluster({ programs, nodes, durable: true })
  const runs = { plain: [] as Run[], citus: [] as Run[] }
  try {
    for (let pair = 0; pair < pairs; pair++)
      for (const kind of pair % 2 === 0 ? (['plain', 'citus'] as const) : (['citus', 'plain'] as const)) {
        await origin.reset()
        const cluster = kind === 'plain' ? plain : citus
        runs[kind].push(await crawl(cluster, `crawl_${pair}`, origin, threads))
        const { seconds, workerCpu, databaseCpu } = runs[kind].at(-1)!
        process.stderr.write(`${kind}: ${[seconds, workerCpu, databaseCpu].map((n) => n.toFixed(1)).join(', ')} s\n`)
      }
  } finally {
    await origin.close()
    await plain.end()
    await citus.end()
  }
  return tableOf(runs, nodes)
}

async function crawl(
  cluster: CitusCluster,
  name: string,
  origin: Awaited<ReturnType<typeof startOrigin>>,
  threads: number,
): Promise<Run> {
  const store = await cluster.createDatabase(name)
  const pool = openPool({ address: store, maxConnections: 2, name: 'bench' })
  await migrate(pool)
  if (cluster.nodes.length > 0) await distribute(pool)
  await pool.close()
  const servers = [cluster.coordinator, ...cluster.nodes]
  const databaseCpu = (): number => servers.reduce((sum, server) => sum + processorSeconds(server.pid()), 0)
  const before = databaseCpu()
  const fleet = startFleet({ store, origin, workers: 1, threads, fetchers: FETCHERS, perHost: PER_HOST })
  let workerCpu = 0
  const timer = setInterval(() => {
    workerCpu = Math.max(workerCpu, fleet.cpuSeconds())
  }, 200)
  try {
    await fleet.ended.finally(() => clearInterval(timer))
    const { distinct, spanSeconds } = await origin.stats()
    return { seconds: spanSeconds, workerCpu, databaseCpu: databaseCpu() - before, pages: distinct }
  } finally {
    await fleet.stop()
  }
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!

function tableOf({ plain, citus }: { plain: Run[]; citus: Run[] }, nodes: number): BenchTable {
  const of = (runs: readonly Run[], value: (run: Run) => number): number => median(runs.map(value))
  const perPage =
    (name: 'workerCpu' | 'databaseCpu') =>
    (run: Run): number =>
      (run[name] / run.pages) * 1000
  const all = (run: Run): number => perPage('workerCpu')(run) + perPage('databaseCpu')(run)
  const row = (label: string, runs: readonly Run[]) => [
    label,
    of(runs, ({ pages, seconds }) => pages / seconds),
    of(runs, perPage('workerCpu')),
    of(runs, perPage('databaseCpu')),
    of(runs, all),
  ]
  return {
    name: 'citus',
    columns: ['', 'pages/s', 'worker CPU ms/page', 'database CPU ms/page', 'together'],
    rows: [row('PostgreSQL', plain), row(`Citus, a coordinator and ${nodes} nodes`, citus)],
    stats: {
      timeRatio: of(citus, ({ seconds }) => seconds) / of(plain, ({ seconds }) => seconds),
      cpuRatio: of(citus, all) / of(plain, all),
    },
    notes: [`medians of ${plain.length} alternating runs; every commit is on disk; all on this machine`],
  }
}
