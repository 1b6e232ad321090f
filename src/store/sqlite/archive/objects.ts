import { closeSync, openSync, read } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'
import type { ArchiveFile, CataloguedRecord, ObjectStore } from '../../contracts/objects.ts'
import type { Database } from '../folder/database.ts'

type FileRow = {
  id: number
  name: string
  state: ArchiveFile['state']
  length: number
  first_version: number
  last_version: number
}

const MAX_RECORD_BYTES = 2 ** 31 - 1

const readFrom = promisify(read)

export function createSqliteObjects(db: Database, archive: string): ObjectStore {
  const selectFiles = db.prepare('SELECT id, name, state, length FROM files ORDER BY id')
  const selectFile = db.prepare('SELECT id, name, state, length, first_version, last_version FROM files WHERE id = ?')
  // A file's versions are in one range of ids, mixed with those that other shards wrote at the same time.
  const selectRecords = db.prepare(
    `SELECT v.id AS versionId, v.file AS fileId, v.offset, v.length, v.digest, v.size, v.original, d.url
     FROM versions v JOIN documents d ON d.id = v.document
     WHERE v.id BETWEEN ? AND ? AND v.file = ? ORDER BY v.offset`,
  )

  function fileOf(id: number): FileRow {
    const row = db.read(() => selectFile.get(id)) as FileRow | undefined
    if (row === undefined)
      throw new AppError('store-damaged', `the catalogue names archive file ${id}, which it does not know`)
    return row
  }

  return {
    async read({ fileId, offset, length }) {
      const file = fileOf(fileId)
      const path = join(archive, file.name)
      const bytes = await readBytes(path, offset, length)
      if (file.state !== 'compressed') return bytes
      try {
        return gunzipSync(bytes, { maxOutputLength: MAX_RECORD_BYTES })
      } catch (error) {
        const { message } = error as Error
        throw new AppError('record-damaged', `${path}: the record at ${offset} can't be unpacked: ${message}`, {
          cause: error,
        })
      }
    },
    async volumes() {
      const rows = db.read(() => selectFiles.all()) as FileRow[]
      return rows.map(({ id, name, state, length }) => ({
        kind: 'file',
        id,
        name,
        path: join(archive, name),
        state,
        length,
      }))
    },
    async records(fileId) {
      const file = fileOf(fileId)
      const rows = db.read(() => selectRecords.all(file.first_version, file.last_version, fileId)) as (Omit<
        CataloguedRecord,
        'revisit' | 'digest'
      > & {
        original: number
        digest: Uint8Array
      })[]
      return rows.map(({ original, digest, ...row }) => ({
        ...row,
        digest: Buffer.from(digest),
        revisit: original !== row.versionId,
      }))
    },
  }
}

/** The disk is read in the thread pool: what a crawl wrote past the page cache isn't in memory. */
async function readBytes(path: string, offset: number, length: number): Promise<Buffer> {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    throw new AppError('store-damaged', `${path}: ${(error as Error).message}`, { cause: error })
  }
  try {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await readFrom(fd, bytes, 0, length, offset)
    if (bytesRead < length) {
      throw new AppError('record-damaged', `${path} ends before the record at ${offset} does`)
    }
    return bytes
  } finally {
    closeSync(fd)
  }
}
