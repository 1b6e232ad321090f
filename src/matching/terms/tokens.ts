import {
  DROPPED,
  FIRST_LETTER,
  foldAstral,
  foldedUnits,
  foldTable,
  foldUnspaced,
  learnUnit,
  PLUS,
  SEPARATOR,
  SEVERAL,
  SHARP,
  SURROGATE,
  UNKNOWN,
  UNSPACED,
} from './fold.ts'
import { SeenWords } from './seen-words.ts'
import { finishHash, hashFactor, hashStart, secondFactor } from './term-hash.ts'
import { grown, TermTable } from './term-table.ts'

/** What follows in a longer word is not compared. */
export const MAX_TERM_LENGTH = 64
export const MAX_TOKENS = 1_000_000

// An imported binding is looked up at each use; in the loop below that costs a tenth of the time.
const folded = foldTable
const factor = hashFactor
const otherFactor = secondFactor
const startState = hashStart
const MAX_LENGTH = MAX_TERM_LENGTH

/**
 * Cuts texts into words, in one pass over their characters. Words are runs of letters and digits, compared without case
 * and accents; everything between them is ignored. Tokens of several texts (title, body) follow each other.
 */
export class TokenReader {
  readonly table: TermTable
  tokens = 0
  /** For each token its term, and its position in the text. */
  termOf: Uint32Array
  starts: Uint32Array
  ends: Uint32Array
  /** A limit was reached: what came later is not there. */
  isCut = false

  private readonly maxTokens: number
  private readonly seen: SeenWords
  private segmented = 0
  private readonly word = new Uint16Array(MAX_TERM_LENGTH)
  private length = 0
  private state = startState
  private other = startState
  private start = 0

  constructor(expectedLength: number, maxTokens = MAX_TOKENS) {
    this.maxTokens = maxTokens
    const tokens = Math.min(maxTokens, Math.ceil(expectedLength / 5) + 16)
    const terms = Math.min(65_536, Math.ceil(tokens / 8))
    this.table = new TermTable(terms)
    this.termOf = new Uint32Array(tokens)
    this.starts = new Uint32Array(tokens)
    this.ends = new Uint32Array(tokens)
    this.seen = new SeenWords(this.table, terms)
  }

  /** For each term how often it occurs. */
  counts(): Uint32Array {
    return this.seen.counts()
  }

  /** Adds the words of `text` from `from`; positions are those in `text`. */
  read(text: string, from = 0): void {
    const end = text.length
    const units = unitsOf(text)
    let at = from
    while (at < end && !this.isCut) {
      let entry = folded[units[at]!]!
      if (entry < FIRST_LETTER) {
        if (entry === SEPARATOR) {
          if (this.length > 0) this.finishWord(at)
          at++
        } else at = this.readOther(text, at, entry)
        continue
      }
      if (this.tokens >= this.maxTokens) break
      // The common word is folded in place and never copied. One that was begun with something odd goes on in `word`.
      const start = at
      const last = Math.min(end, start + MAX_LENGTH - this.length)
      let { state, other } = this
      while (at < last) {
        entry = folded[units[at]!]!
        if (entry < FIRST_LETTER) break
        units[at] = entry
        state = Math.imul(state ^ entry, factor)
        other = Math.imul(other ^ entry, otherFactor)
        at++
      }
      const length = at - start
      if (at === last) while (at < end && folded[units[at]!]! >= FIRST_LETTER) at++
      if (this.length === 0 && (at === end || entry === SEPARATOR))
        this.addToken(this.seen.add(finishHash(state), other, units, start, length), start, at)
      else this.keepWord(units, start, length, state, other)
    }
    if (this.length > 0) this.finishWord(end)
    if (at < end) this.isCut = true
  }

  private keepWord(units: Uint16Array, start: number, length: number, state: number, other: number): void {
    if (this.length === 0) this.start = start
    for (let at = 0; at < length; at++) this.word[this.length++] = units[start + at]!
    this.state = state
    this.other = other
  }

  /** Everything but plain letters and separators. Returns where to go on. */
  private readOther(text: string, at: number, entry: number): number {
    const unit = text.charCodeAt(at)
    switch (entry) {
      case UNKNOWN:
        learnUnit(unit)
        return at
      case SEVERAL:
        this.append(foldedUnits(unit), at)
        return at + 1
      case SURROGATE:
        return this.readAstral(text, at)
      case UNSPACED:
        return this.readUnspaced(text, at)
      case PLUS:
      case SHARP:
        return this.readSign(text, at, entry)
      case DROPPED:
        return at + 1
      default:
        if (this.length > 0) this.finishWord(at)
        return at + 1
    }
  }

