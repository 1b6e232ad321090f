import { SEPARATOR, UNSPACED, UNSPACED_MARK } from './scanner/assembly/wire.ts'

/**
 * What a character means for words. `spellTable` maps each UTF-16 unit either to the one unit it is read as, in lower case and with
 * its accent, or to one of the kinds below, all of which are lower than any letter or digit. The table is filled lazily; ASCII is
 * there from the start.
 *
 * Words are read as they are spelled, as stemmers need the accents, and compared without them (`foldWord`).
 */
export const UNKNOWN = 0
/** Neither ends a word nor belongs to it: soft hyphens, joiners. */
export const DROPPED = 2
/** Read as several units; see `spelledUnits`. */
export const SEVERAL = 4
export const SURROGATE = 5
/** `c++` and `c#` are words. */
export const PLUS = 6
export const SHARP = 7
/** A standalone accent or vowel point: joins the letter before it if there is one, otherwise dropped. */
export const MARK = 8

export const spellTable: Uint16Array = createAsciiTable()

function createAsciiTable(): Uint16Array {
  const table = new Uint16Array(0x10000)
  table.fill(SEPARATOR, 0, 0x80)
  for (let c = 0x30; c <= 0x39; c++) table[c] = c
  for (let c = 0x61; c <= 0x7a; c++) table[c] = table[c - 0x20] = c
  table[0x2b] = PLUS
  table[0x23] = SHARP
  table.fill(SURROGATE, 0xd800, 0xe000)
  return table
}

/**
 * Marks that are accents or vowel points (Latin, Greek, Cyrillic, Hebrew, Arabic). In scripts where marks spell the vowels (Devanagari,
 * Thai, kana), words without them would be other words. Written with escapes: a class of bare accents is unreadable to people and tools.
 */
const dropped = new RegExp(
  '[\\u00ad\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640' +
    '\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200d\\u2060' +
    '\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]',
  'gu',
)
/** Thai, Lao, Burmese, Khmer, Japanese, Chinese. */
const unspaced =
  /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]$/u
const unspacedMark = /^[\p{M}\uff9e\uff9f]$/u
const mark = /^\p{M}$/u
const digit = /^\p{Nd}$/u
const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u
const otherCharacters = /[^\p{L}\p{N}\p{M}]/gu

/** Letters that no normal form decomposes. */
const respelled: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ł: 'l',
    ħ: 'h',
    ŧ: 't',
    ı: 'i',
    ĸ: 'k',
    ŋ: 'ng',
    ς: 'σ',
  }),
)
/** Letters in their own right, although a normal form decomposes them: without its mark й is another letter. */
const whole: ReadonlySet<string> = new Set(['й', 'ї', 'ў'])

type Spelled = string | typeof SEPARATOR | typeof DROPPED | typeof UNSPACED | typeof MARK | typeof UNSPACED_MARK

const several = new Map<number, string>()
const MAX_ASTRAL = 20_000
const astral = new Map<number, string>()

/** Computes the entry of `spellTable` for a new unit. */
export function learnUnit(unit: number): number {
  const spelled = spellCharacter(String.fromCharCode(unit))
  let entry: number
  if (typeof spelled === 'number') entry = spelled
  else if (spelled.length === 1) entry = spelled.charCodeAt(0)
  else {
    entry = SEVERAL
    several.set(unit, spelled)
  }
  spellTable[unit] = entry
  return entry
}

export function spelledUnits(unit: number): string {
  return several.get(unit) ?? ''
}

/** Like `spellCharacter`, for characters of two units; '' if it separates words. */
export function spellAstral(codePoint: number): string | typeof UNSPACED {
  if (codePoint >= 0x20000 && codePoint <= 0x3ffff) return UNSPACED
  const known = astral.get(codePoint)
  if (known !== undefined) return known
  const spelled = spellCharacter(String.fromCodePoint(codePoint))
  const text = typeof spelled === 'string' ? spelled : ''
  if (astral.size >= MAX_ASTRAL) astral.clear()
  astral.set(codePoint, text)
  return text
}

function spellCharacter(character: string): Spelled {
  if (digit.test(character)) return digitOf(character)
  if (unspaced.test(character)) return unspacedMark.test(character) ? UNSPACED_MARK : UNSPACED
  if (character.replace(dropped, '') === '') return mark.test(character) ? MARK : DROPPED
  if (!wordCharacter.test(character) || foldCharacter(character) === '') return SEPARATOR
  const spelled = character.toLowerCase().normalize('NFKC').toLowerCase()
  return spelled.replace(dropped, '').replace(otherCharacters, '')
}

/** Digits of all scripts are equal. Every script has its ten in a row. */
function digitOf(character: string): string {
  const plain = character.normalize('NFKC')
  if (plain >= '0' && plain <= '9') return plain
  let value = 0
  while (value < 9 && digit.test(String.fromCodePoint(character.codePointAt(0)! - value - 1))) value++
  return String(value)
}

const MAX_COMPOSED = 10_000
const composed = new Map<number, number>()

/** The single unit for a letter and the mark after it; the letter itself if there is no such unit. */
export function composeUnits(letter: number, accent: number): number {
  const key = letter * 0x10000 + accent
  const known = composed.get(key)
  if (known !== undefined) return known
  const text = String.fromCharCode(letter, accent).normalize('NFC')
  const unit = text.length === 1 ? text.charCodeAt(0) : letter
  if (composed.size >= MAX_COMPOSED) composed.clear()
  composed.set(key, unit)
  return unit
}

const folded = new Map<string, string>()
const MAX_FOLDED = 20_000

/**
 * A word as compared: without accents and without the Arabic article. Korean syllables are decomposed, as some systems write them
 * that way, and they are the same words.
 */
export function foldWord(word: string): string {
  let text = ''
  for (const character of word) {
    let part = character < '\x80' ? character : folded.get(character)
    if (part === undefined) {
      part = unspaced.test(character) ? character : foldCharacter(character)
      if (folded.size >= MAX_FOLDED) folded.clear()
      folded.set(character, part)
    }
    text += part
  }
  return text.startsWith(ARTICLE) && text.length >= ARTICLE.length + 3 ? text.slice(ARTICLE.length) : text
}

const ARTICLE = '\u0627\u0644'

function foldCharacter(character: string): string {
  let text = ''
  for (const letter of character.toLowerCase().normalize('NFC')) {
    if (whole.has(letter)) text += letter
    else for (const part of letter.normalize('NFKD').toLowerCase()) text += respelled.get(part) ?? part
  }
  return text.replace(dropped, '').replace(otherCharacters, '')
}

/** A character of a script without spaces as compared: full-width and half-width forms are unified, marks stay. */
export function foldUnspaced(character: string): string {
  return character.normalize('NFKC').toLowerCase()
}

export function isUnspacedUnit(unit: number): boolean {
  return (spellTable[unit]! || learnUnit(unit)) === UNSPACED || (unit >= 0xd840 && unit < 0xd900)
}
