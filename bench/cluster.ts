import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openPool } from '../src/store/postgres/connection/pool.ts'
import { migrate } from '../src/store/postgres/schema/migrate.ts'
import { type PostgresServer, startPostgres } from '../src/store/postgres/testkit/postgres-server.testkit.ts'
import { type BodiesPlace, openBodies } from './bodies.ts'
import { startFleet } from './fleet.ts'
import { measureCommand, medianOf, processorSeconds, withFolder } from './measure.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { findTool } from './tools.ts'

/**
 * Workers on one PostgreSQL, all on this machine.
 *
 * Network-bound: origins with 200 ms latency, one connection per host, few concurrent requests per worker. A single worker mostly
 * waits, so the throughput of many shows whether they get in each other's way. The origin counts the pages during a time window in
 * which every worker holds its share of the partitions.
 *
 * CPU-bound: origins without latency; one worker against two, and the SQLite store against PostgreSQL, each with two crawling
 * threads, over whole crawls from the first request to the last. The contestants alternate `pairs` times; the result is the median of
 * the ratios of each pair. `--workers ""` skips the first part, `--cpu-workers 1` the comparison of workers.
 */
export const optionNames = [
  'workers',
  'latency',
  'wide-hosts',
  'wide-fetchers',
  'window',
  'cpu-pages',
  'cpu-hosts',
  'cpu-workers',
  'pairs',
  'bodies',
]

type Row = {
  label: string
  workers: number
  perSecond: number
  /** Relative to the same number of independent workers. */
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
  /** Number of single-threaded workers that are compared with one. */
  cpuWorkers: number
  pairs: number
  /** Places for bodies other than the database; each adds a row. */
  bodies: BodiesPlace[]
}

