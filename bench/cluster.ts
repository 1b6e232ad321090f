import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../src/core/errors.ts'
import { openPool } from '../src/store/postgres/connection/pool.ts'
import { migrate } from '../src/store/postgres/schema/migrate.ts'
import { type PostgresServer, startPostgres } from '../src/store/postgres/testkit/postgres-server.testkit.ts'
import { startFleet } from './cluster/fleet.ts'
import { processorSeconds } from './cluster/processor-time.ts'
import { measureCommand } from './measure.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import type { BenchOptions, BenchTable } from './table.ts'
import { findTool } from './tools.ts'

/**
 * Workers on one PostgreSQL, all on this machine.
 *
 * Bound by the network: origins that take 200 ms for an answer, one connection to each host, few requests at once in each worker.
 * What one worker can do is then bounded by waiting, and what many can do together shows whether they get into each other's way.
 * Pages are counted by the origin, over some seconds in which every worker holds its share.
 *
 * Bound by the processor: origins that answer at once; one worker against two, and the embedded store against PostgreSQL, each with
 * two threads that crawl, whole crawls from the first request to the last.
 */
export const optionNames = ['workers', 'latency', 'wide-hosts', 'wide-fetchers', 'window', 'cpu-pages', 'cpu-hosts']

type Row = {
  label: string
  workers: number
  perSecond: number
  /** Of what so many single workers would do. */
  efficiency: number | null
  workerCpuMs: number
  databaseCpuMs: number
  statements: number | null
  bytes: number | null
}

type Settings = {
  workers: number[]
  latencyMs: number
  hosts: number
  fetchers: number
  windowMs: number
  cpuPages: number
  cpuHosts: number
}

export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = (name: string, fallback: number): number => {
    const value = Number(values[name] ?? fallback)
    if (Number.isInteger(value) && value > 0) return value
    throw new AppError('usage-wrong', `--${name} must be a whole number above 0`)
  }
  const settings: Settings = {
    workers: (values.workers ?? '1,2,4,8').split(',').map(Number),
    latencyMs: number('latency', 200),
    hosts: number('wide-hosts', 400),
    fetchers: number('wide-fetchers', 4),
    windowMs: number('window', 15) * 1000,
    cpuPages: number('cpu-pages', 20_000),
    cpuHosts: number('cpu-hosts', 8),
  }
  const server = await startPostgres({ durable: true, settings: { shared_buffers: '256MB', max_wal_size: '4GB' } })
  try {
    const wide = await boundByNetwork(server, settings)
    const busy = await boundByProcessor(server, settings)
    return tableOf(wide, busy, settings)
  } finally {
    await server.end()
  }
}

async function newStore(server: PostgresServer, name: string): Promise<string> {
  const address = await server.createDatabase(name)
  const pool = openPool({ address, maxConnections: 2, name: 'bench' })
  await migrate(pool)
  await pool.close()
  return address
}

async function boundByNetwork(server: PostgresServer, settings: Settings): Promise<Row[]> {
  const { latencyMs, hosts, fetchers, windowMs } = settings
  const most = Math.max(...settings.workers)
  const perSecond = (most * fetchers * 1000) / latencyMs
  // Enough that nothing runs dry before the window closes.
  const pages = Math.ceil(perSecond * (windowMs / 1000 + 25))
  const origin = await startOrigin({ pages, hosts, latencyMs, meanBytes: 8000, links: 25 })
  try {
    const rows: Row[] = []
    for (const workers of settings.workers) {
      await origin.reset()
      const store = await newStore(server, `wide_${workers}`)
      rows.push(await measureWindow(server, store, origin, workers, settings, rows[0]))
      const { label, perSecond, efficiency } = rows.at(-1)!
      process.stderr.write(`${label}: ${perSecond.toFixed(0)} pages a second, efficiency ${efficiency?.toFixed(2)}\n`)
    }
    return rows
  } finally {
    await origin.close()
  }
}

async function measureWindow(
  server: PostgresServer,
  store: string,
  origin: Origin,
  workers: number,
  { fetchers, windowMs }: Settings,
  first: Row | undefined,
): Promise<Row> {
  const fleet = startFleet({ store, origin, workers, threads: 1, fetchers, perHost: 1 })
  try {
    await Promise.race([
      fleet.joined(),
      fleet.ended.then(() => Promise.reject(new Error('the crawl was over before all had joined'))),
    ])
    // Every host has said what may be fetched, and all have had their turn, before the clock starts.
    while ((await origin.stats()).robots < origin.hosts.length) await new Promise((resolve) => setTimeout(resolve, 100))
    await origin.reached((await origin.stats()).requests + workers * fetchers * 10)
    const before = await snapshot(server, origin, fleet)
    await new Promise((resolve) => setTimeout(resolve, windowMs))
    const after = await snapshot(server, origin, fleet)
    const pages = after.pages - before.pages
    const perSecond = (pages * 1000) / (after.at - before.at)
    return {
      label: `${workers} ${workers === 1 ? 'worker' : 'workers'}, ${fetchers} requests at once in each`,
      workers,
      perSecond,
      efficiency: perSecond / (workers * (first?.perSecond ?? perSecond / workers)),
      ...perPage(before, after, pages),
    }
  } finally {
    await fleet.stop()
  }
}

type Snapshot = {
  at: number
  pages: number
  workerCpu: number
  databaseCpu: number
  statements: number
  bytes: number
}

