import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { AppError } from '../../core/errors.ts'
import type { Database } from './database.ts'

type FileRow = { id: number; name: string; length: number; first_version: number; last_version: number }
type RecordRow = { id: number; offset: number; length: number }

const LEVEL = 6

/**
 * Compresses one closed archive file, each record as a gzip member of its own, so that any record can still be read
 * alone. Plain file and catalogue stay as they are until the new file is whole and on disk; then one transaction
 * moves all pointers, and only then the plain file goes. Whatever is interrupted is done again from the start.
 * Returns false when nothing waits.
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
  const part = join(archive, `${name}.part`)
  const records = db
    .prepare('SELECT id, offset, length FROM versions WHERE id BETWEEN ? AND ? AND file = ? ORDER BY offset')
    .all(file.first_version, file.last_version, file.id) as RecordRow[]
  let moved: Moved | null = null
  try {
    moved = writeMembers(join(archive, file.name), part, file.length, records, isCancelled)
  } catch (error) {
    // Damaged or missing: `verify` reports it. The files behind it need not wait.
    passedOver.add(file.id)
    throw error
  } finally {
    // On a full disk, what was begun would keep the room that others wait for.
    if (moved === null) rmSync(part, { force: true })
  }
  if (moved === null) return false
  renameSync(part, join(archive, name))
  movePointers(db, file.id, name, moved)
  rmSync(join(archive, file.name), { force: true })
  return true
}

type Moved = { records: RecordRow[]; length: number }

function writeMembers(
  from: string,
  to: string,
  fileLength: number,
  records: RecordRow[],
  isCancelled: () => boolean,
): Moved | null {
  const source = openSync(from, 'r')
  const target = openSync(to, 'w')
  try {
    const moved: RecordRow[] = []
    // Whatever stands before the first record of the catalogue is the file's own header record.
    let length = copyMember(source, target, 0, 0, records[0]?.offset ?? fileLength)
    for (const record of records) {
      if (isCancelled()) return null
      const written = copyMember(source, target, length, record.offset, record.length)
      moved.push({ id: record.id, offset: length, length: written })
      length += written
    }
    fsyncSync(target)
    return { records: moved, length }
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

function copyMember(source: number, target: number, at: number, offset: number, length: number): number {
  if (length === 0) return 0
  const bytes = Buffer.allocUnsafe(length)
  if (readSync(source, bytes, 0, length, offset) < length)
    throw new AppError('record-damaged', `archive file ends before the record at ${offset} does`)
  const member = gzipSync(bytes, { level: LEVEL })
  for (let done = 0; done < member.length; ) done += writeSync(target, member, done, member.length - done, at + done)
  return member.length
}

function movePointers(db: Database, fileId: number, name: string, { records, length }: Moved): void {
  const point = db.prepare('UPDATE versions SET offset = ?, length = ? WHERE id = ?')
  db.write(() => {
    for (const { id, offset, length } of records) point.run(offset, length, id)
    db.prepare(`UPDATE files SET name = ?, state = 'compressed', length = ? WHERE id = ?`).run(name, length, fileId)
  })
}
