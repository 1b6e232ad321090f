import { closeSync, openSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'
import type { GcFiles } from '../../../core/reports/gc-report.ts'
import { type Database, storeError } from '../folder/database.ts'
import {
  copyRecords,
  durably,
  forgetLeftover,
  headerLengthOf,
  movePointers,
  noteLeftover,
  type RecordRow,
  removeLeftovers,
} from './archive-copy.ts'
import { type FileUse, fileOf, measureFiles } from './archive-use.ts'
import { gzipMember } from './compress.ts'

/**
 * Rewrites archive files that are more than half dead with only their live records, and removes files without live records. Steps
 * for one file:
 *
 *   1. note the new name as a possible leftover; write the copy as `.part`, sync it, rename it
 *   2. in one transaction, move all pointers to the copy, give the file's row the new name and note the old one
 *   3. remove the old file, then its note
 *
 * If the process is killed at any point, the catalogue points at a complete file; leftovers are removed by the next run, or when the
 * folder is opened. The caller holds the lock `housekeeping`, so that no other process replaces files at the same time.
 */
export type RewriteOptions = {
  db: Database
  archive: string
  /** Whether a record is complete and matches its digests. */
  isWhole(record: Buffer): boolean
  /** Whether plain files are compressed when rewritten. */
  compress: boolean
  /** Runs `work` unless another process writes to the folder; false if one does. For files that a crawl would continue to append to. */
  whileIdle(work: () => void): boolean
  signal: AbortSignal
  onProgress(progress: { file: number; files: number; freedBytes: number }): void
}

/** A file is rewritten if more than this fraction of it is dead. */
const MAX_DEAD = 0.5
const MAX_LEFT_ALONE = 100
const MAX_RECORD_BYTES = 2 ** 31 - 1

export async function rewriteFiles(options: RewriteOptions): Promise<GcFiles> {
  const { db, archive, signal, onProgress } = options
  const report: GcFiles = { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] }
  removeLeftovers(db, archive)
  const wasted = closeOpenFiles(
    options,
    measureFiles(db).filter((file) => isWasted(file, archive, report)),
  )
  // Files that need the least space for their copy come first: on a full disk they make room for the others.
  wasted.sort((a, b) => a.livingBytes - b.livingBytes)
  for (const [index, file] of wasted.entries()) {
    if (signal.aborted) break
    onProgress({ file: index, files: wasted.length, freedBytes: report.freedBytes })
    try {
      if (file.records === 0 && !file.isLast) removeFile(options, file, report)
      else rewriteFile(options, file, report)
    } catch (error) {
      leaveAlone(report, file, error)
    }
    // Signals are handled between two files.
    await new Promise((resolve) => setImmediate(resolve))
  }
  onProgress({ file: wasted.length, files: wasted.length, freedBytes: report.freedBytes })
  return report
}

function isWasted(file: FileUse, archive: string, report: GcFiles): boolean {
  if (file.records === 0 && !file.isLast && file.state !== 'open') return true
  if (file.length - file.livingBytes <= file.length * MAX_DEAD) return false
  try {
    const fd = openSync(join(archive, file.name), 'r')
    try {
      const header = headerLengthOf(fd, file.state === 'compressed', file.length, file.length)
      return file.length - file.livingBytes - header > file.length * MAX_DEAD
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    leaveAlone(report, file, error)
    return false
  }
}

/** Closes files that a crawl would continue to append to, if none is running, so that they can be rewritten. */
function closeOpenFiles({ db, archive, whileIdle }: RewriteOptions, wasted: FileUse[]): FileUse[] {
  const open = wasted.filter(({ state }) => state === 'open')
  if (open.length === 0) return wasted
  const closed: FileUse[] = []
  whileIdle(() => {
    for (const { id } of open) {
      // A crawl may have written to it since it was measured.
      const file = fileOf(db, id)
      const path = join(archive, file.name)
      const { size } = statSync(path)
      if (size < file.length) continue // reported by `verify` and by the next crawl
      if (size > file.length) truncateSync(path, file.length)
      db.prepare(`UPDATE files SET state = 'closed' WHERE id = ? AND state = 'open'`).run(id)
      closed.push({ ...file, state: 'closed' })
    }
  })
  return [...wasted.filter(({ state }) => state !== 'open'), ...closed]
}

function removeFile({ db, archive }: RewriteOptions, { id, name, length }: FileUse, report: GcFiles): void {
  durably(db, () => {
    db.prepare('DELETE FROM files WHERE id = ?').run(id)
    noteLeftover(db, name)
  })
  removeOld(db, archive, name)
  report.removed++
  report.freedBytes += length
}

function rewriteFile(options: RewriteOptions, file: FileUse, report: GcFiles): void {
  const { db, archive } = options
  const fromCompressed = file.state === 'compressed'
  const toCompressed = fromCompressed || options.compress
  const name = nextName(file.name, toCompressed)
  const records = db
    .prepare('SELECT id, offset, length FROM versions WHERE id BETWEEN ? AND ? AND file = ? ORDER BY offset')
    .all(file.firstVersion, file.lastVersion, file.id) as RecordRow[]
  if (records.length !== file.records) throw new AppError('store-failed', `${file.name} has other records than before`)
  db.write(() => noteLeftover(db, name))
  try {
    const moved = copyRecords({
      from: join(archive, file.name),
      fromCompressed,
      to: join(archive, name),
      fileLength: file.length,
      records,
      convert: (bytes, offset) => checked(bytes, offset, fromCompressed, toCompressed, options.isWhole),
      isCancelled: () => false,
    })!
    const also = (): void => {
      forgetLeftover(db, name)
      noteLeftover(db, file.name)
    }
    movePointers(db, { fileId: file.id, name, state: toCompressed ? 'compressed' : 'closed', moved, also })
    removeOld(db, archive, file.name)
    report.rewritten++
    report.freedBytes += file.length - moved.length
  } catch (error) {
    removeLeftovers(db, archive)
    throw error
  }
}

/** Throws if the record is damaged, so that it is not copied as if it were intact: its file stays for `verify` and for repair. */
function checked(
  bytes: Buffer,
  offset: number,
  fromCompressed: boolean,
  toCompressed: boolean,
  isWhole: RewriteOptions['isWhole'],
): Buffer {
  let record = bytes
  try {
    if (fromCompressed) record = gunzipSync(bytes, { maxOutputLength: MAX_RECORD_BYTES })
  } catch (error) {
    throw new AppError('record-damaged', `the record at ${offset} can't be read: ${(error as Error).message}`)
  }
  if (!isWhole(record)) throw new AppError('record-damaged', `the record at ${offset} is damaged`)
  return toCompressed && !fromCompressed ? gzipMember(record) : bytes
}

function removeOld(db: Database, archive: string, name: string): void {
  rmSync(join(archive, name), { force: true })
  db.write(() => forgetLeftover(db, name))
}

function leaveAlone(report: GcFiles, { name }: FileUse, error: unknown): void {
  const failure = storeError(error, name)
  if (failure.code === 'internal') throw failure
  if (report.leftAlone.length < MAX_LEFT_ALONE) report.leftAlone.push({ file: name, message: failure.message })
}

/** `erace-…-000012.warc` becomes `erace-…-000012.g1.warc.gz`: a name that no reader has open. */
export function nextName(name: string, compressed: boolean): string {
  const match = /^(.*?)(?:\.g(\d+))?\.warc(?:\.gz)?$/.exec(name)
  const base = match?.[1] ?? name
  return `${base}.g${Number(match?.[2] ?? 0) + 1}.warc${compressed ? '.gz' : ''}`
}
