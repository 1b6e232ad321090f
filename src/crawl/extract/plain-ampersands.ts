import { byteClass, LETTER } from '../../core/html/byte-class.ts'
import { asciiText } from './page-text.ts'

/** Longer values go the general way. Used within one call only, so one is enough. */
const scratch = Buffer.alloc(1024)
const classes = byteClass
const IS_LETTER = LETTER

/**
 * Text of an ASCII value whose ampersands are of the two kinds that links are full of: `&amp;`, and `&name=` of a
 * query that nobody escaped (which by the rules for attributes stands for itself, whatever the name). Undefined when
 * there is any other, for which the whole table of entities is wanted. Three times as fast as that.
 */
export function plainAmpersandText(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start > scratch.length) return undefined
  let size = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    scratch[size++] = byte
    if (byte !== 0x26) continue
    if (isAmp(bytes, at + 1)) at += 4
    else if (!isParameter(bytes, at + 1, end)) return undefined
  }
  return asciiText(scratch, 0, size)
}

function isAmp(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x61 && bytes[at + 1] === 0x6d && bytes[at + 2] === 0x70 && bytes[at + 3] === 0x3b
}

function isParameter(bytes: Buffer, from: number, end: number): boolean {
  let at = from
  while (at < end && classes[bytes[at]!]! & IS_LETTER) at++
  return at > from && at < end && bytes[at] === 0x3d
}
