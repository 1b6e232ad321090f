import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'
import { gzipHeaderLength } from '../../../core/warc/gzip-header.ts'
import { parseRecordHead } from '../../../core/warc/record-head.ts'
import { type Database, storeError } from '../folder/database.ts'
import { PRIVATE_FILE } from '../folder/private-files.ts'

export type RecordRow = { id: number; offset: number; length: number }

/** Locations of a file's records after copying. */
export type Moved = { records: (RecordRow & { movedTo: number; movedLength: number })[]; length: number }

export type CopyOptions = {
  from: string
  fromCompressed: boolean
  to: string
  /** Length of the valid content of the old file. */
  fileLength: number
  /** The records to copy, by offset. */
  records: readonly RecordRow[]
  /** Returns the bytes to write for a record; throws if it is damaged. */
  convert(record: Buffer, offset: number): Buffer
  isCancelled(): boolean
}

/**
 * Copies an archive file record by record: its own header, then only the given records. The copy is written to `to` + `.part`, and
 * renamed once it is complete and on disk. On failure it is removed. Returns null if it was cancelled.
 */
export function copyRecords(options: CopyOptions): Moved | null {
  const part = `${options.to}.part`
  let moved: Moved | null = null
  try {
    moved = writeRecords(options, part)
    if (moved === null) return null
    renameSync(part, options.to)
    syncFolder(dirname(options.to))
    return moved
  } catch (error) {
    moved = null
    throw storeError(error, options.to)
  } finally {
    // On a full disk, a partial copy would occupy space that others are waiting for.
    if (moved === null) rmSync(part, { force: true })
  }
}

