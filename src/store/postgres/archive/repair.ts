import { collectableSql } from '../../rules/collectable.ts'
import { type LostVersions, noteLost, versionSql } from '../../rules/versioning.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { partitionOfId } from '../connection/row-batch.ts'
import { partitionOfDigest } from '../documents/documents-bodies.ts'
import { lockInPartitions } from '../leases/partition-locks.ts'
import { damagedVersions, portionsOf } from './checks.ts'

/** A version whose record can't be read, and which record that was: another one may have taken its place by now. */
export type DamagedVersion = { versionId: number; record: number }

const BATCH = 500

const these = 'v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])'

const repairStatements = {
  damaged: `SELECT v.id AS "versionId", v.record FROM versions v WHERE v.partition BETWEEN $1::smallint AND $2::smallint
    AND (${Object.values(damagedVersions)
      .map((condition) => `(${condition})`)
      .join(' OR ')})`,
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
 * Gives up what can't be read any more, so that the catalogue promises nothing that is not there. The next crawl asks for each document
 * without conditions and fills the same version in again. Safe beside workers: once a version is lost nobody refers
 * to it, and those who did so until then are lost after it.
 */
export async function giveUpDamaged(pool: PostgresPool, damaged: readonly DamagedVersion[]): Promise<LostVersions> {
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

/** Those that still have the record that was found to be damaged; `null` for whatever it is. */
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
