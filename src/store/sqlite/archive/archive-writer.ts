import { closeSync, openSync, rmSync, writevSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import type { RecordPointer } from '../../contracts/objects.ts'
import { type Database, storeError } from '../folder/database.ts'
import { PRIVATE_FILE } from '../folder/private-files.ts'
import { mendTail, type OpenFileRow, tailText } from './archive-tail.ts'
import { createDirectBuffer, type DirectFile, openDirectFile } from './direct-file.ts'

export type ArchiveWriterOptions = {
  db: Database
  folder: string
  shard: number
  maxFileBytes: number
  now(): number
  /** The record at the start of every file. */
  fileHeader(fileName: string): Uint8Array
  /** Whether bytes that were read back are one complete record; without it only lengths are checked. */
  isWhole?(record: Uint8Array): boolean
  /** Called when a file was closed and may be compressed. */
  onClosed?(fileId: number): void
  onWarning(message: string): void
}

type OpenFile = {
  id: number
  path: string
  fd: number
  /** Null until a batch is written ahead. */
  direct: DirectFile | null
  length: number
  /** Its length in the catalogue. */
  savedLength: number
  firstVersion: number
  lastVersion: number
}

/**
 * Appends one shard's records to its open file. `append` only buffers; `flush` writes everything with one call and
 * saves the new length. Both run inside the transaction that adds the rows pointing at the records: anything after
 * the saved length was never committed, and is truncated at the next start. So records may also be written before that
 * transaction, while this thread goes on (`writeAhead`); the transaction takes them over (`adopt`).
 */
export function createArchiveWriter(options: ArchiveWriterOptions) {
  const { db, folder, shard, maxFileBytes } = options
  const insert = db.prepare(`INSERT INTO files (shard, name, state, length) VALUES (?, ?, 'open', 0)`)
  const save = db.prepare('UPDATE files SET length = ?, first_version = ?, last_version = ? WHERE id = ?')
  const shut = db.prepare(`UPDATE files SET state = 'closed' WHERE id = ?`)
  const widen = db.prepare(
    `UPDATE files SET first_version = min(coalesce(nullif(first_version, 0), ?1), ?1), last_version = max(last_version, ?1)
     WHERE id = ?2`,
  )
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let closedIds: number[] = []
  let created: string[] = []
  let file: OpenFile | null = null
  /** For all files of the shard, one after the other. */
  let directBuffer: Buffer | undefined
  /** The catalogue may have an open file that is not open here yet. */
  let unopened = true

  function create(): OpenFile {
    const stamp = new Date(options.now()).toISOString().replace(/[-:T]|\..*/g, '')
    const { lastInsertRowid } = insert.run(shard, `pending-${shard}-${stamp}`)
    const id = Number(lastInsertRowid)
    const name = `erace-${stamp}-${String(shard).padStart(2, '0')}-${String(id).padStart(6, '0')}.warc`
    db.prepare('UPDATE files SET name = ? WHERE id = ?').run(name, id)
    created.push(name)
    const path = join(folder, name)
    const opened = {
      ...{ id, path, direct: null },
      fd: openSync(path, 'w+', PRIVATE_FILE),
      length: 0,
      savedLength: 0,
      firstVersion: 0,
      lastVersion: 0,
    }
    const header = options.fileHeader(name)
    pending.push(header)
    pendingBytes = header.byteLength
    return opened
  }

  function write(target: OpenFile): void {
    let parts = pending as Uint8Array<ArrayBuffer>[]
    let at = target.length
    while (parts.length > 0) {
      const written = writevSync(target.fd, parts, at)
      at += written
      parts = remainder(parts, written)
    }
    target.length = at
    pending = []
    pendingBytes = 0
  }

  function finishFile(full: OpenFile): void {
    flush()
    shut.run(full.id)
    closedIds.push(full.id)
    letGo()
  }

  /** Clears `file` before closing it: even if that fails, the descriptor is not used again. */
  function letGo(): void {
    const opened = file
    file = null
    if (opened === null) return
    try {
      closeSync(opened.fd)
    } finally {
      opened.direct?.close()
    }
  }

  /** Starts the next file in a transaction of its own, so that records can be written there ahead of theirs. */
  function startFile(): OpenFile {
    const started = db.write(() => {
      if (file !== null) finishFile(file)
      file = create()
      flush()
      return file
    })
    committed()
    return started
  }

  function committed(): void {
    created = []
    for (const id of closedIds) options.onClosed?.(id)
    closedIds = []
  }

  function flush(): void {
    if (file === null) return
    if (pending.length > 0) write(file)
    if (file.length === file.savedLength) return
    save.run(file.length, file.firstVersion, file.lastVersion, file.id)
    file.savedLength = file.length
  }

  /** A restored version has a lower id than the ones before it. */
  function note(target: OpenFile, versionId: number): void {
    target.firstVersion = target.firstVersion === 0 ? versionId : Math.min(target.firstVersion, versionId)
    target.lastVersion = Math.max(target.lastVersion, versionId)
  }

  function openKnown(atStart: boolean): void {
    if (!unopened) return
    file = reopen(options, atStart)
    unopened = false
  }

  openKnown(true)

  return {
    /** Where these records are now. Null if they are too much for one file: the transaction appends them. */
    async writeAhead(records: readonly Uint8Array[][]): Promise<RecordPointer[] | null> {
      const bytes = lengthOf(records.flat())
      if (bytes > maxFileBytes) return null
      openKnown(false)
      // A file without records is never left: batches that fail would each leave one behind.
      const isFull = file !== null && file.firstVersion > 0 && file.length + bytes > maxFileBytes
      const target = file === null || isFull ? startFile() : file
      if (target.length + bytes > maxFileBytes) return null
      let offset = target.length
      const pointers = records.map((parts): RecordPointer => {
        const length = lengthOf(parts)
        offset += length
        return { fileId: target.id, offset: offset - length, length }
      })
      directBuffer ??= createDirectBuffer()
      target.direct ??= openDirectFile(target.path, target.fd, directBuffer)
      await target.direct.append(records.flat(), target.length)
      target.length = offset
      return pointers
    },
    /** A record that was written ahead belongs to this version. */
    adopt(versionId: number, pointer: RecordPointer): RecordPointer {
      if (file?.id === pointer.fileId) note(file, versionId)
      // Records appended in between filled its file.
      else widen.run(versionId, pointer.fileId)
      return pointer
    },
    append(versionId: number, parts: Uint8Array[]): RecordPointer {
      openKnown(false)
      const length = lengthOf(parts)
      if (file !== null && file.length + pendingBytes + length > maxFileBytes) finishFile(file)
      if (file === null) file = create()
      const offset = file.length + pendingBytes
      for (const part of parts) if (part.byteLength > 0) pending.push(part)
      pendingBytes += length
      note(file, versionId)
      return { fileId: file.id, offset, length }
    },
    flush,
    committed,
    /** Returns to the state of the catalogue after a failed transaction. The catalogue is read when the next record is appended. */
    rollback(): void {
      pending = []
      pendingBytes = 0
      closedIds = []
      unopened = true
      letGo()
      for (const name of created.splice(0)) rmSync(join(folder, name), { force: true })
    },
    close: letGo,
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  let length = 0
  for (const part of parts) length += part.byteLength
  return length
}

function remainder(parts: Uint8Array<ArrayBuffer>[], written: number): Uint8Array<ArrayBuffer>[] {
  let done = 0
  while (done < parts.length && written >= parts[done]!.byteLength) written -= parts[done++]!.byteLength
  const rest = parts.slice(done)
  if (written > 0) rest[0] = rest[0]!.subarray(written)
  return rest
}

type FileRow = OpenFileRow & { name: string }

/**
 * Reopens the shard's open file and repairs its end. Reports truncated bytes when the store is opened; later, those of a failed
 * transaction are truncated silently.
 */
function reopen({ db, folder, shard, isWhole, onWarning }: ArchiveWriterOptions, atStart: boolean): OpenFile | null {
  const row = db
    .prepare(
      `SELECT id, name, length, first_version, last_version FROM files WHERE shard = ? AND state = 'open' ORDER BY id DESC`,
    )
    .get(shard) as FileRow | undefined
  if (row === undefined) return null
  const path = join(folder, row.name)
  let fd: number
  try {
    fd = openSync(path, 'r+')
  } catch (error) {
    throw new AppError(
      'store-damaged',
      `${path} is missing or unreadable: ${(error as Error).message}. Restore it from a backup, or give up what it held with erace verify --repair.`,
      { cause: error },
    )
  }
  try {
    const tail = mendTail(db, fd, row, isWhole)
    const text = tailText(path, tail)
    if (text !== '' && (atStart || tail.lostBytes > 0)) onWarning(text)
    if (tail.length > 0)
      return {
        ...{ id: row.id, path, fd, direct: null, length: tail.length, savedLength: tail.length },
        ...{ firstVersion: row.first_version, lastVersion: row.last_version },
      }
    db.prepare(`UPDATE files SET state = 'closed' WHERE id = ?`).run(row.id)
  } catch (error) {
    closeSync(fd)
    throw storeError(error, path)
  }
  closeSync(fd)
  return null
}
