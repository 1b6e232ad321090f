import { AppError } from '../../core/errors.ts'

/** Where two pictures of a page differ. */
export type ScreenshotDiff = {
  /** The later picture in pale grey, with the differences in red. */
  png: Buffer
  width: number
  height: number
  /** Fraction of the larger picture, from 0 to 1. */
  changedShare: number
  /** Bounding boxes of all differences, from top to bottom. */
  boxes: Box[]
}

export type Box = { x: number; y: number; width: number; height: number }

export type ScreenshotLimits = { maxBytes: number; maxPixels: number; maxBoxes: number }

const defaultLimits: ScreenshotLimits = { maxBytes: 20 << 20, maxPixels: 16_000_000, maxBoxes: 50 }

/** Differences no further apart than this (in pixels) share a box. */
const cell = 16
const mark = [255, 0, 0] as const
const signature = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/**
 * Compares two pictures pixel by pixel. An area that only one of them has counts as changed. Blocks the thread for a second or two on
 * tall pages, so call it where nothing else waits for it. Throws `file-invalid` if one isn't a PNG image, and `body-too-large` beyond
 * the limits.
 */
export async function diffScreenshots(
  before: Buffer,
  after: Buffer,
  limits: Partial<ScreenshotLimits> = {},
): Promise<ScreenshotDiff> {
  const { maxBytes, maxPixels, maxBoxes } = { ...defaultLimits, ...limits }
  const sizes = [before, after].map((picture) => pictureSize(picture, maxBytes))
  const width = Math.max(...sizes.map((size) => size.width))
  const height = Math.max(...sizes.map((size) => size.height))
  // Both are padded to this size, so it determines the memory used.
  if (width * height > maxPixels)
    throw new AppError('body-too-large', `${width} × ${height} pixels are too many to compare`)

  const [{ PNG }, { default: pixelmatch }] = await Promise.all([import('pngjs'), import('pixelmatch')])
  const read = (picture: Buffer): Buffer => {
    try {
      const decoded = PNG.sync.read(picture)
      return padded(decoded.data, decoded.width, decoded.height, width, height)
    } catch (error) {
      throw new AppError('file-invalid', 'The picture is damaged', { cause: error })
    }
  }
  const marked = new PNG({ width, height })
  const changed = pixelmatch(read(after), read(before), marked.data, width, height, {
    threshold: 0.1,
    diffColor: [...mark],
  })
  const boxes = changed === 0 ? [] : boxesOf(marked.data, width, height, maxBoxes)
  return { png: PNG.sync.write(marked), width, height, changedShare: changed / (width * height), boxes }
}

/** Reads the size from the first chunk, before decoding: a small file can claim to be a huge picture. Throws like `diffScreenshots`. */
export function pictureSize(picture: Buffer, maxBytes = defaultLimits.maxBytes): { width: number; height: number } {
  if (picture.length > maxBytes) throw new AppError('body-too-large', 'The picture is too large to compare')
  if (picture.length < 33 || !picture.subarray(0, 16).equals(signature))
    throw new AppError('file-invalid', "It isn't a PNG image")
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)]
  if (width === 0 || height === 0) throw new AppError('file-invalid', 'The picture has no pixels')
  // Browsers don't make these, and the decoder doesn't bound their decoded length.
  if (picture[28] !== 0) throw new AppError('file-invalid', 'Interlaced pictures are not compared')
  return { width, height }
}

/** Pads with transparent pixels, a colour that no part of a page has. */
function padded(data: Buffer, width: number, height: number, toWidth: number, toHeight: number): Buffer {
  if (width === toWidth && height === toHeight) return data
  const wide = Buffer.alloc(toWidth * toHeight * 4)
  for (let y = 0; y < height; y++) data.copy(wide, y * toWidth * 4, y * width * 4, (y + 1) * width * 4)
  return wide
}

/** Bounding boxes of touching cells with marked pixels. If there are too many, the last box covers the rest. */
function boxesOf(marked: Buffer, width: number, height: number, maxBoxes: number): Box[] {
  const columns = Math.ceil(width / cell)
  const rows = Math.ceil(height / cell)
  const isChanged = new Uint8Array(columns * rows)
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / cell) * columns
    for (let x = 0; x < width; x++, at += 4) {
      if (marked[at] === mark[0] && marked[at + 1] === mark[1] && marked[at + 2] === mark[2])
        isChanged[row + Math.floor(x / cell)] = 1
    }
  }
  const boxes: Box[] = []
  for (let start = 0; start < isChanged.length; start++) {
    if (isChanged[start] === 0) continue
    const box = inPixels(takeGroup(isChanged, columns, rows, start), width, height)
    const last = boxes.at(-1)
    if (boxes.length < maxBoxes || last === undefined) boxes.push(box)
    else boxes[boxes.length - 1] = around(last, box)
  }
  return boxes
}

/** Removes the group of cells connected to this one, and returns its bounding box in cells. */
function takeGroup(isChanged: Uint8Array, columns: number, rows: number, start: number): Box {
  let [left, right, top, bottom] = [columns, 0, rows, 0]
  const waiting = [start]
  isChanged[start] = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const [x, y] = [at % columns, Math.floor(at / columns)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
    for (let nextY = Math.max(0, y - 1); nextY <= Math.min(rows - 1, y + 1); nextY++) {
      for (let nextX = Math.max(0, x - 1); nextX <= Math.min(columns - 1, x + 1); nextX++) {
        const next = nextY * columns + nextX
        if (isChanged[next] === 0) continue
        isChanged[next] = 0
        waiting.push(next)
      }
    }
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

function inPixels({ x, y, width, height }: Box, maxX: number, maxY: number): Box {
  const [right, bottom] = [Math.min(maxX, (x + width) * cell), Math.min(maxY, (y + height) * cell)]
  return { x: x * cell, y: y * cell, width: right - x * cell, height: bottom - y * cell }
}

function around(one: Box, other: Box): Box {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  const right = Math.max(one.x + one.width, other.x + other.width)
  const bottom = Math.max(one.y + one.height, other.y + other.height)
  return { x, y, width: right - x, height: bottom - y }
}
