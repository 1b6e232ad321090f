import { type Fault, malformed, type ReadOutcome, tooLarge } from './read-outcome.ts'

/** `0005;name=value;name="a value"`: extensions are checked and ignored. */
const sizeLine =
  /^([0-9a-f]+)(?:;(?!$)[!#$%&'*+\-.^_`|~0-9a-z]*(?:=[!#$%&'*+\-.^_`|~0-9a-z]*(?:"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*")?)?)*$/i
const startOfSizeLine = /^[0-9a-f]*(?:;|\r?$)/i
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9a-z]+:[\t\x20-\x7e\x80-\xff]*$/i
const isLength = /^content-length:/i

/** Sizes from here on don't fit into 64 bits. */
const endOfSizes = 2 ** 64
const maxSizeLineBytes = 16 << 10

const lineFeed = 0x0a

/** Removes the framing of a chunked body (RFC 9112, 7.1), however it was split into reads. The trailer is checked and dropped. */
export class ChunkedBody {
  /** Where the body ended in the bytes read last. */
  end = 0
  readonly #maxTrailerBytes: number
  #expects: 'size' | 'data' | 'end of data' | 'trailer' = 'size'
  /** Bytes of the chunk still to come. */
  #left = 0
  /** The beginning of a line whose end has not arrived. */
  #line = ''
  #trailerBytes = 0

  constructor(maxTrailerBytes: number) {
    this.#maxTrailerBytes = maxTrailerBytes
  }

  /** `take` is given the pieces of the body, and returns false to stop. */
  read(bytes: Buffer, start: number, take: { onData(piece: Buffer): boolean }): ReadOutcome {
    let at = start
    while (at < bytes.length) {
      if (this.#expects === 'data') {
        const piece = bytes.subarray(at, at + this.#left)
        at += piece.length
        this.#left -= piece.length
        if (this.#left === 0) this.#expects = 'end of data'
        if (!take.onData(piece)) return 'stopped'
        continue
      }
      const end = bytes.indexOf(lineFeed, at)
      const part = bytes.toString('latin1', at, end < 0 ? bytes.length : end)
      this.#line = this.#line === '' ? part : this.#line + part
      const fault = end < 0 ? this.#faultOfPart() : this.#takeLine()
      if (fault !== null) return fault
      if (end < 0) return 'more'
      at = end + 1
      if (this.#expects === 'trailer' && this.#line === '\r') {
        this.end = at
        return 'complete'
      }
      this.#line = ''
    }
    return 'more'
  }

  /** Checks the beginning of a line, whose end might never arrive. */
  #faultOfPart(): Fault | null {
    const { length } = this.#line
    if (this.#expects === 'trailer')
      return this.#trailerBytes + length > this.#maxTrailerBytes ? this.#tooLarge() : null
    if (this.#expects === 'end of data' && this.#line !== '\r') return malformed('a chunk is longer than it says')
    if (this.#expects === 'size' && !startOfSizeLine.test(this.#line))
      return malformed('the size of a chunk is not a number')
    return length > maxSizeLineBytes ? malformed('a chunk has too many extensions') : null
  }

  #takeLine(): Fault | null {
    if (!this.#line.endsWith('\r')) return malformed('a line between chunks ends in LF alone')
    const line = this.#line.slice(0, -1)
    if (this.#expects === 'end of data') {
      this.#expects = 'size'
      return line === '' ? null : malformed('a chunk is longer than it says')
    }
    return this.#expects === 'size' ? this.#takeSize(line) : this.#takeTrailer(line)
  }

  #takeSize(line: string): Fault | null {
    const size = line.length > maxSizeLineBytes ? null : sizeLine.exec(line)
    this.#left = size === null ? Number.NaN : Number.parseInt(size[1]!, 16)
    if (!(this.#left < endOfSizes)) return malformed('the size of a chunk is not a number')
    this.#expects = this.#left === 0 ? 'trailer' : 'data'
    return null
  }

  #takeTrailer(line: string): Fault | null {
    if (line === '') return null
    this.#trailerBytes += line.length
    if (this.#trailerBytes > this.#maxTrailerBytes) return this.#tooLarge()
    if (!trailerLine.test(line)) return malformed('a line of the trailer is not a field')
    return isLength.test(line) ? malformed('the trailer states a length') : null
  }

  #tooLarge(): Fault {
    return tooLarge('trailer', this.#maxTrailerBytes)
  }
}
