import type { DocumentCounts } from '../../contracts/documents.ts'
import type { Sender } from '../connection/pool.ts'

const tables = ['documents', 'versions', 'bodies'] as const

/** Up to so many rows are counted one by one; beyond, the server's own estimate serves. */
const MAX_COUNTED = 20_000

const countStatement = (table: (typeof tables)[number]): string =>
  `SELECT count(*) AS counted FROM (SELECT 1 FROM ${table} LIMIT ${MAX_COUNTED + 1}) AS first`

/** Rows for each page when the table was last looked at, times the pages that there are now. */
const estimateStatement = `SELECT (CASE WHEN reltuples < 0 OR relpages = 0 THEN 0
  ELSE reltuples / relpages * (pg_relation_size(oid) / current_setting('block_size')::int) END)::bigint AS estimate
  FROM pg_class WHERE oid = to_regclass($1)`

/** Exact while there is little, and cheap when there is much. */
export function createDocumentCounts(sender: Sender): () => Promise<DocumentCounts> {
  async function count(table: (typeof tables)[number]): Promise<number> {
    const [row] = await sender.query<{ counted: number }>(countStatement(table))
    const { counted } = row!
    if (counted <= MAX_COUNTED) return counted
    const [guess] = await sender.query<{ estimate: number }>(estimateStatement, [table])
    return Math.max(counted, guess?.estimate ?? 0)
  }
  return async () => {
    const [documents, versions, bodies] = await Promise.all(tables.map(count))
    return { documents: documents!, versions: versions!, bodies: bodies! }
  }
}
