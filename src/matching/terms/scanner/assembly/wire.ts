// What the word scanner and the program agree on. Read by both compilers, so it holds plain numbers alone.

/** What follows in a longer word is not compared. */
export const MAX_TERM_LENGTH = 64
/** So many units of a text are taken in at a time. */
export const TEXT_UNITS = 65536
/** So many tokens are handed over at a time. */
export const MAX_FOUND = 16384

/** Kinds of characters that the scanner knows; `fold.ts` has the others. All are lower than any letter or digit. */
export const SEPARATOR = 1
/** Of a script that puts no space between words. */
export const UNSPACED = 3
/** A mark of a script without spaces: belongs to the character before it. */
export const UNSPACED_MARK = 9
export const FIRST_LETTER = 48
/** From here to the surrogates, characters of scripts without spaces are compared as they are. */
export const FIRST_KANA = 0x3041
export const FIRST_SURROGATE = 0xd800

/** The number that comes before the letters of a word: their count, and whether they are units of UTF-16 instead of bytes. */
export const WIDE = 256
