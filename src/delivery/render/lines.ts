/** Texts of pages, profiles and services as lines of a message. */

const MAX_LINE = 2000

/** Removes line ends and other control characters, which could start a header, and characters that change the text direction. */
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

/** Text of a page as one line of a message, without control characters and of limited length. */
export function lineOf(text: string): string {
  return oneLine(text, MAX_LINE)
}

/** A piece of a line. A space at either end is kept, to separate it from its neighbours. */
export function pieceOf(text: string): string {
  const line = lineOf(text)
  if (line === '') return text === '' ? '' : ' '
  return `${/^\s/.test(text) ? ' ' : ''}${line}${/\s$/.test(text) ? ' ' : ''}`
}

/** Cuts a text to the length that a service accepts. */
export function cutTo(text: string, max: number): string {
  return text.length <= max ? text.toWellFormed() : `${text.slice(0, max - 1).toWellFormed()}…`
}
