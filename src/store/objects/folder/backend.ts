import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { ObjectBackend, Place, Segment } from '../../contracts/object-backend.ts'
import { compressFile } from './compress-file.ts'
import { createFileWriter, folderError } from './file-writer.ts'
import { findPlace } from './places.ts'

export type FolderBackendDeps = {
  /** Must exist: if a file system isn't mounted, nothing may be written to its mount point. */
  folder: string
  maxFileBytes: number
  /** The record at the start of each file. */
  fileHeader(name: string): Uint8Array
}

/**
 * Records in WARC files in a folder that all machines share, one file per segment and one writer per file. A file is plain while it is
 * written to and compressed later, with a gzip member per record, as other tools expect. Only records that a row points at count: a file
 * may end with a partial write of a killed process.
 */
export function createFolderBackend({ folder, maxFileBytes, fileHeader }: FolderBackendDeps): ObjectBackend {
  const plainPath = ({ name }: Pick<Segment, 'name'>): string => join(folder, `${name}.warc`)
  const packedPath = (segment: Pick<Segment, 'name'>): string => `${plainPath(segment)}.gz`
  const pathOf = (segment: Segment): string =>
    segment.state === 'compressed' ? packedPath(segment) : plainPath(segment)

  async function read(segment: Segment, place: Place): Promise<Buffer> {
    const path = pathOf(segment)
    if (segment.state !== 'compressed') return readBytes(path, place.offset, place.length)
    const found = findPlace(segment.places ?? Buffer.alloc(0), place.offset)
    if (found === null) throw new AppError('record-damaged', `${path} has no record that was at ${place.offset}`)
    const packed = await readBytes(path, found.offset, found.length)
    let record: Buffer
    try {
      record = gunzipSync(packed, { maxOutputLength: place.length + 1 })
    } catch (error) {
      throw new AppError('record-damaged', `${path}: the record at ${found.offset} can't be unpacked`, { cause: error })
    }
    if (record.length === place.length) return record
    throw new AppError('record-damaged', `${path}: the record at ${found.offset} has another length than it had`)
  }

  return {
    kind: 'folder',
    address: folder,
    // Appends to a file are sequential; records that arrive during one are batched in the next.
    parallel: 1,
    gatherMs: 0,
    create: (name) => createFileWriter({ path: plainPath({ name }), maxFileBytes, header: fileHeader(`${name}.warc`) }),
    read,
    async packs(segment) {
      const path = pathOf(segment)
      const size = await sizeOf(path)
      if (size === null) await requireFolder(path)
      return size === null ? [] : [{ pack: 0, bytes: size }]
    },
    async removePack(segment) {
      await requireFolder(plainPath(segment))
      await removeFile(packedPath(segment))
      await removeFile(plainPath(segment))
    },
    compress: (segment) => compressFile(plainPath(segment), packedPath(segment)),
    removePlain: (segment) => removeFile(plainPath(segment)),
    async close() {},
  }
}

async function readBytes(path: string, offset: number, length: number): Promise<Buffer> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw folderError(error, path)
    await requireFolder(path)
    throw new AppError('record-damaged', `${path} is missing`, { cause: error })
  }
  try {
    const bytes = Buffer.allocUnsafe(length)
    for (let done = 0; done < length; ) {
      const { bytesRead } = await handle.read(bytes, done, length - done, offset + done)
      if (bytesRead === 0) throw new AppError('record-damaged', `${path} ends before the record at ${offset} does`)
      done += bytesRead
    }
    return bytes
  } catch (error) {
    throw isAppError(error) ? error : folderError(error, path)
  } finally {
    await handle.close()
  }
}

/** While the folder isn't mounted, nothing is known about the files in it. */
async function requireFolder(path: string): Promise<void> {
  try {
    await stat(dirname(path))
  } catch (error) {
    throw folderError(error, path)
  }
}

/** Null if the file doesn't exist. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw folderError(error, path)
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw folderError(error, path)
  }
}
