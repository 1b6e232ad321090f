import type { Profile } from '../../src/core/profile.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { createPostgresProfiles } from '../../src/store/postgres/accounts/profiles.ts'
import { createPostgresNodes } from '../../src/store/postgres/cluster/nodes.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import { profileOf, sourceOf, until } from '../watch/up-run.ts'
import {
  type ClusterWeb,
  type ClusterWebOptions,
  endAll,
  judgeWeb,
  runAlone,
  startClusterWeb,
  type WebReport,
} from './cluster-web.ts'

/**
 * A worker that stands still for longer than its lease, with requests and annotations in its hands, and then goes on as if nothing had
 * been. Others have taken its partitions by then: what it still wants to write is refused and counted.
 */
export type StopWorkerOptions = ClusterWebOptions & {
  /** Times that it stands still. */
  stops: number
}

export type StopWorkerReport = WebReport & {
  stops: number
  /** Writes that came too late, by the worker that stood still. */
  refused: number
  annotations: number
  /** Of one profile about one version more than once. */
  annotatedTwice: number
  seconds: number
  faults: string[]
}

export const stopWorkerDefaults: StopWorkerOptions = {
  pages: 3000,
  hosts: 60,
  fetchers: 64,
  threads: 1,
  delayMs: 200,
  latencyMs: 100,
  leaseMs: 3000,
  stops: 3,
  patienceMs: 300_000,
}

export async function runStopWorker(given: Partial<StopWorkerOptions> = {}): Promise<StopWorkerReport> {
  const options = { ...stopWorkerDefaults, ...given }
  const cluster = await startClusterWeb(options)
  const startedAt = performance.now()
  try {
    await migrate(cluster.pool)
    await createPostgresProfiles(cluster.pool).put(watchers(cluster).map(createProfileKeys({})))
    const faults: string[] = []
    const server = cluster.erace('serve', '--port', '0', '--json')
    const sleeper = cluster.worker('sleeper')
    const other = cluster.worker('other')
    await standStill(cluster, sleeper.child, options)
    await until('all checks and annotations are done', () => isQuiet(cluster), options.patienceMs)
    const refused = await refusedOf(cluster, 'sleeper')
    await endAll([sleeper, other, server], faults)
    const report = await judge(cluster, options, refused, faults)
    return { ...report, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    await cluster.close()
  }
}

/** Two people who want to hear of every page of every host, and one who wants some. */
function watchers({ origin }: ClusterWeb): Profile[] {
  const sources = origin.seeds.map((seed) =>
    sourceOf(seed, { depth: 50, everyMs: 86_400_000, everyMaxMs: 86_400_000, process: 'track' }),
  )
  return ['ann@example.org', 'ben@example.org'].map((owner) => profileOf(`all of ${owner}`, owner, sources, {}))
}

async function standStill(
  { origin, pool }: ClusterWeb,
  child: { kill(signal: NodeJS.Signals): boolean },
  options: StopWorkerOptions,
): Promise<void> {
  for (let stop = 1; stop <= options.stops; stop++) {
    const wanted = Math.round((origin.documents * stop * 0.7) / (options.stops + 1))
    await origin.reached(wanted, AbortSignal.timeout(options.patienceMs))
    child.kill('SIGSTOP')
    const held = `SELECT 1 FROM leases l JOIN nodes n ON starts_with(l.holder, n.id || '/') WHERE n.name = 'sleeper'`
    await until('its partitions are others', async () => (await pool.query(held)).length === 0, options.patienceMs)
    child.kill('SIGCONT')
    const back = `${held} AND l.until > now()`
    await until('it has partitions again', async () => (await pool.query(back)).length > 0, options.patienceMs)
  }
}

async function isQuiet({ pool, origin }: ClusterWeb): Promise<boolean> {
  const [row] = await pool.query<{ checked: number; busy: number }>(
    `SELECT (SELECT count(*) FROM watches WHERE checked_at > 0) AS checked,
       (SELECT count(*) FROM queue) + (SELECT count(*) FROM tasks) AS busy`,
  )
  return row!.checked === origin.seeds.length && row!.busy === 0
}

async function refusedOf({ pool }: ClusterWeb, name: string): Promise<number> {
  const node = (await createPostgresNodes(pool).list()).find((each) => each.name === name)
  return Number(node?.stats.refused ?? 0)
}

async function judge(cluster: ClusterWeb, options: StopWorkerOptions, refused: number, faults: string[]) {
  const { stops } = options
  const report = await judgeWeb(cluster, { ...options, losses: stops }, faults)
  const [told] = await cluster.pool.query<{ annotations: number; distinct: number }>(
    `SELECT count(*) AS annotations, count(DISTINCT (profile, version)) AS distinct FROM annotations`,
  )
  const { annotations } = told!
  const annotatedTwice = annotations - told!.distinct
  if (refused === 0) faults.push('nothing was refused: the worker had nothing in its hands')
  if (annotatedTwice > 0) faults.push(`${annotatedTwice} annotations are doubled`)
  if (annotations !== 2 * report.pages) faults.push(`${annotations} annotations of ${2 * report.pages}`)
  return { stops, ...report, refused, annotations, annotatedTwice, faults }
}

if (import.meta.main) await runAlone(stopWorkerDefaults, runStopWorker)
