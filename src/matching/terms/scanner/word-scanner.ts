import { randomBytes } from 'node:crypto'
import { createInstances } from '../../../core/work/web-assembly.ts'
import { learnUnit, spellTable } from '../fold.ts'
import { MAX_TERM_LENGTH, TEXT_UNITS } from './assembly/wire.ts'

type Exports = {
  memory: { readonly buffer: ArrayBuffer }
  begin(seed: bigint, factor: bigint, otherFactor: bigint): void
  spelledAt(): number
  textAt(): number
  termOfAt(): number
  startsAt(): number
  endsAt(): number
  wordAt(): number
  wordOfAt(): number
  countsAt(): number
  placesAt(): number
  foundCount(): number
  termCount(): number
  wordCount(): number
  takeFound(): void
  endDocument(): number
  forgetWords(): void
  scan(from: number, end: number, isLast: boolean, offset: number, limit: number): number
  addWord(length: number, start: number, end: number): void
  intern(length: number): number
}

const createInstance = createInstances<Exports>('word scanner', new URL('./words.wasm', import.meta.url))

/** Positions of consecutive tokens, and their terms. */
export type FoundTokens = { readonly termOf: Uint32Array; readonly starts: Uint32Array; readonly ends: Uint32Array }

/**
 * The scanner in `assembly/`, which `npm ci` compiles to WebAssembly, and its memory: a portion of text, the tokens found, and the words
 * of all documents. Growing the memory replaces its buffer, and existing views of it get length 0.
 */
export class WordScanner {
  private readonly exports = createInstance()
  private readonly starts = this.exports.startsAt()
  private readonly ends = this.exports.endsAt()
  private readonly termOf = this.exports.termOfAt()
  private readonly text = this.exports.textAt()
  private memory!: Buffer<ArrayBuffer>
  /** A word read by the program, for `addWord` and `intern`. */
  word!: Uint16Array
  /** Copy of `spellTable`; characters not met here are 0. */
  private spelled!: Uint16Array

  constructor() {
    // Secret, so that no page can be written whose words all fall into one slot.
    const seeds = randomBytes(24)
    this.exports.begin(seeds.readBigInt64LE(0), seeds.readBigInt64LE(8), seeds.readBigInt64LE(16))
    this.lookAgain()
    this.spelled.set(spellTable)
  }

  get memoryBytes(): number {
    return this.memory.length
  }

  /** Tokens not yet taken. */
  get found(): number {
    return this.exports.foundCount()
  }

  get words(): number {
    return this.exports.wordCount()
  }

  /** Kind of a character; see `spellTable`. */
  kindOf(unit: number): number {
    const known = this.spelled[unit]!
    if (known !== 0) return known
    const kind = spellTable[unit]! || learnUnit(unit)
    this.spelled[unit] = kind
    return kind
  }

  /** Loads a portion of a text, at most `TEXT_UNITS`. */
  load(text: string): void {
    this.memory.write(text, this.text, TEXT_UNITS * 2, 'utf16le')
  }

  /**
   * Reads words of the portion from `from`, and returns where to continue: at `end`, at a special case for the program, or where `limit`
   * tokens are reached. Unless the text ends at `end`, a word that reaches it is left for the next portion. `offset` is the start of the
   * portion.
   */
  scan(from: number, end: number, isLast: boolean, offset: number, limit: number): number {
    const at = this.exports.scan(from, end, isLast, offset, limit)
    if (this.word.length === 0) this.lookAgain()
    return at
  }

  /** Adds a token of `length` units in `word`; there must be room for it. */
  addWord(length: number, start: number, end: number): void {
    this.exports.addWord(length, start, end)
    if (this.word.length === 0) this.lookAgain()
  }

  /** The number of a word. */
  intern(text: string): number {
    const length = Math.min(text.length, MAX_TERM_LENGTH)
    for (let at = 0; at < length; at++) this.word[at] = text.charCodeAt(at)
    const number = this.exports.intern(length)
    if (this.word.length === 0) this.lookAgain()
    return number
  }

  /** The tokens found since the last call. */
  takeFound(): FoundTokens {
    const { found } = this
    const termOf = this.numbers(this.termOf, found).slice()
    const starts = this.numbers(this.starts, found).slice()
    const ends = this.numbers(this.ends, found).slice()
    this.exports.takeFound()
    return { termOf, starts, ends }
  }

  /** By term of the document: its word, and its number of occurrences. */
  takeTerms(): { wordOf: Uint32Array; counts: Uint32Array } {
    const terms = this.exports.termCount()
    return {
      wordOf: this.numbers(this.exports.wordOfAt(), terms).slice(),
      counts: this.numbers(this.exports.countsAt(), terms).slice(),
    }
  }

  /** Starts new terms for the next document. Returns the number of terms of all documents so far, plus one. */
  endDocument(): number {
    return this.exports.endDocument()
  }

  /** Words are numbered from 0 again. */
  forgetWords(): void {
    this.exports.forgetWords()
    if (this.word.length === 0) this.lookAgain()
  }

  /** By word: its offset in `bytes`, where eight bytes hold the count and kind of its letters, followed by the letters. */
  letters(): { places: Uint32Array; bytes: Uint8Array } {
    return { places: this.numbers(this.exports.placesAt(), this.words), bytes: this.memory }
  }

  private numbers(at: number, count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, count)
  }

  private lookAgain(): void {
    const { buffer } = this.exports.memory
    this.memory = Buffer.from(buffer)
    this.word = new Uint16Array(buffer, this.exports.wordAt(), MAX_TERM_LENGTH)
    this.spelled = new Uint16Array(buffer, this.exports.spelledAt(), spellTable.length)
  }
}
