import type { VerifyFault } from '../../../core/reports/verify-report.ts'
import { partitionCount } from '../../../core/url/partition.ts'
import { collectableSql } from '../../rules/collectable.ts'
import { type LostVersions, noteLost, versionSql } from '../../rules/versioning.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { lockInPartitions, partitionOfId } from '../connection/row-batch.ts'
import { partitionOfDigest } from '../documents/documents-bodies.ts'

/** Approximate number of rows scanned per statement. */
const ROWS_AT_ONCE = 500_000

const within = 'v.partition BETWEEN $1::smallint AND $2::smallint'
const references = `SELECT v.id, v.record, v.original, v.digest FROM versions v
    WHERE ${within} AND ${collectableSql.isKeptByAnother}`

/**
 * Versions whose body can't be read, judging by the catalogue alone. Originals may be in other partitions, maybe on another server:
 * `orphaned` subtracts the references that have their original from all references.
 */
export const damagedVersions = {
  bare: `SELECT v.id, v.record FROM versions v WHERE ${within} AND ${collectableSql.hasNoRecord('record')}`,
  orphaned: `SELECT r.id, r.record FROM (${references}) r EXCEPT SELECT r.id, r.record FROM (${references} OFFSET 0) r
    JOIN versions o ON o.partition = (r.original % ${partitionCount})::smallint AND o.id = r.original AND ${collectableSql.hasBodyOf('r')}`,
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
  ['kept versions without a record', `SELECT count(*) AS n FROM (${damagedVersions.bare}) damaged`],
  [
    'repeated bodies whose original is not there or not kept',
    `SELECT count(*) AS n FROM (${damagedVersions.orphaned}) damaged`,
  ],
  [
    'held versions that are not there',
    `SELECT count(*) AS n FROM holds v WHERE ${within} AND NOT EXISTS
      (SELECT 1 FROM versions x WHERE x.partition = v.partition AND x.id = v.version)`,
  ],
]

/**
 * Dangling references in the catalogue. Each statement has one snapshot, and related rows are written together. Only a body in another
 * partition may be about to be removed while a new version refers to it; such a reference is found once, but not when counted again.
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

/** Ranges of partitions, each large enough for one statement. */
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

/** A version whose record can't be read, with that record: another one may have replaced it by now. */
type DamagedVersion = { versionId: number; record: number }

const BATCH = 500

const these = 'v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])'

const repairStatements = {
  damaged: `SELECT id AS "versionId", record FROM (${damagedVersions.bare}) bare
    UNION SELECT id, record FROM (${damagedVersions.orphaned}) orphaned`,
  lock: `SELECT v.id, v.digest, v.record, d.url FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id = ANY($2::bigint[]) ORDER BY v.id FOR UPDATE OF v`,
  sharing: `SELECT v.id FROM versions v WHERE v.original = ANY($1::bigint[]) AND ${collectableSql.isReference('v')}`,
  lose: `UPDATE versions v SET body = ${versionSql.bodyOnceLost}, original = v.id, record = 0, length = 0
    WHERE ${these}`,
  forgetBodies: `DELETE FROM bodies b USING unnest($1::smallint[], $2::bytea[], $3::bigint[]) AS r(partition, digest, version)
    WHERE b.partition = r.partition AND b.digest = r.digest AND b.version = r.version`,
  removeRecords: 'DELETE FROM records WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])',
}

type LockedRow = { id: number; digest: Buffer; record: number; url: string }

/**
 * Marks versions that can't be read as lost, so that the catalogue lists nothing that doesn't exist. The next crawl fetches each document
 * unconditionally and refills the same version. Safe while workers run: once a version is lost no new version refers to it, and those
 * that already do are marked as lost after it.
 */
export async function giveUpPostgresDamage(
  pool: PostgresPool,
  damaged: readonly DamagedVersion[],
): Promise<LostVersions> {
  const lost: LostVersions = { count: 0, urls: [] }
  const all = [...damaged]
  for (const portion of await portionsOf(pool))
    all.push(...(await pool.query<DamagedVersion>(repairStatements.damaged, portion)))
  for (let start = 0; start < all.length; start += BATCH) {
    const batch = all.slice(start, start + BATCH)
    const gone = await pool.transaction((tx) => lose(tx, batch))
    for (const { url } of gone) noteLost(lost, () => url)
    const ids = gone.map(({ id }) => id)
    const sharing = await pool.query<{ id: number }>(repairStatements.sharing, [ids])
    const references = sharing.map(({ id }) => ({ versionId: id, record: null }))
    for (const { url } of await pool.transaction((tx) => lose(tx, references))) noteLost(lost, () => url)
  }
  return lost
}

/** Marks those versions as lost that still have the record found to be damaged; `null` for any record. */
async function lose(tx: Tx, damaged: readonly { versionId: number; record: number | null }[]): Promise<LockedRow[]> {
  if (damaged.length === 0) return []
  const records = new Map(damaged.map(({ versionId, record }) => [versionId, record]))
  const locked = await lockInPartitions<LockedRow>(tx, repairStatements.lock, [...records.keys()])
  const rows = locked.filter(({ id, record }) => {
    const expected = records.get(id) ?? null
    return expected === null || expected === record
  })
  if (rows.length === 0) return rows
  const ids = rows.map(({ id }) => id)
  await tx.query(repairStatements.lose, those(ids))
  await tx.query(repairStatements.forgetBodies, [
    rows.map(({ digest }) => partitionOfDigest(digest)),
    rows.map(({ digest }) => digest),
    ids,
  ])
  await tx.query(repairStatements.removeRecords, [
    [...new Set(ids.map(partitionOfId))],
    rows.map(({ record }) => record).filter((record) => record > 0),
  ])
  return rows
}

function those(ids: readonly number[]): [partitions: number[], ids: readonly number[]] {
  return [[...new Set(ids.map(partitionOfId))], ids]
}
