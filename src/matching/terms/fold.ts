/**
 * What a character of a text is to its words. Letters are compared without their case and accents: `foldTable` has for
 * each UTF-16 unit either the one unit that it is compared as, or one of the kinds below, all of which are lower than
 * any letter or digit. The table is filled as characters are met; ASCII is there from the beginning.
 *
 * Marks are dropped where they are accents or vowel points (Latin, Greek, Cyrillic, Hebrew, Arabic); in scripts
 * where they spell the vowels (Devanagari, Thai, kana) words without them would be other words.
 */
export const UNKNOWN = 0
export const SEPARATOR = 1
/** Neither ends a word nor belongs to it: accents that stand alone, soft hyphens, joiners. */
export const DROPPED = 2
/** Of a script that puts no space between words. */
export const UNSPACED = 3
/** Compared as several units; see `foldedUnits`. */
export const SEVERAL = 4
export const SURROGATE = 5
/** `c++` and `c#` are words. */
export const PLUS = 6
export const SHARP = 7
export const FIRST_LETTER = 0x30

export const foldTable: Uint16Array = createAsciiTable()

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

/** Written as text: a class of lone accents is a riddle to readers and tools. */
const dropped = new RegExp(
  '[\\u00ad\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640' +
    '\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200d\\u2060' +
    '\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]',
  'gu',
)
/** Thai, Lao, Burmese, Khmer, Japanese, Chinese. */
const unspaced =
  /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]$/u
const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u
const otherCharacters = /[^\p{L}\p{N}\p{M}]/gu

/** Letters that no normal form takes apart. */
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

const several = new Map<number, string>()
const MAX_ASTRAL = 20_000
const astral = new Map<number, string>()

/** The entry of `foldTable` for a unit that was not met before. */
export function learnUnit(unit: number): number {
  const folded = foldCharacter(String.fromCharCode(unit))
  let entry: number
  if (typeof folded === 'number') entry = folded
  else if (folded.length === 1) entry = folded.charCodeAt(0)
  else {
    entry = SEVERAL
    several.set(unit, folded)
  }
  foldTable[unit] = entry
  return entry
}

export function foldedUnits(unit: number): string {
  return several.get(unit) ?? ''
}

/** As `foldCharacter`, for characters of two units; '' for what separates words. */
export function foldAstral(codePoint: number): string | typeof UNSPACED {
  if (codePoint >= 0x20000 && codePoint <= 0x3ffff) return UNSPACED
  const known = astral.get(codePoint)
  if (known !== undefined) return known
  const folded = foldCharacter(String.fromCodePoint(codePoint))
  const text = typeof folded === 'string' ? folded : ''
  if (astral.size >= MAX_ASTRAL) astral.clear()
  astral.set(codePoint, text)
  return text
}

function foldCharacter(character: string): string | typeof SEPARATOR | typeof DROPPED | typeof UNSPACED {
  if (unspaced.test(character)) return UNSPACED
  if (character.replace(dropped, '') === '') return DROPPED
  if (!wordCharacter.test(character)) return SEPARATOR
  let folded = ''
  for (const part of character.toLowerCase().normalize('NFKD').toLowerCase()) folded += respelled.get(part) ?? part
  // Korean syllables stay in their parts: some systems write them so, and they are the same words.
  folded = folded.replace(dropped, '').replace(otherCharacters, '')
  return folded === '' ? SEPARATOR : folded
}

/** A word of a script without spaces as it is compared: full-width and half-width forms are one, marks stay. */
export function foldUnspaced(word: string): string {
  return word.normalize('NFKC').toLowerCase()
}
