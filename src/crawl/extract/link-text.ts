import { byteClass, matchesWord, WHITESPACE } from '../../core/html/byte-class.ts'

const noPage = /^(?:#|mailto:|javascript:|tel:|data:)/i

/** Links that lead to no other page: fragments of this one, and schemes that are never fetched. */
export function isNoPageLink(href: string): boolean {
  return noPage.test(href)
}

/** The same for a value that is still bytes, so that no text is made of what is dropped. */
export function isNoPageLinkAt(bytes: Buffer, at: number): boolean {
  switch (bytes[at]! | 0x20) {
    case 0x23:
      return bytes[at] === 0x23
    case 0x6d:
      return matchesWord(bytes, at, 'mailto:')
    case 0x6a:
      return matchesWord(bytes, at, 'javascript:')
    case 0x74:
      return matchesWord(bytes, at, 'tel:')
    case 0x64:
      return matchesWord(bytes, at, 'data:')
    default:
      return false
  }
}

/** True when a value that is a list of words, as `rel` is, has this one. */
export function hasListWord(bytes: Buffer, start: number, end: number, word: string): boolean {
  for (let at = start; at < end; ) {
    while (at < end && byteClass[bytes[at]!]! & WHITESPACE) at++
    const wordStart = at
    while (at < end && !(byteClass[bytes[at]!]! & WHITESPACE)) at++
    if (at - wordStart === word.length && matchesWord(bytes, wordStart, word)) return true
  }
  return false
}

/** HTML trims less than `String.trim`: a no-break space belongs to the value. */
export function trimHtmlWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isHtmlWhitespace(text.charCodeAt(start))) start++
  while (end > start && isHtmlWhitespace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function isHtmlWhitespace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}
