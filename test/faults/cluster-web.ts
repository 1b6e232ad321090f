import { type Origin, type OriginOptions, startOrigin } from '../../bench/origin/start.ts'
import { type ClusterPool, openPool } from '../../src/store/cluster/pool.ts'
import { type PostgresServer, startPostgres } from '../../src/store/cluster/postgres-server.testkit.ts'
import { startErace } from './erace.ts'

/** A generated web, a PostgreSQL of its own, and the processes of a cluster that crawl the one into the other. */
export type ClusterWeb = {
  origin: Origin
  server: PostgresServer
  /** For looks at what was stored. */
  pool: ClusterPool
  /** `erace crawl --store`, which is a worker, too. */
  crawl(): ClusterProcess
  worker(name: string): ClusterProcess
  erace(...args: string[]): ClusterProcess
  /** Ends whatever still runs. */
  close(): Promise<void>
}

export type ClusterProcess = ReturnType<typeof startErace>

export type ClusterWebOptions = {
  web: OriginOptions
  delayMs: number
  fetchers: number
  threads: number
  leaseMs: number
  durable?: boolean
}

export async function startClusterWeb(options: ClusterWebOptions): Promise<ClusterWeb> {
  const { delayMs, fetchers, threads, leaseMs } = options
  const server = await startPostgres({ durable: options.durable ?? false })
  const store = await server.createDatabase('erace')
  const origin = await startOrigin(options.web)
  const pool = openPool({ address: store, maxConnections: 2, name: 'judge' })
  const started: ClusterProcess[] = []
  const env = {
    ERACE_STORE: store,
    ERACE_CLUSTER_LEASE: `${leaseMs}ms`,
    ERACE_CRAWL_DELAY: `${delayMs}ms`,
    ERACE_CRAWL_DELAYFACTOR: '0',
    ERACE_CRAWL_PERHOST: '1',
    ERACE_NETWORK_ALLOW: '127.0.0.0/8',
  }

  function start(...args: string[]): ClusterProcess {
    const run = startErace(args, env)
    started.push(run)
    return run
  }

  const size = ['--fetchers', `${fetchers}`, '--threads', `${threads}`]
  const scope = `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`
  return {
    origin,
    server,
    pool,
    erace: start,
    crawl: () =>
      start(
        'crawl',
        ...origin.seeds,
        '--json',
        '--delay',
        `${delayMs}`,
        '--per-host',
        '1',
        '--restrict',
        scope,
        ...size,
      ),
    worker: (name) => start('worker', '--name', name, '--json', ...size),
    async close() {
      for (const { child, ended } of started) {
        child.kill('SIGKILL')
        await ended
      }
      await pool.close()
      await origin.close()
      await server.end()
    },
  }
}

/** What a worker can have in its hands: requests under way, and eight times as many results that wait to be kept. */
export function mostInHand(fetchers: number): number {
  return 9 * fetchers
}

export type StoredOnce = { once: number; never: number; twice: number; queued: number }

/** How many documents have exactly one version, none, and more; and what is still queued. */
export async function countStored(pool: ClusterPool): Promise<StoredOnce> {
  const [row] = await pool.query<StoredOnce>(
    `SELECT count(*) FILTER (WHERE versions = 1) AS once, count(*) FILTER (WHERE versions = 0) AS never,
       count(*) FILTER (WHERE versions > 1) AS twice, (SELECT count(*) FROM queue) AS queued
     FROM (SELECT count(v.id) AS versions FROM documents d
           LEFT JOIN versions v ON v.partition = d.partition AND v.document = d.id GROUP BY d.id) counted`,
  )
  return row!
}
