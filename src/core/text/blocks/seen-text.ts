/**
 * Visible characters that normalisation doesn't change, neither alone nor after another. Most texts have no others: letters of Latin,
 * Greek, Cyrillic, Arabic and East Asian scripts, punctuation, signs, emoji.
 */
const usual: readonly (readonly [number, number])[] = [
  [0, 0xac],
  [0xae, 0x2ff],
  [0x388, 0x482],
  [0x48a, 0x590],
  [0x620, 0x64a],
  [0x1e00, 0x1eff],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x20a0, 0x20bf],
  [0x2100, 0x2125],
  [0x2127, 0x2129],
  [0x212c, 0x2328],
  [0x232b, 0x2adb],
  [0x2add, 0x2bff],
  [0x3000, 0x3029],
  [0x3030, 0x3098],
  [0x309b, 0x9fff],
  [0xac00, 0xd7a3],
  [0xfe0f, 0xfe0f],
  [0xff00, 0xffef],
  [0x1f000, 0x1faff],
]
const isUsual = new Uint8Array(0x10000)
for (const [from, to] of usual) isUsual.fill(1, from, Math.min(to + 1, isUsual.length))
const unusual = new RegExp(
  `[^${usual.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')}]`,
  'u',
)

const HIGH_BITS = 0x80808080 | 0

/**
 * Number of UTF-16 code units in a range of UTF-8; -1 if it contains characters that `seenText` might change. `view` covers the same bytes.
 */
export function unitsAsSeen(bytes: Buffer, view: DataView, from: number, end: number): number {
  const last = end - 4
  let at = from
  let surplus = 0
  while (at < end) {
    while (at <= last && (view.getInt32(at, true) & HIGH_BITS) === 0) at += 4
    if (at >= end) break
    const first = bytes[at]!
    if (first < 0x80) at++
    else if (first < 0xe0) {
      if (isUsual[((first & 0x1f) << 6) | (bytes[at + 1]! & 0x3f)] === 0) return -1
      at += 2
      surplus++
    } else {
      if (first < 0xf0) {
        const code = ((first & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f)
        if (isUsual[code] === 0) return -1
        at += 3
      } else {
        // U+1F000 to U+1FAFF.
        if (first !== 0xf0 || bytes[at + 1] !== 0x9f || bytes[at + 2]! > 0xab) return -1
        at += 4
      }
      surplus += 2
    }
  }
  return end - from - surplus
}

const tooManyMarks = /\p{M}{100}/u
const zeroWidth = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/
const zeroWidths = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+/g

/** Scripts in which a (non-)joiner between two letters changes their shape. */
const joiningLetter =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u
const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}]/u

/**
 * Normalises text so that what looks equal is equal: NFC, and without zero-width characters (soft hyphens, zero-width spaces, direction
 * marks), unless they join emoji or letters.
 */
export function seenText(text: string): string {
  if (!unusual.test(text)) return text
  let seen = text
  if (zeroWidth.test(seen)) {
    seen = seen
      .replace(zeroWidths, keptJoiner)
      .replace(/ {2,}/g, ' ')
      .replace(/ ?([\t\n]) ?/g, '$1')
      // Not `trim`: lines are counted, and the first or the last may be empty now.
      .replace(/^ | $/g, '')
  }
  // Sorting combining marks takes quadratic time; no language has that many on one letter.
  return tooManyMarks.test(seen) ? seen : seen.normalize('NFC')
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

/**
 * JavaScript treats a byte order mark as white space, but it has no width: replace those inside a page by zero-width spaces, which don't
 * separate words.
 */
export function withoutMarks(page: Buffer): Buffer {
  let at = page.indexOf(BOM, 1)
  if (at === -1) return page
  const copy = Buffer.from(page)
  for (; at !== -1; at = copy.indexOf(BOM, at)) zeroWidthSpace.copy(copy, at)
  return copy
}

/** `seenText` on one line: each run of white space becomes one space. */
export function lineOf(text: string): string {
  const seen = seenText(text)
  return /[^\S ]|\s\s|^\s|\s$/.test(seen) ? seen.replace(/\s+/g, ' ').trim() : seen
}
