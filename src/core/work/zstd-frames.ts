import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createZstdCompress, zstdCompress } from 'node:zlib'

/** Makes a zstd frame of bytes, which may come in pieces, in other threads of the process. */
export type ZstdFrames = (bytes: Uint8Array | readonly Uint8Array[]) => Promise<Buffer>

/** Frames lie behind each other in blocks of this size; one that crosses the end of a block costs a copy. */
const BLOCK_BYTES = 256 << 10
/**
 * Of a piece that goes through the stream: what comes of it has to fit into the stream's buffer, which nobody reads before it is
 * complete. Larger ones are few, and worth an encoder each.
 */
export const MAX_STREAMED_BYTES = 2 << 20
const compressAlone = promisify(zstdCompress)
/**
 * What zstd itself takes at level 1 for sources of up to 128 KB, which it doesn't know a stream to be: a table that fits into the
 * processor's first cache. A fifth less time, and 0.3 % more bytes.
 */
const HASH_LOG = 13

/**
 * One stream for all: `zstdCompress` makes an encoder for each call, and setting it up and giving its memory back costs as much as
 * compressing a page. With `ZSTD_e_end` for each write, each is a frame of its own, as if it had been compressed alone.
 */
export function createZstdFrames({ level }: { level: number }): ZstdFrames {
  const params = { [constants.ZSTD_c_compressionLevel]: level }
  const ofStream = level === 1 ? { ...params, [constants.ZSTD_c_hashLog]: HASH_LOG } : params
  let stream: Duplex | null = null
  /** One frame is made at a time, so the pieces of all are gathered in the same place. */
  let room = Buffer.alloc(0)
  let last: Promise<unknown> = Promise.resolve()

  function open(): Duplex {
    const opened = createZstdCompress({
      params: ofStream,
      flush: constants.ZSTD_e_end,
      chunkSize: BLOCK_BYTES,
      readableHighWaterMark: 2 * MAX_STREAMED_BYTES,
    } as Parameters<typeof createZstdCompress>[0])
    // The write hears of it, too.
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
    last = mine.catch(() => {}) // its caller hears of it
    return mine
  }
}