  /** `c++`, `c#`: a single letter and its sign. Anywhere else the signs separate. */
  private readSign(text: string, at: number, entry: number): number {
    const sign = entry === SHARP ? '#' : '++'
    const isName = this.length === 1 && this.word[0]! >= 0x61 && this.word[0]! <= 0x7a
    if (!isName || !text.startsWith(sign, at)) {
      if (this.length > 0) this.finishWord(at)
      return at + 1
    }
    this.append(sign, at)
    this.finishWord(at + sign.length)
    return at + sign.length
  }

  private readAstral(text: string, at: number): number {
    const codePoint = text.codePointAt(at)!
    const kind = codePoint > 0xffff ? foldAstral(codePoint) : ''
    if (kind === UNSPACED) return this.readUnspaced(text, at)
    if (kind === '') {
      if (this.length > 0) this.finishWord(at)
    } else this.append(kind, at)
    return codePoint > 0xffff ? at + 2 : at + 1
  }

  private readUnspaced(text: string, from: number): number {
    if (this.length > 0) this.finishWord(from)
    const room = MAX_SEGMENTED - this.segmented
    let end = from
    while (end < text.length && end - from < room) {
      const unit = text.charCodeAt(end)
      const entry = folded[unit]! || learnUnit(unit)
      if (entry === UNSPACED) end++
      else if (entry === SURROGATE && foldAstral(text.codePointAt(end)!) === UNSPACED) end += 2
      else break
    }
    this.segmented += end - from
    if (end - from >= room) this.isCut = true
    eachSegment(text.slice(from, end), (term, start, stop) => {
      this.append(term, from + start)
      if (this.length > 0) this.finishWord(from + stop)
    })
    return end
  }

  private append(units: string, at: number): void {
    if (this.length === 0) this.start = at
    for (let i = 0; i < units.length && this.length < MAX_LENGTH; i++) {
      const unit = units.charCodeAt(i)
      this.word[this.length++] = unit
      this.state = Math.imul(this.state ^ unit, factor)
      this.other = Math.imul(this.other ^ unit, otherFactor)
    }
  }

  private finishWord(end: number): void {
    if (this.tokens >= this.maxTokens) this.isCut = true
    else {
      this.addToken(this.seen.add(finishHash(this.state), this.other, this.word, 0, this.length), this.start, end)
    }
    this.length = 0
    this.state = this.other = startState
  }

  private addToken(term: number, start: number, end: number): void {
    const token = this.tokens
    if (token >= this.termOf.length) this.growTokens()
    this.termOf[token] = term
    this.starts[token] = start
    this.ends[token] = end
    this.tokens = token + 1
  }

  private growTokens(): void {
    const room = Math.min(this.maxTokens, this.termOf.length * 2)
    this.termOf = grown(this.termOf, new Uint32Array(room))
    this.starts = grown(this.starts, new Uint32Array(room))
    this.ends = grown(this.ends, new Uint32Array(room))
  }
}

const MAX_KEPT_UNITS = 1 << 20
let scratch = new Uint16Array(0)

/** The characters of a text, to be changed at will until the next text is read. */
function unitsOf(text: string): Uint16Array {
  let units = scratch
  if (units.length < text.length) {
    units = new Uint16Array(Math.max(text.length, 1 << 16))
    if (units.length <= MAX_KEPT_UNITS) scratch = units
  }
  Buffer.from(units.buffer, units.byteOffset, units.byteLength).write(text, 'utf16le')
  return units
}

const plainWord = /^[A-Za-z0-9]+$/

/** The words of a short text, as they are compared. */
export function wordsOf(text: string, maxWords = 100): string[] {
  if (text.length <= MAX_TERM_LENGTH && plainWord.test(text)) return [text.toLowerCase()]
  const reader = new TokenReader(text.length, maxWords)
  reader.read(text)
  return Array.from(reader.termOf.subarray(0, reader.tokens), (term) => reader.table.textOf(term))
}

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })
/** The dictionaries look at a run as a whole; a page without any space shall not become one. */
const MAX_RUN = 2_000
/** Finding words by dictionary costs a hundred times what it costs by spaces; text beyond this is ignored. */
const MAX_SEGMENTED = 200_000

/** Calls back for each word of a run of characters that have no space between words, with its position in the run. */
function eachSegment(run: string, found: (term: string, start: number, end: number) => void): void {
  for (let from = 0; from < run.length; from += MAX_RUN) {
    for (const { index, segment, isWordLike } of segmenter.segment(run.slice(from, from + MAX_RUN))) {
      if (isWordLike === true) found(foldUnspaced(segment), from + index, from + index + segment.length)
    }
  }
}
