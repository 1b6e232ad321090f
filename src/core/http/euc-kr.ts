/**
 * EUC-KR as the Encoding standard means it: with the syllables that Windows added (code page 949). The runtime only decodes the original,
 * and Korean pages use both under the same name. The addition needs no data: it is the Hangul syllables of Unicode that the original
 * lacks, in their order.
 */

const REPLACEMENT = 0xfffd
const FIRST_LEAD = 0x81
const FIRST_TRAIL = 0x41
const TRAILS = 190
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3

/** Signs that were added to the original itself: the euro and the registered trade mark. */
const addedSigns: readonly [lead: number, trail: number, code: number][] = [
  [0xa2, 0xe6, 0x20ac],
  [0xa2, 0xe7, 0xae],
]

const placeOf = (lead: number, trail: number): number => (lead - FIRST_LEAD) * TRAILS + trail - FIRST_TRAIL

/** Code units by pairs of bytes; 0 for pairs without a character. Built when first needed, which takes a few milliseconds. */
let table: Uint16Array | undefined

function buildTable(): Uint16Array {
  const codes = new Uint16Array(126 * TRAILS)
  const original = new Set<number>()
  const decoder = new TextDecoder('euc-kr')
  for (let lead = 0xa1; lead <= 0xfe; lead++)
    for (let trail = 0xa1; trail <= 0xfe; trail++) {
      const text = decoder.decode(Uint8Array.of(lead, trail))
      const code = text.charCodeAt(0)
      // The runtime has private characters for two rows that the standard leaves empty.
      if (text.length !== 1 || code === REPLACEMENT || (code >= 0xe000 && code <= 0xf8ff)) continue
      codes[placeOf(lead, trail)] = code
      original.add(code)
    }
  for (const [lead, trail, code] of addedSigns) codes[placeOf(lead, trail)] = code
  let code = FIRST_SYLLABLE
  for (const place of addedPlaces()) {
    while (original.has(code)) code++
    if (code > LAST_SYLLABLE) break
    codes[place] = code++
  }
  return codes
}

/** Places of the added syllables, in order: trail bytes that the original doesn't use. */
function* addedPlaces(): Generator<number> {
  for (let lead = FIRST_LEAD; lead <= 0xc6; lead++) {
    const last = lead < 0xa1 ? 0xfe : 0xa0
    for (let trail = FIRST_TRAIL; trail <= last; trail++)
      if (trail <= 0x5a || (trail >= 0x61 && trail <= 0x7a) || trail >= 0x81) yield placeOf(lead, trail)
  }
}

/** Malformed bytes become U+FFFD. An ASCII byte is never part of a malformed pair: it may be markup. */
export function decodeEucKr(bytes: Uint8Array): string {
  table ??= buildTable()
  const units = Buffer.allocUnsafe(bytes.length * 2)
  let size = 0
  for (let at = 0; at < bytes.length; at++) {
    let code = bytes[at]!
    if (code >= 0x80) {
      const trail = bytes[at + 1] ?? 0
      const isPair = code !== 0x80 && code !== 0xff
      code = isPair && trail >= FIRST_TRAIL && trail <= 0xfe ? table[placeOf(code, trail)]! : 0
      if (isPair && (code !== 0 || trail >= 0x80)) at++
      if (code === 0) code = REPLACEMENT
    }
    units[size++] = code & 0xff
    units[size++] = code >> 8
  }
  return units.toString('utf16le', 0, size)
}
