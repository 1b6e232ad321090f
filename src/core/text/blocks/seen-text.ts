/** All these take room, and none changes by normalisation, neither alone nor behind another: most texts have no others. */
const normalAnyway =
  /^[\0-\u00ac\u00ae-\u02ff\u0400-\u047f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2328\u232b-\u2ad0\u3000-\u3098\u309b-\u9fff\uac00-\ud7a3\ud83c-\ud83e\udc00-\udfff]*$/
const zeroWidth = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/
const zeroWidths = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+/g

/** Scripts in which a (non-)joiner between two letters changes their shape. */
const joiningLetter =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}]/u

/**
 * Text so that what looks equal is equal: in the normal form NFC, and without characters that take no room (soft
 * hyphens, zero-width spaces, direction marks), unless they join emoji or letters.
 */
export function seenText(text: string): string {
  if (normalAnyway.test(text)) return text
  let seen = text
  if (zeroWidth.test(seen)) {
    seen = seen
      .replace(zeroWidths, keptJoiner)
      .replace(/ {2,}/g, ' ')
      .replace(/ ?([\t\n]) ?/g, '$1')
      .trim()
  }
  return seen.normalize('NFC')
}

function keptJoiner(run: string, at: number, text: string): string {
  const joiner = run.includes('\u200d') ? '\u200d' : run.includes('\u200c') ? '\u200c' : ''
  if (joiner === '') return ''
  const before = lastCharacter(text, at)
  const after = String.fromCodePoint(text.codePointAt(at + run.length) ?? 0x20)
  if (joiningLetter.test(before) && joiningLetter.test(after)) return joiner
  return joiner === '\u200d' && pictograph.test(before) && pictograph.test(after) ? joiner : ''
}

function lastCharacter(text: string, end: number): string {
  const low = text.charCodeAt(end - 1)
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(end - 2, end) : text.slice(end - 1, end)
}

const BOM = Buffer.from('\ufeff')
const zeroWidthSpace = Buffer.from('\u200b')

/** White space for JavaScript, but it takes no room: inside a page it is made one that doesn't separate words. */
export function withoutMarks(page: Buffer): Buffer {
  let at = page.indexOf(BOM, 1)
  if (at === -1) return page
  const copy = Buffer.from(page)
  for (; at !== -1; at = copy.indexOf(BOM, at)) zeroWidthSpace.copy(copy, at)
  return copy
}

/** As one line: see `seenText`, and each run of white space is one space. */
export function lineOf(text: string): string {
  const seen = seenText(text)
  return /[^\S ]|\s\s|^\s|\s$/.test(seen) ? seen.replace(/\s+/g, ' ').trim() : seen
}
