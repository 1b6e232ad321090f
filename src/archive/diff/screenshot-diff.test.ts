import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { type Box, diffScreenshots } from './screenshot-diff.ts'

/** A white picture with black boxes. */
function picture(width: number, height: number, ...boxes: Box[]): Buffer {
  const png = new PNG({ width, height })
  png.data.fill(255)
  for (const box of boxes) {
    for (let y = box.y; y < box.y + box.height; y++) {
      for (let x = box.x; x < box.x + box.width; x++) png.data.writeUInt32BE(0x000000ff, (y * width + x) * 4)
    }
  }
  return PNG.sync.write(png)
}

const isMarked = (png: PNG, x: number, y: number): boolean => {
  const at = (y * png.width + x) * 4
  return png.data.readUInt32BE(at) === 0xff0000ff
}

test('equal pictures have no differences', async () => {
  const same = picture(64, 48, { x: 3, y: 3, width: 10, height: 10 })
  const { changedShare, boxes, png, width, height } = await diffScreenshots(same, same)
  assert.deepEqual({ changedShare, boxes, width, height }, { changedShare: 0, boxes: [], width: 64, height: 48 })
  const { width: w, height: h } = PNG.sync.read(png)
  assert.deepEqual([w, h], [64, 48])
})

test('marks differences, and returns their share and their boxes', async () => {
  const after = picture(160, 160, { x: 20, y: 20, width: 10, height: 10 }, { x: 100, y: 130, width: 40, height: 8 })
  const { changedShare, boxes, png } = await diffScreenshots(picture(160, 160), after)
  assert.equal(changedShare, (100 + 320) / (160 * 160))
  assert.deepEqual(boxes, [
    { x: 16, y: 16, width: 16, height: 16 },
    { x: 96, y: 128, width: 48, height: 16 },
  ])
  const marked = PNG.sync.read(png)
  assert.ok(isMarked(marked, 25, 25))
  assert.ok(isMarked(marked, 139, 137))
  assert.ok(!isMarked(marked, 5, 5))
})

test('the area that only the larger picture has counts as changed', async () => {
  const [small, large] = [picture(100, 50), picture(120, 80)]
  for (const [before, after] of [
    [small, large],
    [large, small],
  ] as const) {
    const { changedShare, boxes, width, height } = await diffScreenshots(before, after)
    assert.deepEqual([width, height], [120, 80])
    assert.equal(changedShare, (120 * 80 - 100 * 50) / (120 * 80))
    assert.deepEqual(boxes, [{ x: 0, y: 0, width: 120, height: 80 }])
  }
})

test('the last of maxBoxes boxes covers the remaining differences', async () => {
  const dots = Array.from({ length: 9 }, (_, i) => ({
    x: (i % 3) * 64,
    y: Math.floor(i / 3) * 64,
    width: 2,
    height: 2,
  }))
  const before = picture(192, 192)
  assert.equal((await diffScreenshots(before, picture(192, 192, ...dots))).boxes.length, 9)
  const { boxes } = await diffScreenshots(before, picture(192, 192, ...dots), { maxBoxes: 2 })
  assert.deepEqual(boxes, [
    { x: 0, y: 0, width: 16, height: 16 },
    { x: 0, y: 0, width: 144, height: 144 },
  ])
})

test('rejects damaged pictures, and too large, empty or interlaced ones before they are decoded', async () => {
  const good = picture(10, 10)
  /** Has its size and nothing else, so decoding fails. */
  const cut = (width: number, height: number): Buffer => picture(width, height).subarray(0, 33)
  const claimed = Buffer.from(good)
  claimed.writeUInt32BE(1_000_000, 16)
  claimed.writeUInt32BE(1_000_000, 20)
  const empty = Buffer.from(good)
  empty.writeUInt32BE(0, 16)
  const interlaced = Buffer.from(good)
  interlaced[28] = 1
  const damaged = Buffer.from(good)
  damaged.fill(0x55, 40, 60)
  await assert.rejects(diffScreenshots(good, claimed), { code: 'body-too-large' })
  await assert.rejects(diffScreenshots(cut(10, 10), cut(10, 10), { maxBytes: 32 }), { code: 'body-too-large' })
  // Each is small enough, but not the size that covers both.
  await assert.rejects(diffScreenshots(cut(5000, 1), cut(1, 5000)), { code: 'body-too-large' })
  await assert.rejects(diffScreenshots(good, empty), { code: 'file-invalid', message: /no pixels/ })
  await assert.rejects(diffScreenshots(good, interlaced), { code: 'file-invalid', message: /Interlaced/ })
  for (const each of [damaged, cut(10, 10), good.subarray(0, 50)])
    await assert.rejects(diffScreenshots(good, each), { code: 'file-invalid', message: /damaged/ })
  await assert.rejects(diffScreenshots(Buffer.from('<svg/>'), good), { code: 'file-invalid', message: /PNG/ })
})
