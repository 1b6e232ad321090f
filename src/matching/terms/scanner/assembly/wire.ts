// Constants shared by the word scanner and the program. Read by both compilers, so it contains only plain numbers.

/** Maximum compared length of a word; the rest is ignored. */
export const MAX_TERM_LENGTH = 64
/** UTF-16 units of text loaded at a time. */
export const TEXT_UNITS = 65536
/** Tokens passed at a time. */
export const MAX_FOUND = 16384

/** Kinds of characters known to the scanner; `fold.ts` has the others. All are lower than any letter or digit. */
export const SEPARATOR = 1
/** Of a script without spaces between words. */
export const UNSPACED = 3
/** A mark of a script without spaces: belongs to the character before it. */
export const UNSPACED_MARK = 9
export const FIRST_LETTER = 48
/** From here to the surrogates, characters of scripts without spaces are compared as they are. */
export const FIRST_KANA = 0x3041
export const FIRST_SURROGATE = 0xd800

/** Flag in the number before the letters of a word, added to their count if they are UTF-16 units instead of bytes. */
export const WIDE = 256
