import type pg from 'pg'
import { AppError } from '../../../core/errors.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { delegateFunctions, firstSpread } from './delegated-functions.ts'
import { alone } from './migrate.ts'

/**
 * Distributes the tables of the crawl over the servers of a Citus cluster by partition. All are colocated: rows of the same partition
 * are on the same server, so statements that name a partition, and joins within it, are sent there whole.
 *
 * Clients connect to the coordinator. These tables stay there, undistributed:
 * - `leases`, although it has partitions: heartbeats lock rows of all of them at once, which Citus can do on one server
 *   only. A writer of a partition holds its lease by a row lock on the coordinator until the end, and commits on the
 *   other server before that; so the fence holds, and the marks of versions (archive/versions.ts), which depend on the
 *   coordinator's transactions, stay true;
 * - all tables of people and roles, which are small compared with the crawl and queried across partitions.
 *
 * Functions of the frontier that begin with the fence run on the coordinator, too; each of their statements goes to one server. Those
 * without it are sent to the server of their partition.
 * Ids come from the coordinator's sequence alone: Citus draws them there, and refuses statements that would have to draw them elsewhere.
 * So they stay small enough and grow in one order. Hence three rules for statements, checked by a test: none uses `nextval` together
 * with a distributed table; none locks a lease together with one; and rows are locked in one partition at a time.
 *
 * Citus applies later schema migrations on all servers; calling this again distributes their new tables.
 */
export const distributedTables = [
  firstSpread,
  'hosts',
  'seen',
  'queue',
  'robots',
  'host_tables',
  'dropped_links',
  'host_places',
  'documents',
  'versions',
  'links',
  'records',
  'bodies',
  'tasks',
  'reached',
  'prices',
  'noise',
  'unmuted',
  'holds',
  'version_texts',
] as const

/** Tables that have partitions but aren't distributed. */
export const keptTogether: readonly string[] = ['leases']

const SHARDS_PER_NODE = 4

/** Tables already distributed are skipped, so an interrupted call can simply be repeated. */
export const citusStatements = {
  installed: `SELECT
      (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS installed,
      EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citus') AS available,
      current_user AS role`,
  spread: `SELECT logicalrelid::regclass::text AS name FROM pg_dist_partition`,
  workers: `SELECT count(*)::int AS n FROM pg_dist_node WHERE shouldhaveshards AND isactive`,
  /** Moves existing rows, too; the table is locked for writes meanwhile. */
  distribute: (table: string): string =>
    `SELECT create_distributed_table('${table}', 'partition', colocate_with => '${table === firstSpread ? 'none' : firstSpread}')`,
  /** A query over all partitions queries each shard: a few are enough, and more can be added later. */
  shards: (nodes: number): string => `SET citus.shard_count = ${SHARDS_PER_NODE * nodes}`,
  /** Planner settings of the columns of distributed tables. Citus creates shards without them. */
  columnSettings: `SELECT c.relname AS table, format('ALTER TABLE %%s ALTER COLUMN %I SET (%s)', a.attname, o.setting) AS change
    FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid JOIN pg_attribute a ON a.attrelid = c.oid
    CROSS JOIN unnest(a.attoptions) AS o (setting) WHERE o.setting LIKE 'n\\_distinct=%'`,
  /** Returns a row for each shard that failed. */
  onShards: 'SELECT result FROM run_command_on_shards($1::regclass, $2) WHERE NOT success',
  /** Moved rows are still on the coordinator, invisible to queries. */
  forget: (table: string): string => `SELECT truncate_local_data_after_distributing_table('${table}')`,
}

/** Returns the tables that were distributed by this call. The schema is locked meanwhile. */
export async function distribute(pool: PostgresPool): Promise<string[]> {
  const nodes = await requireCitus(pool)
  return alone(pool, async (client) => {
    await client.query(citusStatements.shards(nodes))
    const spread = new Set((await client.query<{ name: string }>(citusStatements.spread)).rows.map(({ name }) => name))
    const done: string[] = []
    for (const table of distributedTables) {
      if (!spread.has(table)) {
        await client.query(citusStatements.distribute(table))
        done.push(table)
      }
      await client.query(citusStatements.forget(table))
    }
    await delegateFunctions(client)
    await setColumns(client)
    return done
  })
}

async function setColumns(client: pg.ClientBase): Promise<void> {
  type Setting = { table: string; change: string }
  for (const { table, change } of (await client.query<Setting>(citusStatements.columnSettings)).rows) {
    const [failed] = (await client.query<{ result: string }>(citusStatements.onShards, [table, change])).rows
    if (failed !== undefined)
      throw new AppError('store-failed', `a shard of ${table} refused a setting: ${failed.result}`)
  }
}

/** Returns the number of servers that can hold shards; throws if there are none. */
async function requireCitus(pool: PostgresPool): Promise<number> {
  const [row] = await pool.query<{ installed: string | null; available: boolean; role: string }>(
    citusStatements.installed,
  )
  const { installed, available } = row!
  if (installed === null)
    throw new AppError(
      'store-refused',
      available
        ? 'the extension citus is not there yet: let an administrator of the database run CREATE EXTENSION citus in it, on every server of the cluster, and add them with citus_add_node'
        : 'this PostgreSQL has no Citus: install the package of the extension on every server of the cluster, add citus to shared_preload_libraries, and let an administrator run CREATE EXTENSION citus',
    )
  const [workers] = await pool.query<{ n: number }>(citusStatements.workers)
  if ((workers?.n ?? 0) === 0)
    throw new AppError(
      'store-refused',
      'Citus knows no server that takes tables: let an administrator name them with citus_add_node on the coordinator',
    )
  return workers!.n
}
