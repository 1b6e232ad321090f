import {
  composeUnits,
  DROPPED,
  FIRST_LETTER,
  foldUnspaced,
  learnUnit,
  MARK,
  PLUS,
  SEPARATOR,
  SEVERAL,
  SHARP,
  SURROGATE,
  spellAstral,
  spelledUnits,
  spellTable,
  UNSPACED,
  UNSPACED_MARK,
} from './fold.ts'
import { finishHash, hashFactor, hashStart, secondFactor } from './term-hash.ts'
import { TermTable } from './term-table.ts'
import {
  CELLS,
  ENTRY,
  giveBack,
  MAX_TERM_LENGTH,
  SECOND,
  STAMP,
  takeVocabulary,
  type Vocabulary,
} from './vocabulary.ts'

export const MAX_TOKENS = 1_000_000

// An imported binding is looked up at each use; in the loops below that costs a tenth of the time.
const spelled = spellTable
const factor = hashFactor
const otherFactor = secondFactor
const startState = hashStart
const MAX_LENGTH = MAX_TERM_LENGTH
const LETTER = FIRST_LETTER
const BETWEEN = SEPARATOR
const SLOT = CELLS
const OTHER_HASH = SECOND
const WORD = ENTRY
const MARKED = STAMP

/**
 * Cuts texts into words, in one pass over their characters. Words are runs of letters and digits, in lower case; everything between them
 * is ignored. Characters of scripts without spaces are words of their own. Tokens of several texts (title, body) follow each other.
 */
export class TokenReader {
  tokens = 0
  /** A limit was reached: what came later is not there. */
  isCut = false

  private readonly maxTokens: number
  private readonly vocabulary: Vocabulary
  private terms = 0
  private readonly word = new Uint16Array(MAX_TERM_LENGTH)
  private length = 0
  /** Where the word began and its last character ended. */
  private start = 0
  private end = 0

  constructor(maxTokens = MAX_TOKENS) {
    this.maxTokens = maxTokens
    this.vocabulary = takeVocabulary()
  }

  /** What was read. Ends the reading. */
  finish(): Tokens {
    const { tokens, terms, vocabulary } = this
    const words = vocabulary.wordOf.slice(0, terms)
    const accented: number[] = []
    for (let term = 0; term < terms; term++) if (vocabulary.accents[words[term]!] === 1) accented.push(term)
    const read = {
      table: TermTable.ofWords(vocabulary, words),
      tokens,
      counts: vocabulary.counts.slice(0, terms),
      termOf: vocabulary.termOf.slice(0, tokens),
      starts: vocabulary.starts.slice(0, tokens),
      ends: vocabulary.ends.slice(0, tokens),
      accented,
      isCut: this.isCut,
    }
    giveBack(vocabulary, terms)
    return read
  }

  /** Adds the words of `text` from `from`; positions are those in `text`. */
  read(text: string, from = 0): void {
    const end = text.length
    const units = unitsOf(text)
    let at = from
    while (at < end && !this.isCut) {
      at = this.readPlain(units, at, end)
      if (at < end && !this.isCut) at = this.readOdd(text, at)
    }
    if (at < end) this.isCut = true
  }

  /**
   * Reads words of plain letters until something else comes, and returns where that word or character begins. Letters become small ones
   * in place and are never copied, unless the word is new.
   */
  private readPlain(units: Uint16Array, from: number, end: number): number {
    const { vocabulary, maxTokens } = this
    const { base } = vocabulary
    let { termOf, starts, ends, counts, slots, mask } = vocabulary
    let { tokens } = this
    let limit = Math.min(maxTokens, starts.length)
    let at = from
    while (at < end) {
      let entry = spelled[units[at]!]!
      if (entry === BETWEEN) {
        at++
        continue
      }
      if (entry < LETTER) break
      const start = at
      let first = startState
      let second = startState
      do {
        units[at] = entry
        first = Math.imul(first ^ entry, factor)
        second = Math.imul(second ^ entry, otherFactor)
        entry = ++at < end ? spelled[units[at]!]! : BETWEEN
      } while (entry >= LETTER)
      if (entry !== BETWEEN || at - start > MAX_LENGTH) {
        at = start
        break
      }
      if (tokens === limit) {
        if (tokens >= maxTokens) {
          at = start
          this.isCut = true
          break
        }
        vocabulary.growTokens()
        ;({ termOf, starts, ends, counts } = vocabulary)
        limit = Math.min(maxTokens, starts.length)
      }
      first = finishHash(first)
      let slot = (first << 2) & mask
      let known = slots[slot + WORD]!
      while (known !== 0 && (slots[slot] !== first || slots[slot + OTHER_HASH] !== second)) {
        slot = (slot + SLOT) & mask
        known = slots[slot + WORD]!
      }
      const term = slots[slot + MARKED]! - base
      if (term >= 0) {
        counts[term]!++
        termOf[tokens] = term
      } else {
        termOf[tokens] = this.meet(slot, known - 1, first, second, units, start, at - start)
        slots = vocabulary.slots
        mask = vocabulary.mask
      }
      starts[tokens] = start
      ends[tokens] = at
      tokens++
    }
    this.tokens = tokens
    return at
  }

