import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { createZstdFrames, MAX_STREAMED_BYTES } from './zstd-frames.ts'

/** Compresses to about half. */
const halfRandom = (bytes: number): Buffer => Buffer.from(randomBytes(bytes / 2).toString('hex'))

describe('zstd frames', () => {
  test('can each be decompressed alone, for any input size and many at once', async () => {
    const frameOf = createZstdFrames({ level: 1 })
    const sizes = [0, 2, 100, 34_000, 300_000, 1 << 20, 34_000, 2]
    const pieces = sizes.map(halfRandom)
    const frames = await Promise.all(pieces.map(frameOf))
    for (const [index, frame] of frames.entries())
      assert.ok(zstdDecompressSync(frame).equals(pieces[index]!), `of ${sizes[index]} bytes`)
  })

  test('combine input given in pieces, without mixing different inputs', async () => {
    const frameOf = createZstdFrames({ level: 1 })
    const records = [9, 40_000, 70_000, 500, MAX_STREAMED_BYTES, MAX_STREAMED_BYTES + 2].map((bytes) => {
      const whole = halfRandom(bytes)
      return [whole.subarray(0, 3), whole.subarray(3, 3), whole.subarray(3)]
    })
    const frames = await Promise.all([...records, []].map(frameOf))
    for (const [index, record] of records.entries())
      assert.ok(zstdDecompressSync(frames[index]!).equals(Buffer.concat(record)))
    assert.equal(zstdDecompressSync(frames.at(-1)!).length, 0)
  })

  test('hold incompressible input at and above the size limit of the shared encoder', async () => {
    const frameOf = createZstdFrames({ level: 1 })
    for (const piece of [randomBytes(MAX_STREAMED_BYTES), randomBytes(MAX_STREAMED_BYTES + 1)])
      assert.ok(zstdDecompressSync(await frameOf(piece)).equals(piece))
  })

  test('are identical for identical input, regardless of earlier input', async () => {
    const frameOf = createZstdFrames({ level: 1 })
    const piece = halfRandom(50_000)
    const [first, , again] = await Promise.all([piece, halfRandom(9_000), piece].map(frameOf))
    assert.ok(first!.equals(again!), 'nothing of those before it is left')
  })

  test('fail for invalid input without affecting others', async () => {
    const frameOf = createZstdFrames({ level: 1 })
    const [broken, whole] = await Promise.allSettled([
      frameOf(7 as unknown as Uint8Array),
      frameOf(Buffer.from('whole')),
    ])
    assert.equal(broken!.status, 'rejected')
    assert.equal(whole!.status, 'fulfilled')
  })
})
