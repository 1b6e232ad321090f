import { fstatSync, ftruncateSync, readSync } from 'node:fs'
import type { LostVersions } from '../../rules/versioning.ts'
import { markLost } from '../documents/lost-versions.ts'
import type { Database } from '../folder/database.ts'

/**
 * Repairs the end of an open file after a crash or power cut. The catalogue has the length of the committed content.
 * Anything after it is an uncommitted write, and is truncated. A power cut may also lose committed bytes: the file is too
 * short, or its last records are zeros. Then the file is truncated after its last complete record, and the versions
 * after it are lost. In the normal case one record is read.
 */
export type OpenFileRow = { id: number; length: number; first_version: number; last_version: number }

export type Tail = {
  /** Valid length now; 0 if not even the file's own header is complete. */
  length: number
  /** Uncommitted bytes that were truncated. */
  excessBytes: number
  lost: LostVersions
  lostBytes: number
}

type RecordRow = { id: number; offset: number; length: number }

export function mendTail(
  db: Database,
  fd: number,
  file: OpenFileRow,
  isWhole: (record: Uint8Array) => boolean = () => true,
): Tail {
  const { size } = fstatSync(fd)
  const isIntact = ({ offset, length }: Pick<RecordRow, 'offset' | 'length'>): boolean =>
    offset + length <= size && isWhole(readBytes(fd, offset, length))
  const { length, behind } = findEnd(db, file, size, isIntact)
  let lost: LostVersions = { count: 0, urls: [] }
  if (length < file.length) {
    // Recorded before truncating: if the process is killed in between, the file is merely too long.
    lost = atomically(db, () => {
      const marked = markLost(db, behind)
      db.prepare('UPDATE files SET length = ? WHERE id = ?').run(length, file.id)
      return marked
    })
  }
  if (size > length) ftruncateSync(fd, length)
  return { length, excessBytes: Math.max(0, size - file.length), lost, lostBytes: file.length - length }
}

type End = { length: number; behind: number[] }

function findEnd(db: Database, file: OpenFileRow, size: number, isIntact: (row: RecordRow) => boolean): End {
  const isLong = size >= file.length
  const newest = db
    .prepare('SELECT id, offset, length FROM versions WHERE id = ? AND file = ?')
    .get(file.last_version, file.id) as RecordRow | undefined
  if (isLong && newest !== undefined && endOf(newest) === file.length && isIntact(newest))
    return { length: file.length, behind: [] }
  // A restored record has a lower version id than those before it, and there may be no version left that points at the last record.
  const rows = db
    .prepare('SELECT id, offset, length FROM versions WHERE id BETWEEN ? AND ? AND file = ? ORDER BY offset DESC')
    .all(file.first_version, file.last_version, file.id) as RecordRow[]
  if (isLong && (rows.length === 0 || isIntact(rows[0]!))) return { length: file.length, behind: [] }
  const at = rows.findIndex(isIntact)
  const behind = rows.slice(0, at < 0 ? rows.length : at).map(({ id }) => id)
  if (at >= 0) return { length: endOf(rows[at]!), behind }
  const headerBytes = rows.at(-1)?.offset ?? 0
  return { length: isIntact({ id: 0, offset: 0, length: headerBytes }) ? headerBytes : 0, behind }
}

function endOf({ offset, length }: RecordRow): number {
  return offset + length
}

function readBytes(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  for (let read = -1; done < length && read !== 0; done += read)
    read = readSync(fd, bytes, done, length - done, offset + done)
  return bytes.subarray(0, done)
}

/** Uses a savepoint, since a file may be opened inside or outside a transaction. */
function atomically<T>(db: Database, work: () => T): T {
  db.exec('SAVEPOINT tail')
  try {
    const result = work()
    db.exec('RELEASE tail')
    return result
  } catch (error) {
    db.exec('ROLLBACK TO tail; RELEASE tail')
    throw error
  }
}

/** Message for users about the repair; empty if there was none. */
export function tailText(path: string, { length, excessBytes, lost, lostBytes }: Tail): string {
  if (lostBytes > 0) {
    const urls = lost.urls.map((url) => url.slice(0, 200)).join(', ')
    const what =
      lost.count === 0
        ? 'Nothing that is needed was in them'
        : `${lost.count} versions are lost (${urls}${lost.count > lost.urls.length ? ', …' : ''}); the next crawl fetches them again`
    return `${path}: the last ${lostBytes} bytes that were stored are missing or damaged. ${what}. The file ${length > 0 ? `goes on at ${length}` : 'is empty now, and another one is begun'}.`
  }
  return excessBytes > 0 ? `${path}: cut off ${excessBytes} bytes at the end that were written and never stored.` : ''
}