export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const settings: Settings = {
    workers: (values.workers ?? '1,2,4,8')
      .split(',')
      .filter((text) => text !== '')
      .map(Number),
    latencyMs: number('latency', 200),
    hosts: number('wide-hosts', 400),
    fetchers: number('wide-fetchers', 4),
    windowMs: number('window', 15) * 1000,
    cpuPages: number('cpu-pages', 20_000),
    cpuHosts: number('cpu-hosts', 8),
    cpuWorkers: number('cpu-workers', 2),
    pairs: number('pairs', 1),
    bodies: (values.bodies ?? 'folder,s3').split(',').filter((name) => name !== '') as BodiesPlace[],
  }
  const server = await startPostgres({ durable: true, settings: { shared_buffers: '256MB', max_wal_size: '4GB' } })
  try {
    const wide = settings.workers.length === 0 ? [] : await boundByNetwork(server, settings)
    return tableOf(wide, await boundByProcessor(server, settings), settings)
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
  // Enough pages to last until the window closes.
  const pages = Math.ceil(perSecond * (windowMs / 1000 + 25))
  const origin = await startOrigin({ pages, hosts, latencyMs, meanBytes: 8000, links: 25 })
  try {
    const rows: Row[] = []
    for (const workers of settings.workers) {
      await origin.reset()
      const store = await newStore(server, `wide_${workers}`)
      rows.push(await measureWindow(server, store, origin, workers, settings, rows[0]))
      const { label, perSecond, efficiency } = rows.at(-1)!
      process.stderr.write(`${label}: ${perSecond.toFixed(0)} pages/s, efficiency ${efficiency?.toFixed(2)}\n`)
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
      fleet.ended.then(() => Promise.reject(new Error('the crawl ended before all workers had joined'))),
    ])
    // Before the clock starts, every robots.txt has been fetched and all workers have crawled for a while.
    while ((await origin.stats()).robots < origin.hosts.length) await new Promise((resolve) => setTimeout(resolve, 100))
    await origin.reached((await origin.stats()).requests + workers * fetchers * 10)
    const before = await snapshot(server, origin, fleet)
    await new Promise((resolve) => setTimeout(resolve, windowMs))
    const after = await snapshot(server, origin, fleet)
    const pages = after.pages - before.pages
    const perSecond = (pages * 1000) / (after.at - before.at)
    return {
      label: `${workers} ${workers === 1 ? 'worker' : 'workers'}, ${fetchers} concurrent requests each`,
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

type Busy = {
  /** Runs alternate, so the nth of each belong together. */
  embedded: Row[]
  whole: Row[]
  outside: Map<BodiesPlace, Row[]>
  /** One worker against several, each with one thread. */
  workers: Row[]
}

async function boundByProcessor(server: PostgresServer, settings: Settings): Promise<Busy> {
  const { cpuPages, cpuHosts, cpuWorkers, bodies, pairs } = settings
  const origin = await startOrigin({ pages: cpuPages, hosts: cpuHosts })
  const busy: Busy = { embedded: [], whole: [], outside: new Map(bodies.map((name) => [name, []])), workers: [] }
  const say = (row: Row): Row => {
    process.stderr.write(`${row.label}: ${row.perSecond.toFixed(0)} pages/s\n`)
    return row
  }
  const crawl = async (name: string, workers: number, threads: number, further?: Record<string, string>) => {
    await origin.reset()
    return crawlStore(server, await newStore(server, name), origin, workers, threads, further)
  }
  try {
    for (let turn = 1; turn <= pairs; turn++) {
      busy.embedded.push(say(await crawlFolder(origin)))
      busy.whole.push(say(await crawl(`busy_${turn}`, 1, 2)))
      for (const [name, rows] of busy.outside) {
        const place = await openBodies(name)
        try {
          const row = await crawl(`bodies_${name}_${turn}`, 1, 2, place.settings)
          rows.push(say({ ...row, label: `${row.label}, bodies ${place.label}` }))
        } finally {
          await place.end()
        }
      }
    }
    if (cpuWorkers > 1)
      for (const workers of [1, cpuWorkers]) busy.workers.push(say(await crawl(`workers_${workers}`, workers, 1)))
    return busy
  } finally {
    await origin.close()
  }
}

async function crawlFolder(origin: Origin): Promise<Row> {
  return withFolder(async (folder) => {
    const run = { origin, folder, maxPages: 0, fetchers: CPU_FETCHERS, perHost: CPU_PER_HOST, threads: 2 }
    const command = findTool('erace').command(run, CPU_FETCHERS)
    // The first start after a change compiles the modules.
    await measureCommand({ ...command, args: [...command.args, '--max-pages', '10'] })
    await origin.reset()
    rmSync(join(folder, 'data'), { recursive: true, force: true })
    const { cpuSeconds } = await measureCommand({ ...command, args: [...command.args, '--no-index'] })
    const { distinct, spanSeconds } = await origin.stats()
    return {
      label: 'SQLite store, 2 threads',
      workers: 1,
      perSecond: distinct / spanSeconds,
      efficiency: null,
      workerCpuMs: (cpuSeconds / distinct) * 1000,
      databaseCpuMs: 0,
      statements: null,
      bytes: null,
    }
  })
}

async function crawlStore(
  server: PostgresServer,
  store: string,
  origin: Origin,
  workers: number,
  threads: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<Row> {
  const load = { fetchers: CPU_FETCHERS / workers, perHost: CPU_PER_HOST }
  const fleet = startFleet({ store, origin, workers, threads, ...load, settings })
  try {
    const before = await snapshot(server, origin, fleet)
    const seen = { last: before }
    const timer = setInterval(async () => {
      const now = await snapshot(server, origin, fleet).catch(() => null)
      if (now !== null && now.statements >= seen.last.statements) seen.last = now
    }, 1000)
    await fleet.ended.finally(() => clearInterval(timer))
    const { distinct, spanSeconds } = await origin.stats()
    return {
      label: `PostgreSQL, ${workers} ${workers === 1 ? 'worker' : 'workers'} of ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
      workers,
      perSecond: distinct / spanSeconds,
      efficiency: null,
      ...perPage(before, seen.last, seen.last.pages),
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

function medianRow(rows: readonly Row[]): Row {
  const of = (pick: (row: Row) => number | null): number => medianOf(rows.map((row) => pick(row) ?? 0))
  const isCounted = rows[0]!.statements !== null
  return {
    ...rows[0]!,
    perSecond: of(({ perSecond }) => perSecond),
    workerCpuMs: of(({ workerCpuMs }) => workerCpuMs),
    databaseCpuMs: of(({ databaseCpuMs }) => databaseCpuMs),
    statements: isCounted ? of(({ statements }) => statements) : null,
    bytes: isCounted ? of(({ bytes }) => bytes) : null,
  }
}

function tableOf(wide: readonly Row[], busy: Busy, { latencyMs, hosts, pairs }: Settings): BenchTable {
  const cells = (row: Row): (string | number)[] => [
    row.label,
    row.perSecond,
    row.efficiency ?? '',
    row.workerCpuMs,
    row.databaseCpuMs,
    row.statements ?? '',
    row.bytes ?? '',
  ]
  const { embedded, whole, outside, workers } = busy
  const ratio = (rows: readonly Row[]): number =>
    medianOf(rows.map(({ perSecond }, turn) => perSecond / embedded[turn]!.perSecond))
  const stats: Record<string, number> = {}
  for (const { workers: count, efficiency } of wide) stats[`efficiencyAt${count}`] = efficiency ?? 0
  stats.ratioToEmbedded = ratio(whole)
  for (const [name, rows] of outside) stats[name === 's3' ? 'ratioS3ToEmbedded' : 'ratioFolderToEmbedded'] = ratio(rows)
  if (workers.length > 0) stats.ratioSeveralToOneWorker = workers[1]!.perSecond / workers[0]!.perSecond
  const middle = [embedded, whole, ...outside.values()].map(medianRow)
  stats.statementsPerPage = middle[1]!.statements ?? 0
  stats.bytesPerPage = middle[1]!.bytes ?? 0
  const networkNote = `the first ${wide.length} rows: ${latencyMs} ms latency, ${hosts} hosts, one connection per host; measured while every worker holds its share`
  return {
    name: 'cluster',
    columns,
    rows: [...wide, ...middle, ...workers].map(cells),
    stats,
    notes: [
      ...(wide.length === 0 ? [] : [networkNote]),
      `no latency: whole crawls from the first request to the last, the medians of ${pairs} in turn; the database and the origin share the CPUs with the workers`,
      'bodies in a shared folder: on the disk of this machine; on S3: the npm package s3rver in a process of its own, on the same CPUs',
      'PostgreSQL with default durability (every commit is on disk) and 256 MB of shared buffers',
    ],
  }
}
