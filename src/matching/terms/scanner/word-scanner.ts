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

/** Where tokens are, one after the other, and their terms. */
export type FoundTokens = { readonly termOf: Uint32Array; readonly starts: Uint32Array; readonly ends: Uint32Array }

/**
 * The scanner in `assembly/`, which `npm ci` compiles to WebAssembly, and its memory: a portion of text, the tokens found, and the words
 * of all documents. Memory that has grown is another one to the program, and what it had of the former has length 0.
 */
export class WordScanner {
  private readonly exports = createInstance()
  private readonly starts = this.exports.startsAt()
  private readonly ends = this.exports.endsAt()
  private readonly termOf = this.exports.termOfAt()
  private readonly text = this.exports.textAt()
  private memory!: Buffer<ArrayBuffer>
  /** A word that is read by the program, for `addWord` and `intern`. */
  word!: Uint16Array
  /** As `spellTable`; characters that were not met here are 0. */
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

  /** Tokens that were not taken yet. */
  get found(): number {
    return this.exports.foundCount()
  }

  get words(): number {
    return this.exports.wordCount()
  }

  /** What a character is; see `spellTable`. */
  kindOf(unit: number): number {
    const known = this.spelled[unit]!
    if (known !== 0) return known
    const kind = spellTable[unit]! || learnUnit(unit)
    this.spelled[unit] = kind
    return kind
  }

  /** Takes in a portion of a text, `TEXT_UNITS` at most. */
  load(text: string): void {
    this.memory.write(text, this.text, TEXT_UNITS * 2, 'utf16le')
  }

  /**
   * Reads words of the portion from `from` and returns where to go on: at `end`, at something that is for the program to read, or where there are `limit` tokens. Unless
   * the text ends at `end`, a word that reaches it is left for the next portion. `offset` is where the portion begins.
   */
  scan(from: number, end: number, isLast: boolean, offset: number, limit: number): number {
    const at = this.exports.scan(from, end, isLast, offset, limit)
    if (this.word.length === 0) this.lookAgain()
    return at
  }

  /** Adds a token of so many units in `word`; there must be room for it. */
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

  /** The tokens found since the last time. */
  takeFound(): FoundTokens {
    const { found } = this
    const termOf = this.numbers(this.termOf, found).slice()
    const starts = this.numbers(this.starts, found).slice()
    const ends = this.numbers(this.ends, found).slice()
    this.exports.takeFound()
    return { termOf, starts, ends }
  }

  /** For each term of the document its word, and how often it occurs. */
  takeTerms(): { wordOf: Uint32Array; counts: Uint32Array } {
    const terms = this.exports.termCount()
    return {
      wordOf: this.numbers(this.exports.wordOfAt(), terms).slice(),
      counts: this.numbers(this.exports.countsAt(), terms).slice(),
    }
  }

  /** The next document has other terms. Returns how many terms there were since the beginning, plus one. */
  endDocument(): number {
    return this.exports.endDocument()
  }

  /** Words are numbered from 0 again. */
  forgetWords(): void {
    this.exports.forgetWords()
    if (this.word.length === 0) this.lookAgain()
  }

  /** For each word where it begins in `bytes`: eight bytes for the count and kind of its letters, then the letters. */
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
