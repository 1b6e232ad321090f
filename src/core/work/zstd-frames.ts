import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createZstdCompress, zstdCompress } from 'node:zlib'

/** Compresses bytes, possibly given in pieces, into one zstd frame. Runs in the thread pool. */
export type ZstdFrames = (bytes: Uint8Array | readonly Uint8Array[]) => Promise<Buffer>

/** Output buffer size. Frames are written one after another into such buffers; one that crosses the end of a buffer costs a copy. */
const BLOCK_BYTES = 256 << 10
/**
 * Maximum input size for the shared stream: the output has to fit into the stream's buffer, which is only read when complete. Larger inputs
 * are rare and get an encoder of their own.
 */
export const MAX_STREAMED_BYTES = 2 << 20
const compressAlone = promisify(zstdCompress)
/**
 * zstd's own choice at level 1 for inputs of up to 128 KB, a size it can't know of a stream: a table that fits into the L1 cache. Takes a
 * fifth less time and 0.3 % more bytes.
 */
const HASH_LOG = 13

/**
 * One stream for all frames: `zstdCompress` creates an encoder per call, and setting that up and freeing it costs as much as compressing a
 * page. `ZSTD_e_end` on every write makes each one a separate frame, as if it had been compressed alone.
 */
export function createZstdFrames({ level }: { level: number }): ZstdFrames {
  const params = { [constants.ZSTD_c_compressionLevel]: level }
  const ofStream = level === 1 ? { ...params, [constants.ZSTD_c_hashLog]: HASH_LOG } : params
  let stream: Duplex | null = null
  /** Shared scratch buffer for joining pieces: only one frame is made at a time. */
  let room = Buffer.alloc(0)
  let last: Promise<unknown> = Promise.resolve()

  function open(): Duplex {
    const opened = createZstdCompress({
      params: ofStream,
      flush: constants.ZSTD_e_end,
      chunkSize: BLOCK_BYTES,
      readableHighWaterMark: 2 * MAX_STREAMED_BYTES,
    } as Parameters<typeof createZstdCompress>[0])
    // The pending write gets the error, too.
    opened.on('error', () => {
      if (stream === opened) stream = null
    })
    stream = opened
    return opened
  }

  function compress(bytes: Uint8Array): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const used = stream ?? open()
    used.write(bytes, (error) => {
      if (error != null) reject(error)
      else resolve((used.read() as Buffer | null) ?? Buffer.alloc(0))
    })
    return promise
  }

  function gather(pieces: readonly Uint8Array[], size: number): Uint8Array {
    if (pieces.length === 1) return pieces[0]!
    if (room.length < size) room = Buffer.allocUnsafeSlow(Math.min(MAX_STREAMED_BYTES, 2 * size))
    let at = 0
    for (const piece of pieces) {
      room.set(piece, at)
      at += piece.length
    }
    return room.subarray(0, size)
  }

  return async (bytes) => {
    const pieces = Array.isArray(bytes) ? (bytes as readonly Uint8Array[]) : [bytes as Uint8Array]
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    if (size > MAX_STREAMED_BYTES)
      return compressAlone(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), { params })
    const before = last
    const mine = (async () => {
      await before
      return compress(gather(pieces, size))
    })()
    last = mine.catch(() => {}) // its caller handles the error
    return mine
  }
}
