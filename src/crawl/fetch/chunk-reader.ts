/** What came of some bytes: a place behind the end of the body, one of the numbers below, or what is wrong with them. */
export type ChunksRead = number | string
/** The body goes on. */
export const MORE = -1
/** Nobody wants the rest. */
export const STOPPED = -2
/** The trailer has more bytes than it may. */
export const TOO_LONG = -3

/** A size of at most 52 bits, and extensions that nobody understands. */
const sizeLine = /^(?=[0-9a-f])0*([0-9a-f]{0,13})(?:;[\t\x20-\x7e\x80-\xff]*)?$/i
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

/** Undoes the framing of a body in chunks (RFC 9112, 7.1), however it was cut into reads. Its trailer is checked and dropped. */
export class ChunkReader {
  #expects: 'size' | 'data' | 'end of chunk' | 'trailer' = 'size'
  /** Bytes of the chunk that are still to come. */
  #left = 0
  /** The beginning of a line whose end has not come. */
  #line = ''
  #trailerBytes = 0
  readonly #maxTrailerBytes: number

  constructor(maxTrailerBytes: number) {
    this.#maxTrailerBytes = maxTrailerBytes
  }

  /** `take` is given pieces of the body, and says whether it wants more. */
  read(bytes: Buffer, take: (piece: Buffer) => boolean): ChunksRead {
    let at = 0
    while (at < bytes.length) {
      if (this.#expects === 'data') {
        const piece = bytes.subarray(at, at + this.#left)
        at += piece.length
        this.#left -= piece.length
        if (this.#left === 0) this.#expects = 'end of chunk'
        if (!take(piece)) return STOPPED
        continue
      }
      const end = bytes.indexOf(0x0a, at)
      this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end)
      if (this.#expects === 'end of chunk' && !'\r'.startsWith(this.#line)) return 'a chunk is longer than it says'
      if (end < 0) return MORE
      at = end + 1
      if (!this.#line.endsWith('\r')) return 'a line between chunks ends in LF alone'
      const line = this.#line.slice(0, -1)
      this.#line = ''
      if (this.#expects === 'trailer') {
        if (line === '') return at
        this.#trailerBytes += line.length
        if (this.#trailerBytes > this.#maxTrailerBytes) return TOO_LONG
      }
      const fault = this.#take(line)
      if (fault !== null) return fault
    }
    return MORE
  }

  #take(line: string): string | null {
    if (this.#expects === 'end of chunk') this.#expects = 'size'
    else if (this.#expects === 'trailer') return trailerLine.test(line) ? null : 'a line of the trailer is no field'
    else {
      const size = sizeLine.exec(line)
      if (size === null) return 'a chunk has no proper size'
      this.#left = Number.parseInt(`0${size[1]}`, 16)
      this.#expects = this.#left === 0 ? 'trailer' : 'data'
    }
    return null
  }
}
