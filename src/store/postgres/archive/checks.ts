import { partitionCount } from '../../../core/partition.ts'
import type { VerifyFault } from '../../../core/reports/verify-report.ts'
import { collectableSql } from '../../rules/collectable.ts'
import type { PostgresPool } from '../connection/pool.ts'

/** So many rows are looked at by one statement, roughly. */
const ROWS_AT_ONCE = 500_000

const within = 'v.partition BETWEEN $1::smallint AND $2::smallint'

/** Conditions on versions `v` whose body can't be read, whatever the records hold. */
export const damagedVersions = {
  bare: collectableSql.hasNoRecord('record'),
  orphaned: collectableSql.hasNoOriginal(`o.partition = v.original % ${partitionCount} AND o.id = v.original`),
} as const

const checks: readonly [what: string, sql: string][] = [
  [
    'documents whose current version is not there',
    `SELECT count(*) AS n FROM documents v WHERE ${within} AND v.version > 0 AND NOT EXISTS
      (SELECT 1 FROM versions x WHERE x.partition = v.partition AND x.id = v.version)`,
  ],
  [
    'documents whose current version is not their newest',
    `SELECT count(*) AS n FROM documents v JOIN
      (SELECT v.partition, v.document, (array_agg(v.id ORDER BY v.n DESC))[1] AS newest FROM versions v WHERE ${within}
       GROUP BY v.partition, v.document) x ON x.partition = v.partition AND x.document = v.id
      WHERE ${within} AND v.version <> x.newest`,
  ],
  [
    'versions that are older than one with a smaller number',
    `SELECT count(*) AS n FROM (SELECT v.id, lag(v.id) OVER (PARTITION BY v.partition, v.document ORDER BY v.n) AS before
      FROM versions v WHERE ${within}) x WHERE x.before > x.id`,
  ],
  [
    'versions of documents that are not there',
    `SELECT count(*) AS n FROM versions v WHERE ${within} AND NOT EXISTS
      (SELECT 1 FROM documents d WHERE d.partition = v.partition AND d.id = v.document)`,
  ],
  [
    'kept versions without a record',
    `SELECT count(*) AS n FROM versions v WHERE ${within} AND ${damagedVersions.bare}`,
  ],
  [
    'repeated bodies whose original is not there or not kept',
    `SELECT count(*) AS n FROM versions v WHERE ${within} AND ${damagedVersions.orphaned}`,
  ],
  [
    'held versions that are not there',
    `SELECT count(*) AS n FROM holds v WHERE ${within} AND NOT EXISTS
      (SELECT 1 FROM versions x WHERE x.partition = v.partition AND x.id = v.version)`,
  ],
]

/**
 * Rows of the catalogue that point at nothing. Each statement sees one moment, and what belongs together is written together. Only a body
 * in another partition may be on its way out while somebody refers to it; such a reference is seen once and not again.
 */
export async function findPostgresFaults(pool: PostgresPool): Promise<VerifyFault[]> {
  const portions = await portionsOf(pool)
  const faults: VerifyFault[] = []
  for (const [what, sql] of checks) {
    let found = 0
    for (const portion of portions) {
      const count = async (): Promise<number> => (await pool.query<{ n: number }>(sql, portion))[0]!.n
      const once = await count()
      if (once > 0) found += Math.min(once, await count())
    }
    if (found > 0) faults.push({ file: 'database', offset: null, url: null, message: `${found} ${what}` })
  }
  return faults
}

/** Spans of partitions that are worth a statement each. */
export async function portionsOf(pool: PostgresPool): Promise<[from: number, to: number][]> {
  const [row] = await pool.query<{ n: number }>(
    `SELECT greatest(0, reltuples)::bigint AS n FROM pg_class WHERE oid = 'versions'::regclass`,
  )
  const count = Math.min(partitionCount, Math.ceil((row!.n + 1) / ROWS_AT_ONCE))
  const length = Math.ceil(partitionCount / count)
  return Array.from({ length: Math.ceil(partitionCount / length) }, (_, index) => [
    index * length,
    Math.min(partitionCount, (index + 1) * length) - 1,
  ])
}
