import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createZstdCompress, zstdCompress } from 'node:zlib'

/** Makes a zstd frame of each piece of bytes, in other threads of the process. */
export type ZstdFrames = (bytes: Uint8Array) => Promise<Buffer>

/** Frames lie behind each other in blocks of this size; one that crosses the end of a block costs a copy. */
const BLOCK_BYTES = 256 << 10
/**
 * Of a piece that goes through the stream: what comes of it has to fit into the stream's buffer, which nobody reads before it is
 * complete. Larger ones are few, and worth an encoder each.
 */
export const MAX_STREAMED_BYTES = 2 << 20
const compressAlone = promisify(zstdCompress)

/**
 * One stream for all: `zstdCompress` makes an encoder for each call, and setting it up and giving its memory back costs as much as
 * compressing a page. With `ZSTD_e_end` for each write, each is a frame of its own, as if it had been compressed alone.
 */
export function createZstdFrames({ level }: { level: number }): ZstdFrames {
  const params = { [constants.ZSTD_c_compressionLevel]: level }
  let stream: Duplex | null = null
  let last: Promise<unknown> = Promise.resolve()

  function open(): Duplex {
    const opened = createZstdCompress({
      params,
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

  return async (bytes) => {
    if (bytes.length > MAX_STREAMED_BYTES) return compressAlone(bytes, { params })
    const before = last
    const mine = (async () => {
      await before
      return compress(bytes)
    })()
    last = mine.catch(() => {}) // its caller hears of it
    return mine
  }
}
