import { AppError, isAppError } from '../../../core/errors.ts'
import type { CataloguedRecord, ObjectStore, RecordPointer } from '../../contracts/objects.ts'
import type { PostgresPool } from '../connection/pool.ts'
import type { PlaceReader } from './place-reader.ts'
import { isPlaced, readPart } from './record-parts.ts'

/**
 * Records are in the database, or it holds their location. A volume is a partition: its id is the partition's number plus one, `offset` is
 * the id of the record, `length` its stored size.
 */
export const objectStatements = {
  parts: `SELECT part, coding, bytes FROM records WHERE partition = $1::smallint AND id = $2::bigint AND part >= $3::int
    ORDER BY part LIMIT $4`,
  /** Parts of several small records. */
  several: `SELECT id, part, coding, bytes FROM records WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])
    ORDER BY id, part`,
  files: `SELECT partition, stored_bytes('records') AS bytes FROM (SELECT DISTINCT partition FROM records) p ORDER BY partition`,
  records: `SELECT v.id AS "versionId", v.record AS "offset", v.length, v.digest, v.size, v.original <> v.id AS revisit, d.url
    FROM versions v JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id > $2::bigint AND v.record > 0 ORDER BY v.id LIMIT $3`,
}

/** Parts of a record, each of at most 1 MiB, read per query. */
const PARTS_AT_ONCE = 4
const RECORDS_AT_ONCE = 10_000
/** Concurrent reads are batched into one query: records up to this size, and up to this many. */
const MAX_SMALL_BYTES = 256 * 1024
const MAX_TOGETHER = 16

type PartRow = { part: number; coding: number; bytes: Buffer }
type Waiting = { pointer: RecordPointer; resolve(record: Buffer): void; reject(error: unknown): void }

/** Without `places`, only records in the database can be read. */
export function createPostgresObjects(pool: PostgresPool, places: PlaceReader = noPlaces): ObjectStore {
  let waiting: Waiting[] = []

  async function readRows({ fileId, offset }: RecordPointer): Promise<PartRow[]> {
    const rows: PartRow[] = []
    for (;;) {
      const more = await pool.query<PartRow>(objectStatements.parts, [fileId - 1, offset, rows.length, PARTS_AT_ONCE])
      rows.push(...more)
      if (more.length < PARTS_AT_ONCE) return rows
    }
  }

  async function readAlone(pointer: RecordPointer): Promise<Buffer> {
    return readRecord(await readRows(pointer), pointer)
  }

  async function readRecord(rows: readonly PartRow[], pointer: RecordPointer): Promise<Buffer> {
    const [row] = rows
    if (row === undefined || !isPlaced(row.coding)) return joinParts(rows, pointer)
    try {
      return await places.read(row, nameOf(pointer))
    } catch (error) {
      if (!isAppError(error, 'record-damaged')) throw error
      // It may have been moved since its row was read.
      const now = await readRows(pointer)
      if (now[0]?.coding === row.coding && now[0].bytes.equals(row.bytes)) throw error
      return now[0] !== undefined && isPlaced(now[0].coding)
        ? places.read(now[0], nameOf(pointer))
        : joinParts(now, pointer)
    }
  }

  async function readTogether(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 1) {
      const { pointer, resolve, reject } = batch[0]!
      return readAlone(pointer).then(resolve, reject)
    }
    const partitions = [...new Set(batch.map(({ pointer }) => pointer.fileId - 1))]
    const ids = batch.map(({ pointer }) => pointer.offset)
    let rows: (PartRow & { id: number })[]
    try {
      rows = await pool.query<PartRow & { id: number }>(objectStatements.several, [partitions, ids])
    } catch (error) {
      for (const { reject } of batch) reject(error)
      return
    }
    const parts = Map.groupBy(rows, ({ id }) => id)
    for (const { pointer, resolve, reject } of batch)
      readRecord(parts.get(pointer.offset) ?? [], pointer).then(resolve, reject)
  }

  function readWithOthers(pointer: RecordPointer): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    waiting.push({ pointer, resolve, reject })
    if (waiting.length === 1)
      queueMicrotask(() => {
        const all = waiting
        waiting = []
        for (let start = 0; start < all.length; start += MAX_TOGETHER)
          void readTogether(all.slice(start, start + MAX_TOGETHER))
      })
    return promise
  }

  return {
    read: async (pointer) => (pointer.length > MAX_SMALL_BYTES ? readAlone(pointer) : readWithOthers(pointer)),
    async volumes() {
      const rows = await pool.query<{ partition: number; bytes: number }>(objectStatements.files)
      return rows.map(({ partition, bytes }) => {
        const name = `partition-${String(partition).padStart(3, '0')}`
        return { kind: 'partition', id: partition + 1, name, length: Math.round(bytes / rows.length) }
      })
    },
    async records(fileId) {
      const all: CataloguedRecord[] = []
      for (let after = 0; ; after = all.at(-1)!.versionId) {
        const values = [fileId - 1, after, RECORDS_AT_ONCE]
        const rows = await pool.query<Omit<CataloguedRecord, 'fileId'>>(objectStatements.records, values)
        for (const row of rows) all.push({ ...row, fileId })
        // Restored records are newer than their versions.
        if (rows.length < RECORDS_AT_ONCE) return all.sort((a, b) => a.offset - b.offset)
      }
    },
  }
}

/** Joins the parts of a record; throws if any are missing. */
function joinParts(rows: readonly PartRow[], pointer: RecordPointer): Buffer {
  const { length } = pointer
  const name = nameOf(pointer)
  if (rows.length === 0) throw new AppError('record-damaged', `${name} is not there`)
  const lacking = rows.findIndex(({ part }, index) => part !== index)
  if (lacking >= 0) throw new AppError('record-damaged', `${name} lacks part ${lacking}`)
  const stored = rows.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (stored !== length) throw new AppError('record-damaged', `${name} has ${stored} bytes instead of ${length}`)
  const pieces = rows.map((row) => readPart(row, name))
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

const nameOf = ({ fileId, offset }: RecordPointer): string => `record ${offset} of partition ${fileId - 1}`

const noPlaces: PlaceReader = {
  async read(_, name) {
    throw new AppError('store-refused', `${name} lies outside of the database, and \`objects\` is not configured here`)
  },
}
