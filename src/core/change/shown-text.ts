/** Page text inside our own lines: short, on one line, and without influence on how the rest of the line is displayed. */

/** Characters that change the direction of what follows, or are invisible. */
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu
const space = /\s+/g
const rightToLeft = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/** Surrounding white space is kept, as one space. */
export function plainText(text: string): string {
  return text.replaceAll('\t', ' | ').replace(space, ' ').replace(unseen, '').toWellFormed()
}

/** Whether the first letter of a text belongs to a right-to-left script. */
export function isRightToLeft(text: string): boolean {
  return rightToLeft.test(/\p{L}/u.exec(text)?.[0] ?? '')
}

/** Isolates right-to-left text, so that the arrow beside it keeps its direction. */
export function isolated(text: string): string {
  if (!rightToLeft.test(text)) return text
  const [, before, inner, after] = /^( ?)(.*?)( ?)$/su.exec(text)!
  return `${before}\u2068${inner}\u2069${after}`
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Characters read beyond the cut, so that long grapheme clusters are seen whole. */
const lookAhead = 40

/** The beginning of a text, at most `max` long, cut after a word if possible. */
export function beginning(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, max + lookAhead))) {
    if (index + segment.length > max - 1) break
    end = index + segment.length
  }
  const lastSpace = text.lastIndexOf(' ', end)
  if (lastSpace > end * 0.6) end = lastSpace
  return `${text.slice(0, end).replace(/[\s|,;:–—-]+$/u, '')}…`
}

/** The end of a text, in the same way. */
export function ending(text: string, max: number): string {
  if (text.length <= max) return text
  const from = Math.max(0, text.length - max - lookAhead)
  let start = text.length
  for (const { index } of graphemes.segment(text.slice(from))) {
    start = from + index
    if (text.length - start <= max - 1) break
  }
  const nextSpace = text.indexOf(' ', start)
  if (nextSpace >= 0 && nextSpace + 1 < text.length && nextSpace - start < (text.length - start) * 0.4)
    start = nextSpace + 1
  return `…${text.slice(start)}`
}
