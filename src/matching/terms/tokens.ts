import {
  composeUnits,
  DROPPED,
  foldUnspaced,
  MARK,
  PLUS,
  SEVERAL,
  SHARP,
  SURROGATE,
  spellAstral,
  spelledUnits,
} from './fold.ts'
import {
  FIRST_KANA,
  FIRST_LETTER,
  FIRST_SURROGATE,
  MAX_FOUND,
  MAX_TERM_LENGTH,
  TEXT_UNITS,
  UNSPACED,
  UNSPACED_MARK,
} from './scanner/assembly/wire.ts'
import type { FoundTokens, WordScanner } from './scanner/word-scanner.ts'
import { TermTable } from './term-table.ts'
import { giveBack, takeVocabulary, type Vocabulary } from './vocabulary.ts'

export const MAX_TOKENS = 1_000_000

/**
 * Splits texts into words, in one pass over their characters. Words are runs of letters and digits, in lower case; everything between
 * them is ignored. Characters of scripts without spaces are words of their own. Tokens of several texts (title, body) follow each other.
 *
 * The scanner reads plain words; special cases are read here.
 */
export class TokenReader {
  /** A limit was reached: the rest is missing. */
  isCut = false

  private readonly maxTokens: number
  private readonly vocabulary: Vocabulary
  private readonly scanner: WordScanner
  /** Tokens taken from the scanner, which has limited room. */
  private readonly parts: FoundTokens[] = []
  private taken = 0
  private length = 0
  /** Start of the current word, and end of its last character. */
  private start = 0
  private end = 0

  constructor(maxTokens = MAX_TOKENS) {
    this.maxTokens = maxTokens
    this.vocabulary = takeVocabulary()
    this.scanner = this.vocabulary.scanner
  }

  get tokens(): number {
    return this.taken + this.scanner.found
  }

  /** Ends reading, and returns what was read. */
  finish(): Tokens {
    const { vocabulary, scanner } = this
    this.takeFound()
    vocabulary.learn()
    const { wordOf, counts } = scanner.takeTerms()
    const { accents } = vocabulary
    const accented: number[] = []
    for (let term = 0; term < wordOf.length; term++) if (accents[wordOf[term]!] === 1) accented.push(term)
    const table = TermTable.ofWords(vocabulary, wordOf)
    giveBack(vocabulary)
    return { table, tokens: this.taken, counts, ...joined(this.parts, this.taken), accented, isCut: this.isCut }
  }

  /** Adds the words of `text` from `from`; positions are those in `text`. */
  read(text: string, from = 0): void {
    let at = from
    while (at < text.length && !this.isCut) at = this.readPortion(text, at)
    if (at < text.length) this.isCut = true
  }

  /** Returns where the next portion begins. */
  private readPortion(text: string, start: number): number {
    const { scanner } = this
    const end = Math.min(text.length, start + TEXT_UNITS)
    const isLast = end === text.length
    scanner.load(start === 0 && isLast ? text : text.slice(start, end))
    let at = start
    while (at < end && !this.isCut) {
      const limit = Math.min(MAX_FOUND, this.maxTokens - this.taken)
      at = start + scanner.scan(at - start, end - start, isLast, start, limit)
      if (at === end) break
      if (scanner.found === MAX_FOUND) this.takeFound()
      // A word that may continue after the end is read with the next portion.
      else if (!isLast && at > end - 2 * MAX_TERM_LENGTH) break
      else at = this.readOdd(text, at)
    }
    return at
  }

  private takeFound(): void {
    const part = this.scanner.takeFound()
    this.taken += part.termOf.length
    this.parts.push(part)
  }

  /** Reads one word of any characters, or one character that isn't part of a word. Returns where to continue. */
  private readOdd(text: string, from: number): number {
    let at = from
    while (at < text.length) {
      const unit = text.charCodeAt(at)
      const entry = this.scanner.kindOf(unit)
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

  /** `c++`, `c#`: a single letter and its sign. Anywhere else the signs are separators. */
  private readSign(text: string, at: number, entry: number): number {
    const sign = entry === SHARP ? '#' : '++'
    const letter = this.scanner.word[0]!
    const isName = this.length === 1 && letter >= 0x61 && letter <= 0x7a
    if (!isName || !text.startsWith(sign, at)) return this.finishWord(at + 1)
    this.appendAll(sign, at, at + sign.length)
    return this.finishWord(at + sign.length)
  }

  /** One character with its marks. */
  private readUnspaced(text: string, from: number): number {
    if (this.length > 0) this.finishWord(from)
    let end = from + (text.codePointAt(from)! > 0xffff ? 2 : 1)
    while (end < text.length && end - from < MAX_TERM_LENGTH) {
      if (this.scanner.kindOf(text.charCodeAt(end)) !== UNSPACED_MARK) break
      end++
    }
    const unit = text.charCodeAt(from)
    // Common ideographs and kana are compared as they are.
    if (end === from + 1 && unit >= FIRST_KANA && unit < FIRST_SURROGATE) this.append(unit, from, end)
    else this.appendAll(foldUnspaced(text.slice(from, end)), from, end)
    return this.finishWord(end)
  }

  private append(unit: number, start: number, end: number): void {
    if (this.length === 0) this.start = start
    this.end = end
    if (this.length < MAX_TERM_LENGTH) this.scanner.word[this.length++] = unit
  }

  private appendAll(units: string, start: number, end: number): void {
    for (let i = 0; i < units.length; i++) this.append(units.charCodeAt(i), start, end)
  }

  private compose(accent: number, end: number): void {
    if (this.length === 0 || this.length === MAX_TERM_LENGTH) return
    const { word } = this.scanner
    word[this.length - 1] = composeUnits(word[this.length - 1]!, accent)
    this.end = end
  }

  /** Adds the current word, if any; returns `next` for the caller to continue there. */
  private finishWord(next: number): number {
    const { length } = this
    if (length === 0) return next
    this.length = 0
    if (this.tokens >= this.maxTokens) {
      this.isCut = true
      return this.start
    }
    if (this.scanner.found === MAX_FOUND) this.takeFound()
    this.scanner.addWord(length, this.start, this.end)
    return next
  }
}

/** The words of a text. */
export type Tokens = {
  /** Words as spelled, in lower case. */
  readonly table: TermTable
  readonly tokens: number
  /** By term: number of occurrences. */
  readonly counts: Uint32Array
  /** By token: its term, and its position in the text. */
  readonly termOf: Uint32Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly accented: readonly number[]
  readonly isCut: boolean
}

function joined(parts: readonly FoundTokens[], tokens: number): FoundTokens {
  if (parts.length === 1) return parts[0]!
  const all = { termOf: new Uint32Array(tokens), starts: new Uint32Array(tokens), ends: new Uint32Array(tokens) }
  let at = 0
  for (const { termOf, starts, ends } of parts) {
    all.termOf.set(termOf, at)
    all.starts.set(starts, at)
    all.ends.set(ends, at)
    at += termOf.length
  }
  return all
}
