import { type ReadReference, readHtmlReference } from './character-reference.ts'
import { BREAK, type Gap, JOIN, SPACE } from './text-tags.ts'

/** Classes of bytes, one table per kind of content. PLAIN bytes are copied without further checks. */
export type Meanings = Uint8Array
const PLAIN = 0
const WHITE = 1
const LINE_END = 2
const TAG = 3
const REFERENCE = 4
/** First byte of a non-ASCII character, which may be white space: U+00A0, U+1680, U+2000 and its kind, U+3000. */
const WIDE = 5
const NUL_DROPPED = 6
const NUL_REPLACED = 7

function meanings(special: { '<'?: number; '&'?: number; '\0': number }): Meanings {
  const table = new Uint8Array(256)
  for (const byte of [0x09, 0x0b, 0x0c, 0x20]) table[byte] = WHITE
  table[0x0a] = table[0x0d] = LINE_END
  table.fill(WIDE, 0x80)
  table[0x3c] = special['<'] ?? PLAIN
  table[0x26] = special['&'] ?? PLAIN
  table[0] = special['\0']
  return table
}

/** Text between tags. As in browsers, a NUL is dropped here, but not in foreign content. */
export const dataMeanings: Meanings = meanings({ '<': TAG, '&': REFERENCE, '\0': NUL_DROPPED })
export const foreignMeanings: Meanings = meanings({ '<': TAG, '&': REFERENCE, '\0': NUL_REPLACED })
export const escapableMeanings: Meanings = meanings({ '&': REFERENCE, '\0': NUL_REPLACED })
export const rawMeanings: Meanings = meanings({ '\0': NUL_REPLACED })

const replacement = Uint8Array.of(0xef, 0xbf, 0xbd)

// SWAR, four bytes at a time: each constant repeats one byte.
const ONES = 0x01010101
const HIGH_BITS = 0x80808080 | 0
const SPACES = 0x20202020
const AFTER_SPACES = 0x21212121
const LESSERS = 0x3c3c3c3c
const AMPERSANDS = 0x26262626

/**
 * Returns the high bits of bytes that may end a word: all up to the space, `<`, `&`, and lead bytes of characters that can be white space
 * (0xc2, 0xe0 to 0xe3, 0xef). Above a true hit there may be false ones: only the lowest is reliable.
 */
function wordEnds(four: number): number {
  const controls = (four - AFTER_SPACES) & ~four & HIGH_BITS
  return controls | equals(four, LESSERS) | equals(four, AMPERSANDS) | wideLeads(four)
}

function wideLeads(four: number): number {
  return equals(four, 0xc2c2c2c2) | equals(four & 0xfcfcfcfc, 0xe0e0e0e0) | equals(four, 0xefefefef)
}

function equals(four: number, other: number): number {
  const difference = four ^ other
  return (difference - ONES) & ~difference & HIGH_BITS
}

export type SinkOptions = { lines: boolean; readReference?: ReadReference | undefined }

/**
 * Collects text: words separated by one space, or by one line break where a block ends. White space is pending until the next character is
 * written, so there is none at either end.
 */
export class TextSink {
  length = 0
  /** Line breaks of the source are kept, as in `<pre>`. */
  keepsLines = false
  private gap: Gap = JOIN
  private readonly bytes: Buffer
  private readonly view: DataView
  private readonly out: Buffer
  private readonly outView: DataView
  private readonly lineEnd: number
  private readonly readReference: ReadReference

  /**
   * `page` is valid UTF-8. `out` must have room for three times its length, since a NUL becomes a character of three bytes, plus a little
   * more.
   */
  constructor(page: Buffer, out: Buffer, options: SinkOptions) {
    this.bytes = page
    this.view = new DataView(page.buffer, page.byteOffset, page.length)
    this.out = out
    this.outView = new DataView(out.buffer, out.byteOffset, out.length)
    this.lineEnd = options.lines ? 0x0a : 0x20
    this.readReference = options.readReference ?? readHtmlReference
  }

  /** The strongest of several gaps counts. */
  open(gap: Gap): void {
    if (gap > this.gap) this.gap = gap
  }

  /** Appends text from `from`. Returns where it stopped: at a `<` that is special there, or at `end`. */
  append(from: number, end: number, table: Meanings): number {
    const { bytes } = this
    let at = from
    while (at < end) {
      switch (table[bytes[at]!]) {
        case PLAIN:
          at = this.appendWords(at, end)
          break
        case WHITE:
          if (this.gap === JOIN) this.gap = SPACE
          at++
          break
        case LINE_END:
          this.open(this.keepsLines ? BREAK : SPACE)
          at++
          break
        case TAG:
          return at
        case REFERENCE:
          at = this.appendReference(at, end)
          break
        case WIDE:
          at = this.appendWide(at, end)
          break
        case NUL_REPLACED:
          this.appendBytes(replacement)
          at++
          break
        default:
          at++
      }
    }
    return at
  }

