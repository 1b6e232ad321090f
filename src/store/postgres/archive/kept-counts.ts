import type { KeptCounts } from '../../contracts/kept-counts.ts'
import type { PostgresPool } from '../connection/pool.ts'

/** Above so many rows the server's own estimate is good enough; below it counting takes moments. */
const MAX_COUNTED = 2_000_000

const statements = {
  estimate: 'SELECT greatest(0, reltuples)::bigint AS n FROM pg_class WHERE oid = $1::regclass',
  documents: 'SELECT count(*) AS n FROM documents',
  versions: 'SELECT count(*) AS n FROM versions',
  rest: `SELECT (SELECT coalesce(sum(shown + archived), 0)::bigint FROM inbox_counts) AS annotations,
    (SELECT count(*) FROM profiles) AS profiles, (SELECT count(DISTINCT watch) FROM urds) AS sources`,
}

export function createKeptCounter(pool: PostgresPool): () => Promise<KeptCounts> {
  async function count(table: 'documents' | 'versions'): Promise<number> {
    const [estimate] = await pool.query<{ n: number }>(statements.estimate, [table])
    if (estimate!.n > MAX_COUNTED) return estimate!.n
    return (await pool.query<{ n: number }>(statements[table]))[0]!.n
  }

  return async () => {
    const [rest] = await pool.query<Pick<KeptCounts, 'annotations' | 'profiles' | 'sources'>>(statements.rest)
    return { documents: await count('documents'), versions: await count('versions'), ...rest! }
  }
}
