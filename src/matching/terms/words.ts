import { foldWord } from './fold.ts'
import { MAX_TERM_LENGTH } from './scanner/assembly/wire.ts'
import { TokenReader } from './tokens.ts'

export type SpelledWord = {
  /** In lower case, with its accents. */
  readonly spelled: string
  /** As compared. */
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
  const reader = new TokenReader(maxWords)
  reader.read(text)
  const { termOf, starts, ends, table } = reader.finish()
  return Array.from(termOf, (term, token) => {
    const word = table.textOf(term)
    return { spelled: word, folded: foldTerm(word), start: starts[token]!, end: ends[token]! }
  })
}

/** The words of a short text, as compared. */
export function wordsOf(text: string, maxWords = 100): string[] {
  return readWordsOf(text, maxWords).map(({ folded }) => folded)
}

/** A word as compared, up to the maximum length. */
export function foldTerm(word: string): string {
  return foldWord(word).slice(0, MAX_TERM_LENGTH)
}

const umlauts: ReadonlyMap<string, string> = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
])

/** Spells a word without umlauts, as compared: Müller is Mueller. */
export function expandUmlauts(word: string): string {
  return foldTerm(word.replace(/[äöü]/g, (letter) => umlauts.get(letter)!))
}
