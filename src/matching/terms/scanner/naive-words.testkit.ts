import {
  composeUnits,
  DROPPED,
  foldUnspaced,
  learnUnit,
  MARK,
  PLUS,
  SEVERAL,
  SHARP,
  SURROGATE,
  spellAstral,
  spelledUnits,
  spellTable,
} from '../fold.ts'
import { FIRST_KANA, FIRST_LETTER, FIRST_SURROGATE, MAX_TERM_LENGTH, UNSPACED, UNSPACED_MARK } from './assembly/wire.ts'

export type NaiveWord = { word: string; start: number; end: number }

const kindOf = (unit: number): number => spellTable[unit]! || learnUnit(unit)

/** Reads the words of a text unit by unit, using only strings. */
export function readNaively(text: string): NaiveWord[] {
  const words: NaiveWord[] = []
  let word = ''
  let start = 0
  let end = 0
  const append = (units: string, from: number, to: number): void => {
    for (const unit of units.split('')) {
      if (word === '') start = from
      end = to
      if (word.length < MAX_TERM_LENGTH) word += unit
    }
  }
  const finish = (): void => {
    if (word !== '') words.push({ word, start, end })
    word = ''
  }
  for (let at = 0, next = 0; at < text.length; at = next) {
    const unit = text.charCodeAt(at)
    const codePoint = text.codePointAt(at)!
    const kind = kindOf(unit)
    next = at + 1
    if (kind === SURROGATE && codePoint > 0xffff) next++
    const astral = kind === SURROGATE && codePoint > 0xffff ? spellAstral(codePoint) : ''
    if (kind >= FIRST_LETTER) append(String.fromCharCode(kind), at, next)
    else if (kind === SEVERAL) append(spelledUnits(unit), at, next)
    else if (kind === MARK) {
      if (word === '' || word.length === MAX_TERM_LENGTH) continue
      word = word.slice(0, -1) + String.fromCharCode(composeUnits(word.charCodeAt(word.length - 1), unit))
      end = next
    } else if (kind === UNSPACED || kind === UNSPACED_MARK || astral === UNSPACED) {
      finish()
      while (next < text.length && next - at < MAX_TERM_LENGTH && kindOf(text.charCodeAt(next)) === UNSPACED_MARK)
        next++
      const isCommon = next === at + 1 && unit >= FIRST_KANA && unit < FIRST_SURROGATE
      append(isCommon ? text[at]! : foldUnspaced(text.slice(at, next)), at, next)
      finish()
    } else if (kind === PLUS || kind === SHARP) {
      const sign = kind === SHARP ? '#' : '++'
      if (/^[a-z]$/.test(word) && text.startsWith(sign, at)) {
        next = at + sign.length
        append(sign, at, next)
      }
      finish()
    } else if (astral !== '') append(astral as string, at, next)
    else if (kind !== DROPPED) finish()
  }
  finish()
  return words
}
