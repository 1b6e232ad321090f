import {
  ATTRIBUTE_NAME_END,
  byteClass,
  findByte,
  matchesWord,
  type PageBytes,
  SLASH,
  UNQUOTED_END,
  WHITESPACE,
} from '../../html/byte-class.ts'

// Imported bindings are looked up at each use, which would cost a tenth of the time in the loops below.
const classes = byteClass
const NAME_END = ATTRIBUTE_NAME_END
const VALUE_END = UNQUOTED_END
const SPACE = WHITESPACE
const BETWEEN = WHITESPACE | SLASH

/** See `findByte`. Most values are shorter. */
const nearBytes = 16

/**
 * The attributes of a start tag that determine its place and visibility; one object for all tags of a page. Values are offsets into the
 * page, -1 if absent.
 */
export class TagAttributes {
  idAt = -1
  idEnd = -1
  classAt = -1
  classEnd = -1
  styleAt = -1
  styleEnd = -1
  mediaAt = -1
  mediaEnd = -1
  hasHidden = false
  hasOpen = false
  hasPopover = false
  private valueAt = -1
  private valueEnd = -1

  /** `from` is the end of the tag's name. Returns the index after its `>`, or -1 if there is none. */
  read(page: PageBytes, from: number): number {
    this.idAt = this.classAt = this.styleAt = this.mediaAt = -1
    this.hasHidden = this.hasOpen = this.hasPopover = false
    const { bytes } = page
    const length = bytes.length
    let at = from
    while (at < length) {
      const byte = bytes[at]!
      if (byte === 0x3e) return at + 1
      if (classes[byte]! & BETWEEN) at++
      else at = this.readOne(page, at)
    }
    return -1
  }

  private readOne(page: PageBytes, from: number): number {
    const { bytes } = page
    const length = bytes.length
    // The first byte always belongs to the name: `<p =x>` has an attribute named `=x`.
    let at = from + 1
    while (at < length && !(classes[bytes[at]!]! & NAME_END)) at++
    const nameEnd = at
    while (at < length && classes[bytes[at]!]! & SPACE) at++
    if (bytes[at] === 0x3d) at = this.readValue(page, at + 1)
    else this.valueAt = this.valueEnd = at
    const size = nameEnd - from
    if (size >= 2 && size <= 7) this.note(bytes, from, size)
    return at
  }

  private readValue(page: PageBytes, from: number): number {
    const { bytes } = page
    const length = bytes.length
    let at = from
    while (at < length && classes[bytes[at]!]! & SPACE) at++
    const quote = bytes[at]
    if (quote === 0x22 || quote === 0x27) {
      this.valueAt = at + 1
      this.valueEnd = findByte(page, quote, quote === 0x22 ? '"' : "'", at + 1, nearBytes)
      return this.valueEnd + 1
    }
    this.valueAt = at
    while (at < length && !(classes[bytes[at]!]! & VALUE_END)) at++
    this.valueEnd = at
    return at
  }

  /** The first attribute of a name counts. */
  private note(bytes: Uint8Array, at: number, size: number): void {
    switch (size) {
      case 2:
        if (this.idAt === -1 && matchesWord(bytes, at, 'id')) {
          this.idAt = this.valueAt
          this.idEnd = this.valueEnd
        }
        break
      case 4:
        if (matchesWord(bytes, at, 'open')) this.hasOpen = true
        break
      case 5:
        if (this.classAt === -1 && matchesWord(bytes, at, 'class')) {
          this.classAt = this.valueAt
          this.classEnd = this.valueEnd
        } else if (this.styleAt === -1 && matchesWord(bytes, at, 'style')) {
          this.styleAt = this.valueAt
          this.styleEnd = this.valueEnd
        } else if (this.mediaAt === -1 && matchesWord(bytes, at, 'media')) {
          this.mediaAt = this.valueAt
          this.mediaEnd = this.valueEnd
        }
        break
      case 6:
        if (matchesWord(bytes, at, 'hidden')) this.hasHidden = true
        break
      case 7:
        if (matchesWord(bytes, at, 'popover')) this.hasPopover = true
    }
  }
}
