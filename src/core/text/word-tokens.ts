import { codesOf } from './text-codes.ts'

/**
 * Splits a text into tokens that people read as one: words, and numbers with their sign, separators and unit, prices with their currency,
 * dates, times, scores, versions, percentages, telephone numbers, ids, URLs, e-mail and network addresses. A change never cuts through one.
 *
 * All repetitions are bounded: otherwise an expression could exhaust the stack, or backtrack for ever.
 */

/** `glue[i]` is the white space before `words[i]`, `tail` that after the last. */
export type Words = { words: string[]; glue: string[]; tail: string }

/** Maximum number of tokens: more would need hundreds of megabytes. */
export const maxWords = 200_000

const { raw } = String

/** Scripts without spaces between words. */
const dense = raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`
const end = raw`(?![\p{L}\p{N}_])`
const space = raw`[ \u00a0\u2009\u202f]`
/** A hyphen between two numbers or words is not a sign. */
const sign = raw`(?:(?<![\p{L}\p{N})])[-+−±])?`

const url = raw`(?:https?|ftp):\/\/[^\s<>"]{0,1000}[^\s<>"'’.,;:!?)\]}…]|www\.[^\s<>"]{0,1000}[^\s<>"'’.,;:!?)\]}…]`
const email = raw`[\p{L}\p{N}][\p{L}\p{N}._%+\-]{0,63}@(?:[\p{L}\p{N}\-]{1,63}\.){1,6}\p{L}{2,20}`

const month = raw`(?:jan(?:uary|uar|\.)?|janvier|gennaio|enero|feb(?:ruary|ruar|braio|rero|\.)?|février|mar(?:ch|s|zo|\.)?|märz|april|apr(?:ile|\.)?|avril|abril|may|mai|maggio|mayo|june?|juni|juin|giugno|junio|july?|juli|juillet|luglio|julio|aug(?:ust|\.)?|août|agosto|sept?(?:ember|embre|tembre|iembre|\.)?|settembre|o[ck]t(?:ober|obre|ubre|\.)?|ottobre|nov(?:ember|embre|iembre|\.)?|de[cz](?:ember|embre|\.)?|décembre|dicembre|diciembre)`
const clock = raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:${space}?[ap]\.?m\b\.?)?`
const zone = raw`(?:Z|${space}?[+-]\d{2}:?\d{2})?`
const date = [
  raw`\d{4}-\d{2}-\d{2}(?:[T ]${clock}${zone})?${end}`,
  raw`\d{4}[./]\d{1,2}[./]\d{1,2}${end}`,
  raw`\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})${end}`,
  raw`\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?`,
  raw`\d{1,2}(?:st|nd|rd|th|\.)?${space}(?:of${space}|de${space})?${month}(?:,?${space}(?:de${space})?\d{4})?${end}`,
  raw`${month}${space}\d{1,2}(?:st|nd|rd|th)?(?:,?${space}\d{4})?${end}`,
  raw`${month}${space}\d{4}${end}`,
].join('|')
const time = raw`${clock}${end}|\d{1,2}${space}?[ap]\.?m\b\.?`

