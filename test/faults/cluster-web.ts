import { type Origin, startOrigin } from '../../bench/origin/start.ts'
import { openPool, type PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { type Pgbouncer, startPgbouncer } from '../../src/store/postgres/testkit/pgbouncer.testkit.ts'
import { type PostgresServer, startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { type EraceProcess, lastLines, readResult, startErace } from '../kit/erace.ts'
import { timed } from './experiment.ts'

/** The server or servers of the store. */
type StoreServer = Pick<PostgresServer, 'createDatabase' | 'end'>

/** A generated web, a temporary PostgreSQL, and the processes of a cluster that crawls the one into the other. */
export type ClusterWeb<S extends StoreServer = PostgresServer> = {
  origin: Origin
  server: S
  /** For reading the stored data. */
  pool: PostgresPool
  /** `erace crawl --store`, which is also a worker. */
  crawl(): EraceProcess
  worker(name: string): EraceProcess
  erace(...args: string[]): EraceProcess
  /** Environment of all processes; with `crawlArgs`, for experiments that start them in another way. */
  env: Record<string, string>
  crawlArgs: readonly string[]
  /** Kills the processes that still run. */
  close(): Promise<void>
}

export type ClusterWebOptions = {
  pages: number
  hosts: number
  /** Per process. */
  fetchers: number
  threads: number
  delayMs: number
  latencyMs: number
  leaseMs: number
  /** Whether all processes connect through PgBouncer in session mode. */
  pooler?: boolean
  /** The time limit of the experiment. */
  patienceMs: number
}

/** Small pages: their content does not matter here. */
const small = { meanBytes: 8000, links: 25 }

async function startClusterWeb<S extends StoreServer>(options: ClusterWebOptions, server: S): Promise<ClusterWeb<S>> {
  const { pages, hosts, fetchers, threads, delayMs, latencyMs, leaseMs } = options
  const store = await server.createDatabase('erace')
  const pooler: Pgbouncer | null =
    options.pooler === true
      ? await startPgbouncer(store, 'session', { default_pool_size: '150', max_client_conn: '300' })
      : null
  const origin = await startOrigin({ pages, hosts, latencyMs, ...small })
  const pool = openPool({ address: store, maxConnections: 2, name: 'judge' })
  const started: EraceProcess[] = []
  const env = {
    ERACE_STORE: pooler?.address ?? store,
    ERACE_CLUSTER_LEASE: `${leaseMs}ms`,
    ERACE_CRAWL_DELAY: `${delayMs}ms`,
    ERACE_CRAWL_DELAYFACTOR: '0',
    ERACE_CRAWL_PERHOST: '1',
    ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  }

  function start(...args: string[]): EraceProcess {
    started.push(startErace(args, env))
    return started.at(-1)!
  }

  const size = ['--fetchers', `${fetchers}`, '--threads', `${threads}`]
  const scope = `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`
  const limits = ['--delay', `${delayMs}`, '--per-host', '1', '--restrict', scope]
  const crawlArgs = ['crawl', ...origin.seeds, '--json', ...limits, ...size]
  return {
    origin,
    server,
    pool,
    env,
    crawlArgs,
    erace: start,
    crawl: () => start(...crawlArgs),
    worker: (name) => start('worker', '--name', name, '--json', ...size),
    async close() {
      for (const { stop } of started) await stop('SIGKILL')
      await pool.close()
      await origin.close()
      await pooler?.end()
      await server.end()
    },
  }
}

/** The work that a worker can lose: requests in flight, and eight times as many results not stored yet. */
function maxInFlight(fetchers: number): number {
  return 9 * fetchers
}

/** A timer counts whole milliseconds and may fire one early. */
const TOLERANCE_MS = 1

export type WebReport = {
  pages: number
  requests: number
  /** Requests beyond one per page. */
  excess: number
  excessLimit: number
  /** The shortest pause between two requests to one host, from any worker. */
  shortestPauseMs: number | null
  stored: StoredOnce
}

/** Checks that every page was stored once, few were requested twice, and every delay was kept. */
export async function checkWeb(
  { origin, pool }: Pick<ClusterWeb, 'origin' | 'pool'>,
  { delayMs, fetchers, losses }: { delayMs: number; fetchers: number; losses: number },
  faults: string[],
): Promise<WebReport> {
  const { requests, distinct, duplicates, shortestPauseMs } = await origin.stats()
  const stored = await countStored(pool)
  const excessLimit = losses * maxInFlight(fetchers)
  if (distinct !== origin.documents) faults.push(`${origin.documents - distinct} pages were never requested`)
  if (stored.once !== origin.documents || stored.twice > 0 || stored.queued > 0)
    faults.push(`${stored.once} pages are stored once, ${stored.twice} more than once, ${stored.queued} are queued`)
  if (duplicates > excessLimit)
    faults.push(`${duplicates} repeated requests, at most ${excessLimit} could be in flight`)
  if (shortestPauseMs !== null && shortestPauseMs < delayMs - TOLERANCE_MS)
    faults.push(`a pause of ${shortestPauseMs} ms instead of ${delayMs}`)
  return { pages: origin.documents, requests, excess: duplicates, excessLimit, shortestPauseMs, stored }
}

/** Waits for the end of a crawl, which must be finished. */
export async function crawlEnd(
  crawl: EraceProcess,
  patienceMs: number,
  faults: string[],
): Promise<Record<string, unknown> | undefined> {
  const end = await crawl.endWithin(patienceMs)
  if (end.exitCode !== 0) faults.push(`the crawl ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
  const result = readResult(end)
  if (result?.finished !== true) faults.push('the crawl is not finished')
  return result
}

/** Stops processes one after another; each must still run and end cleanly. */
export async function endAll(processes: readonly EraceProcess[], faults: string[]): Promise<void> {
  for (const { child, stop } of processes) {
    if (child.exitCode !== null) faults.push('a process ended unexpectedly')
    const end = await stop()
    if (end.exitCode !== 0) faults.push(`a process ended with ${end.exitCode}: ${lastLines(end)}`)
  }
}

/** Runs an experiment on a cluster, and closes it. */
export async function withClusterWeb<R, S extends StoreServer = PostgresServer>(
  options: ClusterWebOptions,
  work: (web: ClusterWeb<S>, faults: string[]) => Promise<R>,
  startServer: () => Promise<S> = startPostgres as () => Promise<never>,
): Promise<R & { seconds: number; faults: string[] }> {
  const web = await startClusterWeb(options, await startServer())
  const faults: string[] = []
  try {
    const report = await timed(() => work(web, faults))
    return { ...report, faults }
  } finally {
    await web.close()
  }
}

type StoredOnce = { once: number; never: number; twice: number; queued: number }

/** The number of documents with one version, none, and more; and the length of the queue. */
async function countStored(pool: PostgresPool): Promise<StoredOnce> {
  const [row] = await pool.query<StoredOnce>(
    `SELECT count(*) FILTER (WHERE versions = 1) AS once, count(*) FILTER (WHERE versions = 0) AS never,
       count(*) FILTER (WHERE versions > 1) AS twice, (SELECT count(*) FROM queue) AS queued
     FROM (SELECT count(v.id) AS versions FROM documents d
           LEFT JOIN versions v ON v.partition = d.partition AND v.document = d.id GROUP BY d.id) counted`,
  )
  return row!
}
