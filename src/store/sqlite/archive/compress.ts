import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Database } from '../folder/database.ts'
import { copyRecords, type Moved, movePointers, type RecordRow } from './archive-copy.ts'

type FileRow = { id: number; name: string; length: number; first_version: number; last_version: number }

const LEVEL = 6

export function hasClosedFile(db: Database): boolean {
  return db.prepare(`SELECT 1 FROM files WHERE state = 'closed' LIMIT 1`).get() !== undefined
}

/**
 * Compresses one closed archive file, each record as a separate gzip member, so that any record can still be read
 * alone. Plain file and catalogue stay unchanged until the new file is complete and on disk; then one transaction
 * moves all pointers, and only then the plain file is removed. After an interruption, a file is compressed again from the start.
 * Records that no version points at are left out. Returns false if there is nothing to compress. The caller holds the lock
 * `housekeeping`.
 */
export function compressNextFile(
  db: Database,
  archive: string,
  isCancelled: () => boolean,
  passedOver: Set<number> = new Set(),
): boolean {
  const files = db
    .prepare(`SELECT id, name, length, first_version, last_version FROM files WHERE state = 'closed' ORDER BY id`)
    .all() as FileRow[]
  const file = files.find(({ id }) => !passedOver.has(id))
  if (file === undefined) return false
  const name = `${file.name}.gz`
  const records = db
    .prepare('SELECT id, offset, length FROM versions WHERE id BETWEEN ? AND ? AND file = ? ORDER BY offset')
    .all(file.first_version, file.last_version, file.id) as RecordRow[]
  let moved: Moved | null
  try {
    moved = copyRecords({
      from: join(archive, file.name),
      fromCompressed: false,
      to: join(archive, name),
      fileLength: file.length,
      records,
      convert: gzipMember,
      isCancelled,
    })
  } catch (error) {
    // Damaged or missing: `verify` reports it. Skip it, so that it doesn't block the files after it.
    passedOver.add(file.id)
    throw error
  }
  if (moved === null) return false
  movePointers(db, { fileId: file.id, name, state: 'compressed', moved })
  rmSync(join(archive, file.name), { force: true })
  return true
}

export function gzipMember(record: Buffer): Buffer {
  return gzipSync(record, { level: LEVEL })
}