const uuid = raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}${end}`
const ip = raw`\d{1,3}(?:\.\d{1,3}){3}(?:[\/:]\d{1,5})?${end}(?!\.\d)|(?=[a-f:]{0,30}\d)(?:[0-9a-f]{1,4}::?){2,7}[0-9a-f]{1,4}${end}(?!:)|(?=[a-f]{0,4}\d)[0-9a-f]{1,4}::[0-9a-f]{1,4}${end}`
/** "2:1", or "1:2:3" for a mixture. */
const ratio = raw`\d{1,4}(?::\d{1,4}){1,3}${end}(?!:)|\d{1,3} : \d{1,3}${end}`
/** Groups of digits need a separator between them, so that there is only one way to match. */
const phoneGap = raw`(?:[ \u00a0]?[./-][ \u00a0]?|[ \u00a0]|(?<=\)))`
const phone = [
  raw`(?<![\p{L}\p{N}])(?=\+(?:[^\d\n]{0,3}\d){7})\+\d{1,4}(?:${phoneGap}?(?:\(\d{1,5}\)|(?<!\d)\d{1,12})){1,6}${end}`,
  raw`(?:\(\d{3}\) ?|(?<![\d.-])\d{3}[-.])\d{3}[-. ]\d{4}${end}`,
  raw`(?<![\d.,])(?=0(?:[^\d\n]{0,3}\d){7})0\d{2,5}(?: ?[\/-] ?| )\d{2,10}(?:[ -]\d{2,8}){0,4}${end}`,
].join('|')

const version = raw`v\.?${space}?\d{1,9}(?:\.\d{1,9}){0,6}(?:[-+][\p{L}\p{N}.\-+]{0,60}[\p{L}\p{N}])?${end}|\d{1,9}(?:\.\d{1,9}){1,6}-[\p{L}\p{N}](?:[\p{L}\p{N}.\-+]{0,60}[\p{L}\p{N}])?${end}|\d{1,9}(?:\.\d{1,9}){2,6}(?:\+[\p{L}\p{N}.\-]{0,60}[\p{L}\p{N}])?${end}`

const digits = raw`\d{1,3}(?:[.,'’\u00a0\u2009\u202f]\d{3}){1,8}(?:[.,]\d{1,20})?|\d{1,40}(?:[.,]\d{1,20}){0,3}|(?<![\p{L}\p{N}.])\.\d{1,20}`
/** A plain space separates thousands only if a currency shows that it is one number. */
const amount = raw`(?:\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|${digits})(?:[.,][–—-](?![\p{L}\p{N}]))?`
const currency = raw`(?:(?:A|AU|C|CA|HK|NZ|S|US|R)?\p{Sc}|(?:EUR|USD|GBP|CHF|JPY|CNY|RMB|SEK|NOK|DKK|PLN|CZK|HUF|INR|AUD|CAD|NZD|BRL|MXN|TRY|RUB|KRW|ZAR|BTC)${end}|(?:Rs|Fr|kr)\.?(?=${space}?\d)|R(?=${space}\d))`
const currencyBehind = raw`(?:\p{Sc}|(?:EUR|USD|GBP|CHF|JPY|CNY|RMB|SEK|NOK|DKK|PLN|CZK|HUF|INR|AUD|CAD|NZD|BRL|MXN|TRY|RUB|KRW|ZAR|BTC|euros?|dollars?|kr|zł|Kč|Ft|lei|руб)${end}\.?|[円元원])`
const price = raw`${sign}${currency}${space}?[-−]?(?:${amount})|${sign}(?:${amount})${space}?${currencyBehind}`

const percent = raw`${sign}(?:${digits})${space}?[%‰]`
const unit = raw`(?:[kMGTP]i?[Bb](?:\/s)?|k?m\/[hs]|[kcmµn]?m[²³]?|mph|[kmµ]?g|[mc]?l|[kMG]?Wh?|[kMG]?Hz|[kMG]V|mAh?|°[CF]?|px|[mµn]?s|min|hrs?|h|lbs?|oz|ft)`
/** Units that are also words if a space precedes them. */
const unitClose = raw`(?:in|pt|[VACFKMk])`
const number = raw`${sign}(?:${digits})(?:${space}?${unit}${end}|${unitClose}${end}|${end})`

const word = raw`(?![${dense}])[\p{L}\p{N}_](?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}\p{M}_]|['’](?=\p{L})){0,200}`
const other = raw`\p{RI}\p{RI}|\S(?:[\p{M}\p{Emoji_Modifier}]|\u200d\S){0,20}`

/** Finds the tokens of a whole text; `wordsOf` finds the same, faster. */
export const token = new RegExp(
  [url, email, uuid, ip, date, time, price, percent, phone, ratio, version, number, word, other].join('|'),
  'giu',
)

/** Start and end offsets of tokens. */
export type Spans = { starts: number[]; ends: number[] }

/** Null if there are too many. `codes` from `offset` on hold the text. */
export function findTokens(text: string, codes: Uint16Array, offset = 0, limit = maxWords): Spans | null {
  const starts: number[] = []
  const ends: number[] = []
  const stop = offset + text.length
  for (let at = offset; at < stop; ) {
    if (codes[at] === 0x20) {
      at++
      continue
    }
    let start = at
    at = plainEnd(codes, at, stop)
    if (at === start) {
      token.lastIndex = start - offset
      const match = token.exec(text)
      if (match === null) break
      start = match.index + offset
      at = token.lastIndex + offset
    }
    if (starts.length === limit) return null
    starts.push(start - offset)
    ends.push(at - offset)
  }
  return { starts, ends }
}

/** Null if there are too many tokens. */
export function wordsOf(text: string, limit = maxWords): Words | null {
  const found = findTokens(text, codesOf(text, 0), 0, limit)
  if (found === null) return null
  const { starts, ends } = found
  const words = starts.map((start, i) => text.slice(start, ends[i]))
  const glue = starts.map((start, i) => text.slice(i === 0 ? 0 : ends[i - 1], start))
  return { words, glue, tail: text.slice(ends.at(-1) ?? 0) }
}

/**
 * Fast path: most tokens are words of Latin letters and a few punctuation marks. Returns the end of such a token if it can't be the
 * beginning of anything else; otherwise `start`, and the regular expression decides.
 */
function plainEnd(codes: Uint16Array, start: number, stop: number): number {
  const first = codes[start]!
  if (first < 0x80 && plainMarks[first] === 1) {
    const next = codeAt(codes, start + 1, stop)
    // `(555) 123-4567`
    return next >= 0x80 || (first === 0x28 && next >= 0x30 && next <= 0x39) ? start : start + 1
  }
  if (first === 0x2e) return codeAt(codes, start + 1, stop) === 0x20 ? start + 1 : start
  if (first >= 0x2013 && first <= 0x2026 && wideMarks.has(first))
    return codeAt(codes, start + 1, stop) < 0x80 ? start + 1 : start
  if (first >= 0x30 && first <= 0x39) return plainNumberEnd(codes, start, stop)
  let at = start
  for (const last = Math.min(stop, start + maxPlain + 1); at < last && isLatin(codes[at]!); ) at++
  if (at === start || at - start > maxPlain) return start
  const end = at
  // `Jan. 5`, `EUR 5`, `v 1`: tokens that begin with letters but aren't plain words continue with a number.
  if (codeAt(codes, at, stop) === 0x2e) at++
  const code = codeAt(codes, at, stop)
  if (code === 0x20) {
    const next = codeAt(codes, at + 1, stop)
    return (next < 0x80 ? isNumeral[next] === 0 : next !== minus) ? end : start
  }
  return end === at && code < 0x80 && plainMarks[code] === 1 ? end : start
}

/** Digits alone, as in table cells, followed by a character that excludes anything else. */
function plainNumberEnd(codes: Uint16Array, start: number, stop: number): number {
  let at = start
  for (const last = Math.min(stop, start + maxDigits); at < last && codes[at]! >= 0x30 && codes[at]! <= 0x39; ) at++
  const next = at < stop ? codes[at]! : 0x0a
  return next < 0x80 && endsNumber[next] === 1 ? at : start
}

/** Past the end, as if there were a space. */
function codeAt(codes: Uint16Array, at: number, stop: number): number {
  return at < stop ? codes[at]! : 0x20
}

const maxPlain = 60
const plainMarks = Uint8Array.from({ length: 0x80 }, (_, code) =>
  ',;!?()[]{}"|'.includes(String.fromCharCode(code)) ? 1 : 0,
)
const maxDigits = 40
const endsNumber = Uint8Array.from({ length: 0x80 }, (_, code) =>
  '\t\n\r;!?()[]{}"|'.includes(String.fromCharCode(code)) ? 1 : 0,
)
/** Dashes, quotes, ellipsis. */
const wideMarks = new Set([0x2013, 0x2014, 0x2018, 0x2019, 0x201c, 0x201d, 0x201e, 0x2026])
const minus = 0x2212
const isNumeral = Uint8Array.from({ length: 0x80 }, (_, code) => (/[-+.,\d]/.test(String.fromCharCode(code)) ? 1 : 0))

/** Letters of ASCII, Latin-1, and Latin Extended-A and B. */
function isLatin(code: number): boolean {
  return code < latinEnd && latin[code] === 1
}

const latinEnd = 0x250
const latin = Uint8Array.from({ length: latinEnd }, (_, code) => {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) ? 1 : 0
  return code >= 0xc0 && code !== 0xd7 && code !== 0xf7 ? 1 : 0
})
