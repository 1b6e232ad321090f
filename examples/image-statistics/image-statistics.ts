import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineModule } from 'erace'

/** Types and sizes of images, from their headers. Bodies are read in chunks, as only the start is needed. */
type Facts = { url: string; type: string; width: number; height: number; bytes: number }
let images: Facts[] = []
/** Bytes to read: the size of a JPEG comes after its first segments, at a variable offset. */
const ENOUGH = 64 * 1024

export default defineModule<Facts[]>({
  name: 'image-statistics',
  types: ['image/*'],
  async process(page) {
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of page.body.stream()) {
      pieces.push(piece)
      length += piece.length
      if (length >= ENOUGH) break
    }
    const size = sizeOf(Buffer.concat(pieces))
    if (size !== null) images.push({ url: page.url, type: page.type, ...size, bytes: page.body.length })
  },
  snapshot: () => images,
  restore(state) {
    images = state
  },
  end({ folder }) {
    // After a crash, a page may be processed twice.
    const known = new Map(images.map((image) => [image.url, image]))
    const rows = [...known.values()].sort((a, b) => a.url.localeCompare(b.url))
    const lines = rows.map(
      ({ url, type, width, height, bytes }) => `${new URL(url).pathname} ${type} ${width}x${height} ${bytes} bytes\n`,
    )
    writeFileSync(join(folder(), 'images.txt'), lines.join(''))
    return { images: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) }
  },
})

function sizeOf(start: Buffer): { width: number; height: number } | null {
  if (start.length >= 24 && start.readUInt32BE(0) === 0x89504e47)
    return { width: start.readUInt32BE(16), height: start.readUInt32BE(20) }
  if (start.length >= 10 && /^GIF8[79]a/.test(start.toString('latin1', 0, 6)))
    return { width: start.readUInt16LE(6), height: start.readUInt16LE(8) }
  return start.length > 4 && start.readUInt16BE(0) === 0xffd8 ? jpegSize(start) : null
}

/** Reads the size from the first "start of frame" segment. */
function jpegSize(start: Buffer): { width: number; height: number } | null {
  for (let at = 2; at + 9 < start.length && start[at] === 0xff; ) {
    const marker = start[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: start.readUInt16BE(at + 7), height: start.readUInt16BE(at + 5) }
    at += 2 + start.readUInt16BE(at + 2)
  }
  return null
}
