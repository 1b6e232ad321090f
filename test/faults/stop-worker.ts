import type { Profile } from '../../src/core/profile.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { createPostgresProfiles } from '../../src/store/postgres/accounts/profiles.ts'
import { createPostgresNodes } from '../../src/store/postgres/cluster/nodes.ts'
import { schedulerRole } from '../../src/store/postgres/cluster/schedule.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import { profileOf, sourceOf, until } from '../watch/up-run.ts'
import { type ClusterWeb, checkWeb, endAll, withClusterWeb } from './cluster-web.ts'
import { runAlone } from './experiment.ts'

/**
 * A worker is suspended for longer than its lease, with requests and annotations in flight, and then resumed. By then others hold its
 * partitions: its writes are refused and counted. Then the server is suspended for as long, loses the leadership, and continues the
 * checks.
 */
const defaults = {
  pages: 3000,
  hosts: 60,
  fetchers: 64,
  threads: 1,
  delayMs: 200,
  latencyMs: 100,
  leaseMs: 3000,
  /** How often the worker is suspended. */
  stops: 3,
  /** Whether to connect through PgBouncer. */
  pooler: false,
  patienceMs: 300_000,
}
type StopWorkerOptions = typeof defaults

export function runStopWorker(given: Partial<StopWorkerOptions> = {}) {
  const options = { ...defaults, ...given }
  return withClusterWeb(options, async (web, faults) => {
    await migrate(web.pool)
    await createPostgresProfiles(web.pool).put(watchers(web).map(createProfileKeys({})))
    const server = web.erace('serve', '--port', '0', '--json')
    const sleeper = web.worker('sleeper')
    const other = web.worker('other')
    await suspend(web, sleeper.child, options)
    await suspendLeader(web, server.child, options)
    await until('all checks and annotations are done', () => isQuiet(web), options.patienceMs)
    const refused = await refusedOf(web, 'sleeper')
    await endAll([sleeper, other, server], faults)
    return check(web, options, refused, faults)
  })
}

/** Two users who watch every page of every host. */
function watchers({ origin }: ClusterWeb): Profile[] {
  const sources = origin.seeds.map((seed) =>
    sourceOf(seed, { depth: 50, everyMs: 86_400_000, everyMaxMs: 86_400_000, process: 'track' }),
  )
  return ['ann@example.org', 'ben@example.org'].map((owner) => profileOf(`all of ${owner}`, owner, sources, {}))
}

async function suspend(
  { origin, pool }: ClusterWeb,
  child: { kill(signal: NodeJS.Signals): boolean },
  options: StopWorkerOptions,
): Promise<void> {
  for (let stop = 1; stop <= options.stops; stop++) {
    const wanted = Math.round((origin.documents * stop * 0.7) / (options.stops + 1))
    await origin.reached(wanted, AbortSignal.timeout(options.patienceMs))
    child.kill('SIGSTOP')
    const held = `SELECT 1 FROM leases l JOIN nodes n ON starts_with(l.holder, n.id || '/') WHERE n.name = 'sleeper'`
    await until('its partitions to be taken', async () => (await pool.query(held)).length === 0, options.patienceMs)
    child.kill('SIGCONT')
    const back = `${held} AND l.until > now()`
    await until('it to get partitions', async () => (await pool.query(back)).length > 0, options.patienceMs)
  }
}

async function suspendLeader(
  { pool }: ClusterWeb,
  child: { kill(signal: NodeJS.Signals): boolean },
  { patienceMs }: StopWorkerOptions,
): Promise<void> {
  child.kill('SIGSTOP')
  const leads = 'SELECT 1 FROM leaders WHERE name = $1 AND until > now()'
  await until('its lead to be over', async () => (await pool.query(leads, [schedulerRole])).length === 0, patienceMs)
  child.kill('SIGCONT')
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

async function check(web: ClusterWeb, options: StopWorkerOptions, refused: number, faults: string[]) {
  const { stops } = options
  const report = await checkWeb(web, { ...options, losses: stops }, faults)
  const [counts] = await web.pool.query<{ annotations: number; distinct: number }>(
    `SELECT count(*) AS annotations, count(DISTINCT (profile, version)) AS distinct FROM annotations`,
  )
  const { annotations } = counts!
  const annotatedTwice = annotations - counts!.distinct
  if (refused === 0) faults.push('nothing was refused: the worker had nothing in flight')
  if (annotatedTwice > 0) faults.push(`${annotatedTwice} annotations are duplicates`)
  if (annotations !== 2 * report.pages) faults.push(`${annotations} annotations of ${2 * report.pages}`)
  return { stops, ...report, refused, annotations, annotatedTwice }
}

if (import.meta.main) await runAlone(defaults, runStopWorker)
