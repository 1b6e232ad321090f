import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'
import type { CataloguedRecord, ObjectStore, RecordPointer } from '../../contracts/objects.ts'
import type { PostgresPool } from '../connection/pool.ts'

/**
 * Records lie in the database. A volume is a partition: its id is the partition's number plus one, `offset` the id of the record,
 * `length` the bytes that are stored of it.
 */
export const objectStatements = {
  parts: `SELECT part, coding, bytes FROM records WHERE partition = $1::smallint AND id = $2::bigint AND part >= $3::int
    ORDER BY part LIMIT $4`,
  /** Of several small records. */
  several: `SELECT id, part, coding, bytes FROM records WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])
    ORDER BY id, part`,
  files: `SELECT partition, stored_bytes('records') AS bytes FROM (SELECT DISTINCT partition FROM records) p ORDER BY partition`,
  records: `SELECT v.id AS "versionId", v.record AS "offset", v.length, v.digest, v.size, v.original <> v.id AS revisit, d.url
    FROM versions v JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id > $2::bigint AND v.record > 0 ORDER BY v.id LIMIT $3`,
}

/** Parts of a record, each of 1 MiB at most, that are read at a time. */
const PARTS_AT_ONCE = 4
const RECORDS_AT_ONCE = 10_000
/** Reads of the same moment are sent as one query, up to this size of each and this many. */
const MAX_SMALL_BYTES = 256 * 1024
const MAX_TOGETHER = 16

type PartRow = { part: number; coding: number; bytes: Buffer }
type Waiting = { pointer: RecordPointer; resolve(record: Buffer): void; reject(error: unknown): void }

export function createPostgresObjects(pool: PostgresPool): ObjectStore {
  let waiting: Waiting[] = []

  async function readAlone(pointer: RecordPointer): Promise<Buffer> {
    const { fileId, offset } = pointer
    const rows: PartRow[] = []
    for (;;) {
      const more = await pool.query<PartRow>(objectStatements.parts, [fileId - 1, offset, rows.length, PARTS_AT_ONCE])
      rows.push(...more)
      if (more.length < PARTS_AT_ONCE) return joinParts(rows, pointer)
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
    for (const { pointer, resolve, reject } of batch) {
      try {
        resolve(joinParts(parts.get(pointer.offset) ?? [], pointer))
      } catch (error) {
        reject(error)
      }
    }
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
        // Records that were brought back are younger than their versions.
        if (rows.length < RECORDS_AT_ONCE) return all.sort((a, b) => a.offset - b.offset)
      }
    },
  }
}

/** The whole record from all parts that there are of it. */
function joinParts(rows: readonly PartRow[], { fileId, offset, length }: RecordPointer): Buffer {
  const name = `record ${offset} of partition ${fileId - 1}`
  if (rows.length === 0) throw new AppError('record-damaged', `${name} is not there`)
  const lacking = rows.findIndex(({ part }, index) => part !== index)
  if (lacking >= 0) throw new AppError('record-damaged', `${name} lacks part ${lacking}`)
  const stored = rows.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (stored !== length) throw new AppError('record-damaged', `${name} has ${stored} bytes instead of ${length}`)
  const pieces = rows.map((row) => readPart(row, name))
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** A record as it is stored: in parts, each compressed on its own, so that none need be held whole by the server. */
export type RecordPart = { coding: Coding; bytes: Buffer }

type Coding = typeof PLAIN | typeof ZSTD

const PLAIN = 0
const ZSTD = 1
/** Of the record itself, before it is compressed. */
const MAX_PART_BYTES = 1 << 20
/** Less is not worth the while. */
const MIN_SAVED = 0.05
const params = { [constants.ZSTD_c_compressionLevel]: 1 }

export function partsOf(pieces: readonly Uint8Array[]): RecordPart[] {
  const record = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  const parts: RecordPart[] = []
  for (let start = 0; start === 0 || start < record.length; start += MAX_PART_BYTES)
    parts.push(partOf(record.subarray(start, start + MAX_PART_BYTES)))
  return parts
}

function partOf(piece: Uint8Array): RecordPart {
  const packed = zstdCompressSync(piece, { params, pledgedSrcSize: piece.length })
  if (packed.length < piece.length * (1 - MIN_SAVED)) return { coding: ZSTD, bytes: packed }
  return { coding: PLAIN, bytes: Buffer.from(piece.buffer, piece.byteOffset, piece.length) }
}

export function readPart({ coding, bytes }: { coding: number; bytes: Buffer }, name: string): Buffer {
  if (coding === PLAIN) return bytes
  if (coding !== ZSTD) throw new AppError('record-damaged', `${name} has the unknown coding ${coding}`)
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: MAX_PART_BYTES })
  } catch (error) {
    throw new AppError('record-damaged', `${name} can't be unpacked: ${(error as Error).message}`, { cause: error })
  }
}