  /**
   * Copies the byte at `from`, which is plain, and then ASCII words separated by single spaces, up to the first byte that is anything else.
   */
  private appendWords(from: number, end: number): number {
    this.closeGap()
    const { view, out, outView } = this
    const last = end - 4
    let length = this.length
    let at = from
    let spaceBefore = 0
    out[length++] = this.bytes[at++]!
    while (at <= last) {
      const four = view.getInt32(at, true)
      // For bytes below 0x80, subtracting one sets the high bit of zero bytes only: those equal to the constant.
      const spaces = ((four ^ SPACES) - ONES) & HIGH_BITS
      const special = (four | (four - SPACES) | ((four ^ LESSERS) - ONES) | ((four ^ AMPERSANDS) - ONES)) & HIGH_BITS
      const stop = special | (spaces & ((spaces << 8) | spaceBefore))
      outView.setInt32(length, four, true)
      if (stop !== 0) {
        const plain = (31 - Math.clz32(stop & -stop)) >> 3
        if (plain > 0) spaceBefore = spaces & (0x80 << (8 * (plain - 1)))
        length += plain
        at += plain
        break
      }
      spaceBefore = spaces >>> 24
      length += 4
      at += 4
    }
    // A trailing space isn't written yet: more white space may follow.
    if (spaceBefore !== 0) {
      length--
      this.gap = SPACE
    }
    this.length = length
    return at
  }

  /** As `appendWords`, but starts with a non-ASCII character, includes others, and stops at the end of the word. */
  private appendWide(from: number, end: number): number {
    const { bytes, view, out, outView } = this
    const spaceSize = wideSpaceSize(bytes, from)
    if (spaceSize > 0) {
      this.open(SPACE)
      return from + spaceSize
    }
    this.closeGap()
    const last = end - 4
    let length = this.length
    let at = from
    do {
      // Continuation bytes have the form 10xxxxxx.
      do out[length++] = bytes[at++]!
      while (at < end && (bytes[at]! & 0xc0) === 0x80)
      // Before a character that begins with 0xe0 to 0xe3, the four-byte step would stop at once.
      while (at <= last && (bytes[at]! & 0xfc) !== 0xe0) {
        const four = view.getInt32(at, true)
        const stop = wordEnds(four)
        outView.setInt32(length, four, true)
        const plain = stop === 0 ? 4 : (31 - Math.clz32(stop & -stop)) >> 3
        length += plain
        at += plain
        if (stop !== 0) break
      }
    } while (at < end && bytes[at]! >= 0x80 && wideSpaceSize(bytes, at) === 0)
    this.length = length
    return at
  }

  private appendReference(at: number, end: number): number {
    const { text, size } = this.readReference(this.bytes, at, end)
    this.appendBytes(text)
    return at + size
  }

  private appendBytes(text: Uint8Array): void {
    for (let at = 0; at < text.length; ) {
      const byte = text[at]!
      const meaning = rawMeanings[byte]
      const spaceSize = meaning === WIDE ? wideSpaceSize(text, at) : meaning === PLAIN ? 0 : 1
      if (spaceSize === 0) {
        this.closeGap()
        do this.out[this.length++] = text[at++]!
        while ((text[at]! & 0xc0) === 0x80)
      } else {
        this.open(meaning === LINE_END && this.keepsLines ? BREAK : SPACE)
        at += spaceSize
      }
    }
  }

  private closeGap(): void {
    if (this.gap === JOIN) return
    if (this.length > 0) this.out[this.length++] = this.gap === BREAK ? this.lineEnd : 0x20
    this.gap = JOIN
  }
}

/** Size of the non-ASCII white space character at `at`, in bytes; 0 if there is none. */
function wideSpaceSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first > 0xe3 && first !== 0xef) return 0
  if (first < 0xe1 && first !== 0xc2) return 0
  const second = bytes[at + 1]!
  if (first === 0xc2) return second === 0xa0 ? 2 : 0
  const third = bytes[at + 2]!
  switch ((first << 16) | (second << 8) | third) {
    case 0xe19a80:
    case 0xe2819f:
    case 0xe38080:
    case 0xefbbbf:
      return 3
    default:
      if (first !== 0xe2 || second !== 0x80) return 0
      return third <= 0x8a || third === 0xa8 || third === 0xa9 || third === 0xaf ? 3 : 0
  }
}
