import { closeSync, constants, openSync, readSync, write } from 'node:fs'
import { promisify } from 'node:util'
import { AppError } from '../../../core/errors.ts'
import { alignedBytes } from '../../../core/work/web-assembly.ts'

/**
 * Appends large batches to a file past the page cache (`O_DIRECT`), in Node's thread pool. What a crawl archives is rarely read soon, and
 * copying it into the cache costs more than anything else that the store does: every page of the cache is new memory, which a virtual
 * machine may first have to get from its host.
 *
 * Such writes need whole blocks at multiples of the block size, in memory that is aligned as well. So the bytes are collected in a
 * buffer; those before the first whole block are written again, and those after the last one go through the cache. A file system that
 * refuses gets ordinary writes.
 */
export type DirectFile = {
  /** `offset` is the end of the file. */
  append(parts: readonly Uint8Array[], offset: number): Promise<void>
  close(): void
}

const BLOCK_BYTES = 4096
const BUFFER_BYTES = 4 << 20

const writeElsewhere = promisify(write)

/** A buffer for one file after the other: it is in use while one of them appends. */
export function createDirectBuffer(): Buffer {
  return alignedBytes(BUFFER_BYTES)
}

/** `fd` is the same file, open for reading and writing through the cache. It stays open. */
export function openDirectFile(path: string, fd: number, buffer: Buffer): DirectFile {
  let direct = openDirect(path)

  /** The first `end` bytes of the buffer are whole blocks. */
  async function writeBlocks(end: number, position: number): Promise<void> {
    const blocks = buffer.subarray(0, end)
    if (direct !== null) {
      try {
        return await writeAll(direct, blocks, position)
      } catch (error) {
        // A file system that opens files this way may still refuse to write to them, or only with other blocks.
        if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
        close()
      }
    }
    await writeAll(fd, blocks, position)
  }

  function close(): void {
    const opened = direct
    direct = null
    if (opened !== null) closeSync(opened)
  }

  return {
    async append(parts, offset) {
      let filled = offset % BLOCK_BYTES
      let position = offset - filled
      readFully(fd, buffer.subarray(0, filled), position)
      for (const part of parts)
        for (let taken = 0; taken < part.byteLength; ) {
          const count = Math.min(part.byteLength - taken, buffer.length - filled)
          buffer.set(part.subarray(taken, taken + count), filled)
          taken += count
          filled += count
          if (filled < buffer.length) continue
          await writeBlocks(filled, position)
          position += filled
          filled = 0
        }
      const rest = filled % BLOCK_BYTES
      if (filled > rest) await writeBlocks(filled - rest, position)
      await writeAll(fd, buffer.subarray(filled - rest, filled), position + filled - rest)
    },
    close,
  }
}

function openDirect(path: string): number | null {
  // Not every platform has it.
  if (constants.O_DIRECT === undefined) return null
  try {
    return openSync(path, constants.O_WRONLY | constants.O_DIRECT)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EINVAL') return null
    throw error
  }
}

async function writeAll(fd: number, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await writeElsewhere(fd, bytes, done, bytes.length - done, position + done)).bytesWritten
}

function readFully(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(fd, bytes, done, bytes.length - done, position + done)
    if (count === 0) throw new AppError('store-damaged', 'an archive file has become shorter while it was open')
    done += count
  }
}
