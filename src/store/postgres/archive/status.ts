import type { StatusReport, StoreStatus } from '../../../core/reports/status-report.ts'
import type { DiskUse, KeptCounts } from '../../contracts/store-set.ts'
import { isRestingSql } from '../../rules/host-ranking.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createSegments } from './segments.ts'

const LAST_SHOWN = 10
/** Above this many rows the server's estimate is good enough; counting would take too long. */
const MAX_COUNTED = 2_000_000

const statements = {
  estimate: 'SELECT greatest(0, reltuples)::bigint AS n FROM pg_class WHERE oid = $1::regclass',
  run: 'SELECT id, started_at AS "startedAt", finished_at AS "finishedAt" FROM runs ORDER BY id DESC LIMIT 1',
  frontier: `SELECT coalesce(sum(queued), 0)::bigint AS queued, coalesce(sum(seen), 0)::bigint AS seen,
    coalesce(sum(hosts), 0)::bigint AS hosts FROM frontiers`,
  hosts: `SELECT count(*) FILTER (WHERE ${isRestingSql}) AS resting, count(*) FILTER (WHERE given_up) AS "givenUp"
    FROM hosts WHERE run = $1 AND (rests > 0 OR given_up)`,
  kept: `SELECT (SELECT coalesce(sum(shown + archived), 0)::bigint FROM inbox_counts) AS annotations,
    (SELECT count(*) FROM profiles) AS profiles, (SELECT count(DISTINCT watch) FROM urds) AS sources`,
  watching: `SELECT (SELECT count(*) FROM profiles) AS profiles, (SELECT count(DISTINCT watch) FROM urds) AS sources,
    (SELECT count(*) FROM tasks WHERE aside_at = 0) AS tasks,
    (SELECT coalesce(sum(shown + archived), 0)::bigint FROM inbox_counts) AS annotations`,
  sources: `SELECT uri, outcome, status, checked_at AS "checkedAt" FROM watches WHERE id IN (SELECT watch FROM urds)
    ORDER BY checked_at DESC, id LIMIT $1`,
  disk: `SELECT stored_bytes() AS bytes, stored_bytes('records') AS archive`,
  ping: 'SELECT 1',
  lastChecked: 'SELECT url, outcome, checked_at AS at FROM documents ORDER BY checked_at DESC, id LIMIT $1',
  /** The documents that changed last, if there are too many to find those checked last. */
  lastKept: `SELECT d.url, d.outcome, d.checked_at AS at FROM (SELECT partition, document FROM versions ORDER BY id DESC LIMIT $1) v
    JOIN documents d ON d.partition = v.partition AND d.id = v.document ORDER BY d.checked_at DESC`,
}

async function countRows(pool: PostgresPool, table: 'documents' | 'versions' | 'bodies') {
  const [estimate] = await pool.query<{ n: number }>(statements.estimate, [table])
  if (estimate!.n > MAX_COUNTED) return { n: estimate!.n, isEstimate: true }
  const [exact] = await pool.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
  return { n: exact!.n, isEstimate: false }
}

/** The state of a cluster as seen from outside, without the disk. Safe while others write. */
export async function readPostgresStatus(pool: PostgresPool): Promise<Omit<StoreStatus, 'disk' | 'lastCollection'>> {
  const [run] = await pool.query<{ id: number; startedAt: number; finishedAt: number | null }>(statements.run)
  const documents = await countRows(pool, 'documents')
  const last = await pool.query<{ url: string; outcome: string; at: number }>(
    documents.isEstimate ? statements.lastKept : statements.lastChecked,
    [LAST_SHOWN],
  )
  const [watching] = await pool.query<StatusReport['watching']>(statements.watching)
  return {
    watching: watching!,
    sources: await readSources(pool),
    frontier: await readFrontier(pool, run?.id ?? 0),
    documents: {
      documents: documents.n,
      versions: (await countRows(pool, 'versions')).n,
      bodies: (await countRows(pool, 'bodies')).n,
    },
    lastRun:
      run === undefined
        ? null
        : {
            id: run.id,
            startedAt: iso(run.startedAt),
            finishedAt: run.finishedAt === null ? null : iso(run.finishedAt),
          },
    lastOutcomes: last.map(({ url, outcome, at }) => ({ url, outcome, at: iso(at) })),
  }
}

/** Free space is unknown: the disk is the server's. */
export async function readPostgresDisk(pool: PostgresPool): Promise<DiskUse> {
  const [row] = await pool.query<{ bytes: number; archive: number }>(statements.disk)
  const { bytes, archive } = row!
  const outside = await createSegments(pool).use()
  return {
    archiveFiles: outside.files,
    archiveBytes: archive + outside.bytes,
    databaseBytes: bytes - archive,
    freeBytes: null,
  }
}

/** Throws if the database doesn't answer. */
export async function pingPostgres(pool: PostgresPool): Promise<void> {
  await pool.query(statements.ping)
}

async function readFrontier(pool: PostgresPool, run: number): Promise<StatusReport['frontier']> {
  const [sums] = await pool.query<{ queued: number; seen: number; hosts: number }>(statements.frontier)
  const [hosts] = await pool.query<{ resting: number; givenUp: number }>(statements.hosts, [run])
  return { ...sums!, hostsResting: hosts!.resting, hostsGivenUp: hosts!.givenUp }
}

/** The sources checked last. */
async function readSources(pool: PostgresPool): Promise<StatusReport['sources']> {
  type Row = { uri: string; outcome: string; status: number; checkedAt: number }
  const rows = await pool.query<Row>(statements.sources, [LAST_SHOWN])
  return rows.map(({ uri, outcome, status, checkedAt }) => ({
    uri,
    outcome: outcome === '' ? 'not checked yet' : outcome,
    status,
    checkedAt: checkedAt === 0 ? null : iso(checkedAt),
  }))
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

/** Counts of stored items, for the stats of a running server. */
export function createPostgresKeptCounter(pool: PostgresPool): () => Promise<KeptCounts> {
  return async () => {
    const [rest] = await pool.query<Pick<KeptCounts, 'annotations' | 'profiles' | 'sources'>>(statements.kept)
    const documents = await countRows(pool, 'documents')
    return { documents: documents.n, versions: (await countRows(pool, 'versions')).n, ...rest! }
  }
}