  /** Reads one word of any characters, or a character that is none of a word. Returns where to go on. */
  private readOdd(text: string, from: number): number {
    let at = from
    while (at < text.length) {
      const unit = text.charCodeAt(at)
      const entry = spelled[unit]! || learnUnit(unit)
      if (entry >= FIRST_LETTER) this.append(entry, at, at + 1)
      else if (entry === SEVERAL) this.appendAll(spelledUnits(unit), at, at + 1)
      else if (entry === MARK) this.compose(unit, at + 1)
      else if (entry === SURROGATE) {
        const codePoint = text.codePointAt(at)!
        const kind = codePoint > 0xffff ? spellAstral(codePoint) : ''
        if (kind === UNSPACED) return this.readUnspaced(text, at)
        const next = codePoint > 0xffff ? at + 2 : at + 1
        if (kind === '') return this.finishWord(next)
        this.appendAll(kind, at, next)
        at = next
        continue
      } else if (entry === UNSPACED || entry === UNSPACED_MARK) return this.readUnspaced(text, at)
      else if (entry === PLUS || entry === SHARP) return this.readSign(text, at, entry)
      else if (entry !== DROPPED) return this.finishWord(at + 1)
      at++
    }
    return this.finishWord(at)
  }

  /** `c++`, `c#`: a single letter and its sign. Anywhere else the signs separate. */
  private readSign(text: string, at: number, entry: number): number {
    const sign = entry === SHARP ? '#' : '++'
    const isName = this.length === 1 && this.word[0]! >= 0x61 && this.word[0]! <= 0x7a
    if (!isName || !text.startsWith(sign, at)) return this.finishWord(at + 1)
    this.appendAll(sign, at, at + sign.length)
    return this.finishWord(at + sign.length)
  }

  /** One character with its marks. */
  private readUnspaced(text: string, from: number): number {
    if (this.length > 0) this.finishWord(from)
    let end = from + (text.codePointAt(from)! > 0xffff ? 2 : 1)
    while (end < text.length && end - from < MAX_LENGTH) {
      const unit = text.charCodeAt(end)
      if ((spelled[unit]! || learnUnit(unit)) !== UNSPACED_MARK) break
      end++
    }
    const unit = text.charCodeAt(from)
    // Common ideographs and kana are compared as they are.
    if (end === from + 1 && unit >= 0x3041 && unit < 0xd800) this.append(unit, from, end)
    else this.appendAll(foldUnspaced(text.slice(from, end)), from, end)
    return this.finishWord(end)
  }

  private append(unit: number, start: number, end: number): void {
    if (this.length === 0) this.start = start
    this.end = end
    if (this.length < MAX_LENGTH) this.word[this.length++] = unit
  }

  private appendAll(units: string, start: number, end: number): void {
    for (let i = 0; i < units.length; i++) this.append(units.charCodeAt(i), start, end)
  }

  private compose(accent: number, end: number): void {
    if (this.length === 0 || this.length === MAX_LENGTH) return
    this.word[this.length - 1] = composeUnits(this.word[this.length - 1]!, accent)
    this.end = end
  }

  /** Adds the word that was begun, if any; returns `next` for the caller to go on there. */
  private finishWord(next: number): number {
    const { length, word } = this
    if (length === 0) return next
    this.length = 0
    if (this.tokens >= this.maxTokens) {
      this.isCut = true
      return this.start
    }
    let first = startState
    let second = startState
    for (let at = 0; at < length; at++) {
      first = Math.imul(first ^ word[at]!, factor)
      second = Math.imul(second ^ word[at]!, otherFactor)
    }
    first = finishHash(first)
    const { tokens, vocabulary } = this
    const { slots, mask, base } = vocabulary
    let slot = (first << 2) & mask
    while (slots[slot + ENTRY] !== 0 && (slots[slot] !== first || slots[slot + SECOND] !== second))
      slot = (slot + CELLS) & mask
    if (tokens === vocabulary.starts.length) vocabulary.growTokens()
    let term = slots[slot + STAMP]! - base
    if (term >= 0) vocabulary.counts[term]!++
    else term = this.meet(slot, slots[slot + ENTRY]! - 1, first, second, word, 0, length)
    vocabulary.termOf[tokens] = term
    vocabulary.starts[tokens] = this.start
    vocabulary.ends[tokens] = this.end
    this.tokens = tokens + 1
    return next
  }

  /** A word that the document has not had yet; -1 where nobody had it. Returns its term. */
  private meet(
    slot: number,
    known: number,
    first: number,
    second: number,
    units: Uint16Array,
    start: number,
    length: number,
  ): number {
    const { vocabulary } = this
    const term = this.terms++
    const stamp = vocabulary.base + term
    vocabulary.slots[slot + STAMP] = stamp
    vocabulary.wordOf[term] = known === -1 ? vocabulary.add(slot, first, second, stamp, units, start, length) : known
    vocabulary.counts[term] = 1
    return term
  }
}

/** The words of a text. */
export type Tokens = {
  /** As the words are spelled, in lower case. */
  readonly table: TermTable
  readonly tokens: number
  /** For each term how often it occurs. */
  readonly counts: Uint32Array
  /** For each token its term, and its position in the text. */
  readonly termOf: Uint32Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly accented: readonly number[]
  readonly isCut: boolean
}

const MAX_KEPT_UNITS = 1 << 20
let scratch = new Uint16Array(0)
let scratchBytes = Buffer.alloc(0)

/** The characters of a text, to be changed at will until the next text is read. */
function unitsOf(text: string): Uint16Array {
  if (scratch.length >= text.length) {
    scratchBytes.write(text, 'utf16le')
    return scratch
  }
  const units = new Uint16Array(Math.max(text.length, 1 << 16))
  const bytes = Buffer.from(units.buffer)
  if (units.length <= MAX_KEPT_UNITS) {
    scratch = units
    scratchBytes = bytes
  }
  bytes.write(text, 'utf16le')
  return units
}
