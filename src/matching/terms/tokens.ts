import {
  composeUnits,
  DROPPED,
  FIRST_LETTER,
  foldUnspaced,
  foldWord,
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
import { grown, TermTable } from './term-table.ts'

/** What follows in a longer word is not compared. */
export const MAX_TERM_LENGTH = 64
export const MAX_TOKENS = 1_000_000

// An imported binding is looked up at each use; in the loops below that costs a tenth of the time.
const spelled = spellTable
const factor = hashFactor
const otherFactor = secondFactor
const startState = hashStart
const MAX_LENGTH = MAX_TERM_LENGTH
const LETTER = FIRST_LETTER
const BETWEEN = SEPARATOR

/** Four cells of a slot: both hashes, the term's number plus one, and how often it was seen. */
const CELLS = 4
const SECOND = 1
const ENTRY = 2
const COUNT = 3

/**
 * Cuts texts into words, in one pass over their characters. Words are runs of letters and digits, in lower case; everything between them
 * is ignored. Characters of scripts without spaces are words of their own. Tokens of several texts (title, body) follow each other.
 *
 * Words seen before are found by two hashes of 32 bits. Words of which both are equal are taken for the same without comparing letters:
 * the hashes are keyed per process, so that two words of one document are confused once in 10^12 documents, and no page can provoke it.
 */
export class TokenReader {
  /** As the words are spelled, in lower case. */
  readonly table: TermTable
  tokens = 0
  /** A limit was reached: what came later is not there. */
  isCut = false
  /** The terms that are not made of ASCII characters alone, in order. */
  readonly accented: number[] = []

  private readonly maxTokens: number
  private room: Room
  private mask: number
  private readonly word = new Uint16Array(MAX_TERM_LENGTH)
  private length = 0
  /** Where the word began and its last character ended. */
  private start = 0
  private end = 0

  constructor(expectedLength: number, maxTokens = MAX_TOKENS) {
    this.maxTokens = maxTokens
    const terms = Math.min(65_536, Math.ceil(expectedLength / 32) + 16)
    this.table = new TermTable(terms)
    this.room = takeRoom()
    const slots = 2 ** Math.ceil(Math.log2(terms * 2)) * CELLS
    if (slots > this.room.slots.length) this.room.slots = new Int32Array(slots)
    this.mask = slots - CELLS
  }

  /** What was read. Ends the reading. */
  finish(): Tokens {
    const { tokens, table, room } = this
    const { slots, termOf, starts, ends } = room
    const counts = new Uint32Array(table.limit)
    const end = this.mask + CELLS
    for (let at = 0; at < end; at += CELLS)
      if (slots[at + ENTRY] !== 0) counts[slots[at + ENTRY]! - 1] = slots[at + COUNT]!
    slots.fill(0, 0, end)
    keepRoom(room)
    return {
      table,
      tokens,
      counts,
      termOf: termOf.slice(0, tokens),
      starts: starts.slice(0, tokens),
      ends: ends.slice(0, tokens),
      accented: this.accented,
      isCut: this.isCut,
    }
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
    const { room, maxTokens } = this
    let { termOf, starts, ends, slots } = room
    let { mask, tokens } = this
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
        growTokens(room)
        ;({ termOf, starts, ends } = room)
        limit = Math.min(maxTokens, starts.length)
      }
      first = finishHash(first)
      let slot = (first << 2) & mask
      let known = slots[slot + ENTRY]!
      while (known !== 0 && (slots[slot] !== first || slots[slot + SECOND] !== second)) {
        slot = (slot + CELLS) & mask
        known = slots[slot + ENTRY]!
      }
      if (known === 0) {
        known = this.insert(slot, first, second, units, start, at - start)
        slots = room.slots
        mask = this.mask
      } else slots[slot + COUNT]!++
      termOf[tokens] = known - 1
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
    const { mask, tokens, room } = this
    const { slots } = room
    let slot = (first << 2) & mask
    while (slots[slot + ENTRY] !== 0 && (slots[slot] !== first || slots[slot + SECOND] !== second))
      slot = (slot + CELLS) & mask
    let known = slots[slot + ENTRY]!
    if (known === 0) known = this.insert(slot, first, second, word, 0, length)
    else slots[slot + COUNT]!++
    if (tokens === room.starts.length) growTokens(room)
    room.termOf[tokens] = known - 1
    room.starts[tokens] = this.start
    room.ends[tokens] = this.end
    this.tokens = tokens + 1
    return next
  }

  private insert(
    slot: number,
    first: number,
    second: number,
    units: Uint16Array,
    start: number,
    length: number,
  ): number {
    const { slots } = this.room
    const entry = this.table.append(first, units, start, length) + 1
    slots[slot] = first
    slots[slot + SECOND] = second
    slots[slot + ENTRY] = entry
    slots[slot + COUNT] = 1
    let all = 0
    for (let at = start; at < start + length; at++) all |= units[at]!
    if (all > 0x7f) this.accented.push(entry - 1)
    if (entry * 2 * CELLS > this.mask) this.growSlots()
    return entry
  }

  private growSlots(): void {
    const before = this.room.slots
    const length = this.mask + CELLS
    const slots = new Int32Array(length * 2)
    const mask = slots.length - CELLS
    for (let from = 0; from < length; from += CELLS) {
      if (before[from + ENTRY] === 0) continue
      let at = (before[from]! << 2) & mask
      while (slots[at + ENTRY] !== 0) at = (at + CELLS) & mask
      for (let cell = 0; cell < CELLS; cell++) slots[at + cell] = before[from + cell]!
    }
    this.room.slots = slots
    this.mask = mask
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

/** Where words are put while they are read. Kept from one document to the next: memory that is new costs more than what is done in it. */
type Room = { slots: Int32Array; termOf: Uint32Array; starts: Uint32Array; ends: Uint32Array }

const MAX_KEPT = 1 << 18
let freeRoom: Room | null = null

function takeRoom(): Room {
  const room = freeRoom
  freeRoom = null
  if (room !== null) return room
  const tokens = () => new Uint32Array(1 << 12)
  return { slots: new Int32Array(1 << 12), termOf: tokens(), starts: tokens(), ends: tokens() }
}

/** The slots must be empty. */
function keepRoom(room: Room): void {
  if (room.slots.length <= MAX_KEPT && room.starts.length <= MAX_KEPT) freeRoom = room
}

function growTokens(room: Room): void {
  const length = room.starts.length * 2
  room.termOf = grown(room.termOf, new Uint32Array(length))
  room.starts = grown(room.starts, new Uint32Array(length))
  room.ends = grown(room.ends, new Uint32Array(length))
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

export type SpelledWord = {
  /** In lower case, with its accents. */
  readonly spelled: string
  /** As it is compared. */
  readonly folded: string
  readonly start: number
  readonly end: number
}

const plainWord = /^[A-Za-z0-9]+$/

/** The words of a short text. */
export function readWordsOf(text: string, maxWords = 100): SpelledWord[] {
  if (text.length <= MAX_TERM_LENGTH && plainWord.test(text)) {
    const word = text.toLowerCase()
    return [{ spelled: word, folded: word, start: 0, end: text.length }]
  }
  const reader = new TokenReader(text.length, maxWords)
  reader.read(text)
  const { termOf, starts, ends, table } = reader.finish()
  return Array.from(termOf, (term, token) => {
    const word = table.textOf(term)
    return { spelled: word, folded: foldTerm(word), start: starts[token]!, end: ends[token]! }
  })
}

/** The words of a short text, as they are compared. */
export function wordsOf(text: string, maxWords = 100): string[] {
  return readWordsOf(text, maxWords).map(({ folded }) => folded)
}

/** A word as it is compared, as far as it is compared. */
export function foldTerm(word: string): string {
  return foldWord(word).slice(0, MAX_TERM_LENGTH)
}

const umlauts: ReadonlyMap<string, string> = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
])

/** A word with umlauts as it is spelled, and then compared, where there are none: Müller is Mueller. */
export function expandUmlauts(word: string): string {
  return foldTerm(word.replace(/[äöü]/g, (letter) => umlauts.get(letter)!))
}
