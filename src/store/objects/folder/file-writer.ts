import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { PlacedRecord, SegmentWriter } from '../../contracts/object-backend.ts'

export type FileWriterOptions = { path: string; maxFileBytes: number; header: Uint8Array }

/** Readable by the owner only; all machines of a cluster run as the same user. */
export const PRIVATE_FILE = 0o600

/**
 * Appends to a new file. The length is tracked here and advances only when everything up to it is on disk, so that the write after a
 * failed one starts at the same offset.
 */
export async function createFileWriter({ path, maxFileBytes, header }: FileWriterOptions): Promise<SegmentWriter> {
  let handle: FileHandle
  try {
    handle = await open(path, 'wx', PRIVATE_FILE)
    await syncFolder(dirname(path))
  } catch (error) {
    throw folderError(error, path)
  }
  let length = 0

  async function write(pieces: readonly Uint8Array[]): Promise<number> {
    let rest = pieces.filter(({ byteLength }) => byteLength > 0)
    let at = length
    while (rest.length > 0) {
      const { bytesWritten } = await handle.writev(rest.slice(0, MAX_PIECES) as Uint8Array<ArrayBuffer>[], at)
      at += bytesWritten
      rest = remainder(rest, bytesWritten)
    }
    await handle.datasync()
    return at
  }

  return {
    async append(records) {
      const pieces: Uint8Array[] = length === 0 ? [header] : []
      const places: PlacedRecord[] = []
      let offset = length === 0 ? header.byteLength : length
      for (const record of records) {
        const size = record.reduce((sum, { byteLength }) => sum + byteLength, 0)
        places.push({ pack: 0, offset, length: size, isPacked: false })
        pieces.push(...record)
        offset += size
      }
      try {
        length = await write(pieces)
      } catch (error) {
        // On a full disk, free the space of the partial write. If that fails, the next write overwrites it.
        await handle.truncate(length).catch(() => {})
        throw folderError(error, path)
      }
      return places
    },
    get bytes() {
      return length
    },
    isFull: () => length >= maxFileBytes,
    close: () => handle.close(),
  }
}

/** Below the system's limit of buffers per writev call. */
const MAX_PIECES = 1_000

function remainder(pieces: readonly Uint8Array[], written: number): Uint8Array[] {
  let done = 0
  while (done < pieces.length && written >= pieces[done]!.byteLength) written -= pieces[done++]!.byteLength
  const rest = pieces.slice(done)
  if (written > 0) rest[0] = rest[0]!.subarray(written)
  return rest
}

/** Makes a new file name survive a power cut. Ignored on systems where folders can't be synced. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | null = null
  try {
    handle = await open(folder, 'r')
    await handle.sync()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'EISDIR' && code !== 'EINVAL' && code !== 'EACCES') throw error
  } finally {
    await handle?.close()
  }
}

export function folderError(error: unknown, path: string): AppError {
  if (isAppError(error)) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('store-full', `${path}: no space left in the shared folder`, { cause: error })
  const hint = code === 'ENOENT' ? '. Is the shared folder mounted?' : ''
  return new AppError('store-failed', `${path}: ${message ?? String(error)}${hint}`, { cause: error })
}
