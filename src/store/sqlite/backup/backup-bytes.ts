import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { AppError } from '../../../core/errors.ts'
import { refused } from './backup-manifest.ts'

const CHUNK_BYTES = 1 << 20

/** The plain bytes of a backup, however it is compressed. `limit` is asked all the while: a few bytes may unfold to a disk full of them. */
export async function* backupBytes(
  file: string,
  limit: () => number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  const decompressor = decompressorFor(file)
  // Its failures reach whoever reads the last stream.
  const stream = decompressor === null ? source : pipeline(source, decompressor, () => {})
  let total = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    signal?.throwIfAborted()
    total += chunk.length
    if (total > limit()) throw refused('it unfolds to more than it announces')
    yield chunk
  }
}

/** By what the file holds, since names change. */
function decompressorFor(file: string) {
  const start = Buffer.alloc(4)
  try {
    const fd = openSync(file, 'r')
    readSync(fd, start, 0, start.length, 0)
    closeSync(fd)
  } catch (error) {
    throw new AppError('file-unreadable', `${file}: ${(error as Error).message}`, { cause: error })
  }
  if (start.readUInt16BE(0) === 0x1f8b) return createGunzip({ chunkSize: CHUNK_BYTES })
  return start.readUInt32LE(0) === 0xfd2fb528 ? createZstdDecompress({ chunkSize: CHUNK_BYTES }) : null
}
