import { parseArgs } from 'node:util'
import { type Origin, startOrigin } from '../../bench/origin/start.ts'
import { openPool, type PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { type PostgresServer, startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { lastLines, readResult, startErace } from '../kit/erace.ts'

/** A generated web, a PostgreSQL of its own, and the processes of a cluster that crawl the one into the other. */
export type ClusterWeb = {
  origin: Origin
  server: PostgresServer
  /** For looks at what was stored. */
  pool: PostgresPool
  /** `erace crawl --store`, which is a worker, too. */
  crawl(): ClusterProcess
  worker(name: string): ClusterProcess
  erace(...args: string[]): ClusterProcess
  /** Ends whatever still runs. */
  close(): Promise<void>
}

export type ClusterProcess = ReturnType<typeof startErace>

export type ClusterWebOptions = {
  pages: number
  hosts: number
  /** Of each process. */
  fetchers: number
  threads: number
  delayMs: number
  latencyMs: number
  leaseMs: number
  /** How long the whole may take. */
  patienceMs: number
}

/** Small pages: it is about who asks for them, not about what they say. */
const small = { meanBytes: 8000, links: 25 }

export async function startClusterWeb(options: ClusterWebOptions): Promise<ClusterWeb> {
  const { pages, hosts, fetchers, threads, delayMs, latencyMs, leaseMs } = options
  const server = await startPostgres()
  const store = await server.createDatabase('erace')
  const origin = await startOrigin({ pages, hosts, latencyMs, ...small })
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
function mostInHand(fetchers: number): number {
  return 9 * fetchers
}

/** A timer counts whole milliseconds and may fire up to one early. */
const TOLERANCE_MS = 1

export type WebReport = {
  pages: number
  requests: number
  /** Requests beyond one for each page. */
  excess: number
  excessLimit: number
  /** The shortest pause between two requests to one host, whoever made them. */
  shortestPauseMs: number | null
  stored: StoredOnce
}

/** Whether every page was stored once, not much was asked for twice, and no host was asked before its time. */
export async function judgeWeb(
  { origin, pool }: ClusterWeb,
  { delayMs, fetchers, losses }: { delayMs: number; fetchers: number; losses: number },
  faults: string[],
): Promise<WebReport> {
  const { requests, distinct, duplicates, shortestPauseMs } = await origin.stats()
  const stored = await countStored(pool)
  const excessLimit = losses * mostInHand(fetchers)
  if (distinct !== origin.documents) faults.push(`${origin.documents - distinct} pages were never asked for`)
  if (stored.once !== origin.documents || stored.twice > 0 || stored.queued > 0)
    faults.push(`${stored.once} pages are stored once, ${stored.twice} more than once, ${stored.queued} are queued`)
  if (duplicates > excessLimit) faults.push(`${duplicates} requests in excess, ${excessLimit} could be in hand`)
  if (shortestPauseMs !== null && shortestPauseMs < delayMs - TOLERANCE_MS)
    faults.push(`a host was asked again after ${shortestPauseMs} ms, the delay is ${delayMs}`)
  return { pages: origin.documents, requests, excess: duplicates, excessLimit, shortestPauseMs, stored }
}

/** Waits for the end of a crawl, and is not content with every end. */
export async function crawlEnd(
  { child, ended }: ClusterProcess,
  patienceMs: number,
  faults: string[],
): Promise<Record<string, unknown> | undefined> {
  const limit = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const end = await ended
  clearTimeout(limit)
  if (end.exitCode !== 0) faults.push(`the crawl ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
  const result = readResult(end)
  if (result?.finished !== true) faults.push('the crawl does not say that it is finished')
  return result
}

/** Asks processes to end, one after the other; each should be there and end well. */
export async function endAll(processes: readonly ClusterProcess[], faults: string[]): Promise<void> {
  for (const { child, ended } of processes) {
    if (child.exitCode !== null) faults.push('a process had ended by itself')
    child.kill('SIGTERM')
    const end = await ended
    if (end.exitCode !== 0) faults.push(`a process ended with ${end.exitCode}: ${lastLines(end)}`)
  }
}

/** Runs an experiment by itself: `--NAME NUMBER` for each of its options, its report as JSON, exit code 1 where something did not hold. */
export async function runAlone<O extends Record<string, number>>(
  defaults: O,
  experiment: (given: Partial<O>) => Promise<{ faults: string[] }>,
): Promise<void> {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])) as Partial<O>
  const report = await experiment(given)
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.faults.length === 0 ? 0 : 1
}

export type StoredOnce = { once: number; never: number; twice: number; queued: number }

/** How many documents have exactly one version, none, and more; and what is still queued. */
async function countStored(pool: PostgresPool): Promise<StoredOnce> {
  const [row] = await pool.query<StoredOnce>(
    `SELECT count(*) FILTER (WHERE versions = 1) AS once, count(*) FILTER (WHERE versions = 0) AS never,
       count(*) FILTER (WHERE versions > 1) AS twice, (SELECT count(*) FROM queue) AS queued
     FROM (SELECT count(v.id) AS versions FROM documents d
           LEFT JOIN versions v ON v.partition = d.partition AND v.document = d.id GROUP BY d.id) counted`,
  )
  return row!
}
