import { AppError } from '../../core/errors.ts'
import type { ArchiveFile, CataloguedRecord, ObjectStore } from '../objects.ts'
import type { ClusterPool } from './pool.ts'
import { readPart } from './record-parts.ts'

/**
 * Records lie in the database. What stands for a file is a partition: `fileId` is its number plus one, `offset` the id of the
 * record, `length` the bytes that are stored of it. Such a file has no path.
 */
export const objectStatements = {
  parts: `SELECT part, coding, bytes FROM records WHERE partition = $1::smallint AND id = $2::bigint AND part >= $3::int
    ORDER BY part LIMIT $4`,
  files: `SELECT p AS partition, pg_table_size('records') AS bytes FROM generate_series(0, 255) p
    WHERE EXISTS (SELECT 1 FROM records WHERE records.partition = p::smallint)`,
  records: `SELECT v.id AS "versionId", v.record AS "offset", v.length, v.digest, v.size, v.original <> v.id AS revisit, d.url
    FROM versions v JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id > $2::bigint AND v.record > 0 ORDER BY v.id LIMIT $3`,
}

/** So many parts of a record, each of 1 MiB at most, travel at a time. */
const PARTS_AT_ONCE = 4
const RECORDS_AT_ONCE = 10_000

type PartRow = { part: number; coding: number; bytes: Buffer }

export function createClusterObjects(pool: ClusterPool): ObjectStore {
  return {
    async read({ fileId, offset, length }) {
      const name = `record ${offset} of partition ${fileId - 1}`
      const pieces: Buffer[] = []
      let stored = 0
      for (;;) {
        const rows = await pool.query<PartRow>(objectStatements.parts, [
          fileId - 1,
          offset,
          pieces.length,
          PARTS_AT_ONCE,
        ])
        for (const row of rows) {
          if (row.part !== pieces.length) throw new AppError('record-damaged', `${name} lacks part ${pieces.length}`)
          stored += row.bytes.length
          pieces.push(readPart(row, name))
        }
        if (rows.length < PARTS_AT_ONCE) break
      }
      if (pieces.length === 0) throw new AppError('record-damaged', `${name} is not there`)
      if (stored !== length) throw new AppError('record-damaged', `${name} has ${stored} bytes instead of ${length}`)
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    },
    async files() {
      const rows = await pool.query<{ partition: number; bytes: number }>(objectStatements.files)
      return rows.map(({ partition, bytes }): ArchiveFile => {
        const name = `partition-${String(partition).padStart(3, '0')}`
        return { id: partition + 1, name, path: '', state: 'open', length: Math.round(bytes / rows.length) }
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