async function snapshot(
  server: PostgresServer,
  origin: Origin,
  fleet: ReturnType<typeof startFleet>,
): Promise<Snapshot> {
  const nodes = await fleet.nodes()
  const sum = (name: 'statements' | 'sentBytes'): number =>
    nodes.reduce((total, { stats }) => total + Number(stats[name] ?? 0), 0)
  return {
    at: performance.now(),
    pages: (await origin.stats()).distinct,
    workerCpu: fleet.cpuSeconds(),
    databaseCpu: processorSeconds(server.pid()),
    statements: sum('statements'),
    bytes: sum('sentBytes'),
  }
}

function perPage(before: Snapshot, after: Snapshot, pages: number) {
  const each = (name: keyof Snapshot): number => (after[name] - before[name]) / Math.max(1, pages)
  return {
    workerCpuMs: each('workerCpu') * 1000,
    databaseCpuMs: each('databaseCpu') * 1000,
    statements: each('statements'),
    bytes: each('bytes'),
  }
}

const CPU_FETCHERS = 128
const CPU_PER_HOST = 8

async function boundByProcessor(server: PostgresServer, { cpuPages, cpuHosts }: Settings): Promise<Row[]> {
  const origin = await startOrigin({ pages: cpuPages, hosts: cpuHosts })
  try {
    const embedded = await crawlFolder(origin)
    const rows = [embedded]
    for (const [workers, threads] of [
      [1, 2],
      [1, 1],
      [2, 1],
    ] as const) {
      await origin.reset()
      const store = await newStore(server, `busy_${workers}_${threads}`)
      rows.push(await crawlStore(server, store, origin, workers, threads))
      process.stderr.write(`${rows.at(-1)!.label}: ${rows.at(-1)!.perSecond.toFixed(0)} pages a second\n`)
    }
    return rows
  } finally {
    await origin.close()
  }
}

async function crawlFolder(origin: Origin): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-bench-'))
  try {
    const run = { origin, folder, maxPages: 0, fetchers: CPU_FETCHERS, perHost: CPU_PER_HOST, threads: 2 }
    const command = findTool('erace').command(run, CPU_FETCHERS)
    // The first start after an update compiles the modules.
    await measureCommand({ ...command, args: [...command.args, '--max-pages', '10'] })
    await origin.reset()
    rmSync(join(folder, 'data'), { recursive: true, force: true })
    const { cpuSeconds } = await measureCommand({ ...command, args: [...command.args, '--no-index'] })
    const { distinct, spanSeconds } = await origin.stats()
    return {
      label: 'embedded store, 2 threads',
      workers: 1,
      perSecond: distinct / spanSeconds,
      efficiency: null,
      workerCpuMs: (cpuSeconds / distinct) * 1000,
      databaseCpuMs: 0,
      statements: null,
      bytes: null,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function crawlStore(
  server: PostgresServer,
  store: string,
  origin: Origin,
  workers: number,
  threads: number,
): Promise<Row> {
  const fleet = startFleet({ store, origin, workers, threads, fetchers: CPU_FETCHERS / workers, perHost: CPU_PER_HOST })
  try {
    const before = await snapshot(server, origin, fleet)
    const watched = { last: before }
    const watch = setInterval(async () => {
      const seen = await snapshot(server, origin, fleet).catch(() => null)
      if (seen !== null && seen.statements >= watched.last.statements) watched.last = seen
    }, 1000)
    await fleet.ended.finally(() => clearInterval(watch))
    const { distinct, spanSeconds } = await origin.stats()
    return {
      label: `PostgreSQL, ${workers} ${workers === 1 ? 'worker' : 'workers'} of ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
      workers,
      perSecond: distinct / spanSeconds,
      efficiency: null,
      ...perPage(before, watched.last, watched.last.pages),
    }
  } finally {
    await fleet.stop()
  }
}

const columns = [
  '',
  'pages/s',
  'efficiency',
  'worker CPU ms/page',
  'database CPU ms/page',
  'statements/page',
  'bytes/page',
]

function tableOf(wide: readonly Row[], busy: readonly Row[], { latencyMs, hosts }: Settings): BenchTable {
  const cells = (row: Row): (string | number)[] => [
    row.label,
    row.perSecond,
    row.efficiency ?? '',
    row.workerCpuMs,
    row.databaseCpuMs,
    row.statements ?? '',
    row.bytes ?? '',
  ]
  const [embedded, whole, one, two] = busy
  const stats: Record<string, number> = {}
  for (const { workers, efficiency } of wide) stats[`efficiencyAt${workers}`] = efficiency ?? 0
  stats.ratioToEmbedded = whole!.perSecond / embedded!.perSecond
  stats.ratioTwoToOneWorker = two!.perSecond / one!.perSecond
  stats.statementsPerPage = whole!.statements ?? 0
  stats.bytesPerPage = whole!.bytes ?? 0
  return {
    name: 'cluster',
    columns,
    rows: [...wide, ...busy].map(cells),
    stats,
    notes: [
      `the first ${wide.length} rows: answers after ${latencyMs} ms, ${hosts} hosts, one connection to each; a window in which all hold their share`,
      'the others: answers at once, whole crawls from the first request to the last; the database and the origin share the processors with the workers',
      'PostgreSQL with its defaults for durability (every commit is on disk) and 256 MB of shared buffers',
    ],
  }
}