function writeRecords(
  { from, fromCompressed, fileLength, records, convert, isCancelled }: CopyOptions,
  part: string,
): Moved | null {
  const source = openSync(from, 'r')
  try {
    const target = openSync(part, 'w', PRIVATE_FILE)
    try {
      const moved: Moved['records'] = []
      const headerLength = headerLengthOf(source, fromCompressed, fileLength, records[0]?.offset ?? fileLength)
      let length = 0
      if (headerLength > 0) length += writeAll(target, convert(readAll(source, 0, headerLength), 0), length)
      for (const { id, offset, length: recordLength } of records) {
        if (isCancelled()) return null
        if (offset < 0 || recordLength <= 0 || offset + recordLength > fileLength)
          throw new AppError('record-damaged', `a record can't have ${recordLength} bytes at ${offset}`)
        const written = writeAll(target, convert(readAll(source, offset, recordLength), offset), length)
        moved.push({ id, offset, length: recordLength, movedTo: length, movedLength: written })
        length += written
      }
      fsyncSync(target)
      return { records: moved, length }
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

function readAll(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  if (readSync(fd, bytes, 0, length, offset) < length) {
    throw new AppError('record-damaged', `the archive file ends before the record at ${offset} does`)
  }
  return bytes
}

function writeAll(fd: number, bytes: Buffer, at: number): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done)
  return bytes.length
}

/** Makes a new file name survive a power cut. Ignored on systems where folders can't be synced. */
function syncFolder(folder: string): void {
  let fd: number | null = null
  try {
    fd = openSync(folder, 'r')
    fsyncSync(fd)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'EISDIR' && code !== 'EINVAL' && code !== 'EACCES') throw error
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

export type MoveOptions = {
  fileId: number
  name: string
  state: 'closed' | 'compressed'
  moved: Moved
  /** Further work for the same transaction. */
  also?(): void
}

/**
 * Moves all pointers to the new file in one transaction, which is on disk when this returns: the old file can then be removed.
 * Fails and changes nothing if the catalogue no longer agrees with the copy.
 */
export function movePointers(db: Database, { fileId, name, state, moved, also }: MoveOptions): void {
  const point = db.prepare('UPDATE versions SET offset = ?, length = ? WHERE id = ? AND file = ? AND offset = ?')
  const rename = db.prepare(
    'UPDATE files SET name = ?, state = ?, length = ?, first_version = ?, last_version = ? WHERE id = ?',
  )
  const ids = moved.records.map(({ id }) => id)
  const first = ids.reduce((low, id) => Math.min(low, id), ids[0] ?? 0)
  const last = ids.reduce((high, id) => Math.max(high, id), 0)
  durably(db, () => {
    for (const { id, offset, movedTo, movedLength } of moved.records) {
      const { changes } = point.run(movedTo, movedLength, id, fileId, offset)
      if (changes !== 1) throw new AppError('store-failed', `version ${id} was changed while ${name} was written`)
    }
    rename.run(name, state, moved.length, first, last, fileId)
    also?.()
  })
}

/** Syncs the transaction to disk. Otherwise a power cut could lose it after the files it replaced have been removed. */
export function durably(db: Database, work: () => void): void {
  db.exec('PRAGMA synchronous = FULL')
  try {
    db.write(work)
  } finally {
    db.exec('PRAGMA synchronous = NORMAL')
  }
}

/**
 * Notes in the catalogue of archive files that may be left over if the process is killed. A note is written before a file gets a
 * name that no row has, and in the transaction that deletes the row of a file. The next process that finds a note removes the file,
 * unless a row has its name, and then the note.
 */
const prefix = 'leftover:'

export function noteLeftover(db: Database, name: string): void {
  db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, 1)').run(prefix + name)
}

export function forgetLeftover(db: Database, name: string): void {
  db.prepare('DELETE FROM facts WHERE name = ?').run(prefix + name)
}

/** Names of the files that the notes are about. */
export function leftoversIn(db: Pick<Database, 'prepare'>): string[] {
  const notes = db.prepare('SELECT name FROM facts WHERE name >= ? AND name < ?').all(prefix, `${prefix}\u{10ffff}`)
  return (notes as { name: string }[]).map(({ name }) => name.slice(prefix.length))
}

export function removeLeftovers(db: Database, archive: string): void {
  const isFile = db.prepare('SELECT 1 FROM files WHERE name = ?')
  for (const name of leftoversIn(db)) {
    rmSync(join(archive, `${name}.part`), { force: true })
    if (isFile.get(name) === undefined) {
      // A process that did not know about the note may have renamed it to `.stray`.
      for (const ending of ['', '.stray']) rmSync(join(archive, name + ending), { force: true })
    }
    forgetLeftover(db, name)
  }
}

/** Header records are only a few lines long. */
const MAX_HEADER_BYTES = 64 * 1024
const GZIP_TRAILER_BYTES = 8
const RECORD_END_BYTES = 4

/**
 * Length of the record at the start of a file, which describes the file and is not in the catalogue. If the file begins with something
 * else, everything before `firstRecord` is taken as the header.
 */
export function headerLengthOf(fd: number, compressed: boolean, fileLength: number, firstRecord: number): number {
  const bytes = Buffer.alloc(Math.min(MAX_HEADER_BYTES, fileLength))
  const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0))
  const length = compressed ? memberLength(read) : recordLength(read)
  return length === null || length > firstRecord ? firstRecord : length
}

function recordLength(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n')
  const parsed = end < 0 ? null : parseRecordHead(bytes.subarray(0, end))
  if (parsed === null || parsed.kind === 'malformed' || parsed.head.type !== 'warcinfo') return null
  return end + 4 + parsed.head.blockLength + RECORD_END_BYTES
}

function memberLength(bytes: Buffer): number | null {
  const start = gzipHeaderLength(bytes)
  if (typeof start === 'string') return null
  try {
    const { buffer, engine } = inflateFirst(bytes.subarray(start))
    return recordLength(buffer) === null ? null : start + engine.bytesWritten + GZIP_TRAILER_BYTES
  } catch {
    return null
  }
}

/** Inflates the first of possibly several deflate streams. Returns its content and compressed length. */
function inflateFirst(bytes: Buffer): { buffer: Buffer; engine: { bytesWritten: number } } {
  const options = { info: true, maxOutputLength: MAX_HEADER_BYTES }
  return inflateRawSync(bytes, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
}
