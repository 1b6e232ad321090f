/** Texts of pages, profiles and services as lines of a message. */

const MAX_LINE = 2000

/** Never a line end or another control character: they would begin a header of their own. Nor what turns the direction of the rest. */
export function oneLine(text: string, maxChars: number): string {
  const line = text
    .slice(0, maxChars * 4)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim()
  const characters = [...line]
  return characters.length <= maxChars ? line : `${characters.slice(0, maxChars - 1).join('')}…`
}

/** A text of a page as one line of a message: no control characters, not endless. */
export function lineOf(text: string): string {
  return oneLine(text, MAX_LINE)
}

/** A piece of a line: blanks at its ends keep it apart from its neighbours. */
export function pieceOf(text: string): string {
  const line = lineOf(text)
  if (line === '') return text === '' ? '' : ' '
  return `${/^\s/.test(text) ? ' ' : ''}${line}${/\s$/.test(text) ? ' ' : ''}`
}

/** Not longer than a service takes. */
export function cutTo(text: string, max: number): string {
  return text.length <= max ? text.toWellFormed() : `${text.slice(0, max - 1).toWellFormed()}…`
}
