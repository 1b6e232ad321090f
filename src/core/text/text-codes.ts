/**
 * The UTF-16 code units of a text as an array: on sliced strings, `charCodeAt` takes several times as long. The array may be longer than
 * the text, and the next text of the same slot overwrites it.
 */
export function codesOf(text: string, slot: 0 | 1): Uint16Array {
  if (text.length > maxKept) return written(createScratch(text.length), text)
  let scratch = kept[slot]!
  if (text.length > scratch.codes.length) {
    scratch = createScratch(Math.min(maxKept, 2 * text.length))
    kept[slot] = scratch
  }
  return written(scratch, text)
}

type Scratch = { bytes: Buffer; codes: Uint16Array }

const maxKept = 1_000_000
const kept = [createScratch(8_192), createScratch(8_192)]

function createScratch(length: number): Scratch {
  const bytes = Buffer.allocUnsafeSlow(2 * length)
  return { bytes, codes: new Uint16Array(bytes.buffer) }
}

function written({ bytes, codes }: Scratch, text: string): Uint16Array {
  bytes.write(text, 'utf16le')
  return codes
}
