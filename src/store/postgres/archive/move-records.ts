import { isAppError } from '../../../core/errors.ts'
import { partitionCount } from '../../../core/url/partition.ts'
import type { BackendKind } from '../../contracts/object-backend.ts'
import type { ObjectStore } from '../../contracts/objects.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { documentStatements } from '../documents/documents-statements.ts'
import { recordStatements } from '../documents/documents-write.ts'
import { MIN_PLACED_BYTES, type RecordKeeper } from './record-keeper.ts'
import { PACK_BYTES, placedCodings, type RecordPart, storedLength } from './record-parts.ts'
import type { SegmentCatalogue } from './segments.ts'

/**
 * Moves records to where the keeper puts them, while others read and write. Each record is read and written again; then one transaction
 * replaces its rows, if they are still what was read. So every record can be read at any moment, and a killed process leaves at worst a
 * copy that no row points at. No progress is stored: the rows tell which records are still to be moved.
 */
export type MoveDeps = {
  pool: PostgresPool
  objects: Pick<ObjectStore, 'read'>
  keeper: RecordKeeper
  signal: AbortSignal
  onProgress?(moved: Moved & { partition: number; partitions: number }): void
}

/** `left`: records that can't be read; `verify` reports them. */
export type Moved = { records: number; bytes: number; left: number }

const isOutside = `r.coding IN (${placedCodings.join(', ')})`

const select = (condition: string): string => `SELECT v.id AS version, v.record, v.length, sha256(r.bytes) AS digest
    FROM versions v JOIN records r ON r.partition = $1::smallint AND r.id = v.record AND r.part = 0
    WHERE v.partition = $1::smallint AND v.id > $2::bigint AND v.record > 0 AND ${condition} ORDER BY v.id LIMIT $3`

export const moveStatements = {
  inside: select(`NOT ${isOutside} AND octet_length(r.bytes) >= ${MIN_PLACED_BYTES}`),
  outside: select(isOutside),
  inSegments: select(`${isOutside} AND substring(r.bytes FOR 8) = ANY($4::bytea[])`),
  inPacks: select(`${isOutside} AND substring(r.bytes FOR ${PACK_BYTES}) = ANY($4::bytea[])`),
  lock: `SELECT id FROM versions WHERE partition = $1::smallint AND id = ANY($2::bigint[]) ORDER BY id FOR UPDATE`,
  same: `SELECT v.id AS version FROM unnest($2::bigint[], $3::bigint[], $4::bytea[]) AS k(version, record, digest)
    CROSS JOIN LATERAL (SELECT * FROM versions x WHERE x.partition = $1::smallint AND x.id = k.version OFFSET 0) v
    CROSS JOIN LATERAL (SELECT * FROM records x WHERE x.partition = $1::smallint AND x.id = k.record AND x.part = 0 OFFSET 0) r
    WHERE v.record = k.record AND sha256(r.bytes) = k.digest`,
  length: `UPDATE versions v SET length = k.length FROM unnest($2::bigint[], $3::bigint[]) AS k(id, length)
    WHERE v.partition = $1::smallint AND v.id = k.id`,
}

type Candidate = { version: number; record: number; length: number; digest: Buffer }
type Choice = { text: string; values: readonly unknown[] }
type Copied = Candidate & { parts: RecordPart[] }

const RECORDS_AT_ONCE = 100
const MAX_BATCH_BYTES = 16 << 20

/** Moves all records that aren't there yet to the backend; `null` for the database. */
export async function moveAll(deps: MoveDeps & { segments: SegmentCatalogue }, to: BackendKind | null): Promise<Moved> {
  if (to === null) return moveChosen(deps, [{ text: moveStatements.outside, values: [] }])
  const others = (await deps.segments.ofOthers(to)).map(segmentKey)
  return moveChosen(deps, [
    { text: moveStatements.inside, values: [] },
    ...(others.length === 0 ? [] : [{ text: moveStatements.inSegments, values: [others] }]),
  ])
}

/** Moves all records out of these packs. */
export function moveOutOfPacks(deps: MoveDeps, packs: readonly Buffer[]): Promise<Moved> {
  return moveChosen(deps, [{ text: moveStatements.inPacks, values: [packs] }])
}

function segmentKey(id: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(id))
  return bytes
}

async function moveChosen(deps: MoveDeps, choices: readonly Choice[]): Promise<Moved> {
  const { pool, signal, onProgress } = deps
  const moved: Moved = { records: 0, bytes: 0, left: 0 }
  for (let partition = 0; partition < partitionCount; partition++)
    for (const { text, values } of choices)
      for (let after = 0; !signal.aborted; ) {
        const rows = await pool.query<Candidate>(text, [partition, after, RECORDS_AT_ONCE, ...values])
        for (const batch of batches(rows)) await moveBatch(deps, partition, batch, moved)
        onProgress?.({ ...moved, partition, partitions: partitionCount })
        if (rows.length < RECORDS_AT_ONCE) break
        after = rows.at(-1)!.version
      }
  return moved
}

function* batches(rows: readonly Candidate[]): Generator<Candidate[]> {
  let batch: Candidate[] = []
  let bytes = 0
  for (const row of rows) {
    if (batch.length > 0 && bytes + row.length > MAX_BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += row.length
  }
  if (batch.length > 0) yield batch
}

async function moveBatch(deps: MoveDeps, partition: number, batch: readonly Candidate[], moved: Moved): Promise<void> {
  const { objects, keeper, pool } = deps
  const read: { row: Candidate; record: Buffer }[] = []
  for (const row of batch) {
    try {
      const pointer = { fileId: partition + 1, offset: row.record, length: row.length }
      read.push({ row, record: await objects.read(pointer) })
    } catch (error) {
      if (!isAppError(error, 'record-damaged')) throw error
      moved.left++
    }
  }
  const kept = await keeper.keep(read.map(({ record }) => [record]))
  const copies = read.map(({ row }, index): Copied => ({ ...row, parts: kept[index]! }))
  const done = await pool.transaction((tx) => exchange(tx, partition, copies))
  moved.records += done.length
  moved.bytes += done.reduce((sum, { parts }) => sum + storedLength(parts), 0)
}

async function exchange(tx: Tx, partition: number, copies: readonly Copied[]): Promise<Copied[]> {
  if (copies.length === 0) return []
  const versions = copies.map(({ version }) => version)
  await tx.query(moveStatements.lock, [partition, versions])
  const same = await tx.query<{ version: number }>(moveStatements.same, [
    partition,
    versions,
    copies.map(({ record }) => record),
    copies.map(({ digest }) => digest),
  ])
  const unchanged = new Set(same.map(({ version }) => version))
  const done = copies.filter(({ version }) => unchanged.has(version))
  if (done.length === 0) return []
  await tx.query(documentStatements.dropRecords, [partition, done.map(({ record }) => record)])
  const rows = done.map(({ record, parts }) => ({ id: record, parts }))
  for (const values of recordStatements(rows)) await tx.query(documentStatements.insertRecords, [partition, ...values])
  await tx.query(moveStatements.length, [
    partition,
    done.map(({ version }) => version),
    done.map(({ parts }) => storedLength(parts)),
  ])
  return done
}
