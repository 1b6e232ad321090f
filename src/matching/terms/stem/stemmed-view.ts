import { MappedWords, RespelledWords } from '../mapped-view.ts'
import type { TermTable } from '../term-table.ts'
import type { TermView } from '../term-view.ts'
import { expandUmlauts, foldTerm } from '../words.ts'
import { findStemmer } from './stemmers.ts'

/** Cached across documents. */
const known = new Map<string, MappedWords>()
const folded = new RespelledWords(foldTerm)

/** The same tokens, with terms compared without accents; `accented` are the terms that may have any. */
export function foldedView(spelled: TermView, accented: readonly number[]): TermView {
  return folded.view(spelled, accented, aliasOf)
}

function aliasOf(table: TermTable, term: number): string | null {
  const start = table.offsets[term]!
  const end = start + table.lengths[term]!
  for (let at = start; at < end; at++) {
    const unit = table.units[at]
    if (unit === A_UMLAUT || unit === O_UMLAUT || unit === U_UMLAUT) return expandUmlauts(table.textOf(term))
  }
  return null
}

const A_UMLAUT = 0xe4
const O_UMLAUT = 0xf6
const U_UMLAUT = 0xfc

/** The same tokens, with terms by stem; null if the language has no stemmer. */
export function stemmedView(spelled: TermView, language: string): TermView | null {
  let words = known.get(language)
  if (words === undefined) {
    const stem = findStemmer(language)
    if (stem === undefined) return null
    words = new MappedWords(stem)
    known.set(language, words)
  }
  return words.view(spelled)
}
