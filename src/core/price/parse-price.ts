import { type Mark, marks } from './currencies.ts'
import { isFree, isOtherPrice, isPresentPrice, isRange, multiplierAfter } from './price-words.ts'

/** A price as a shop writes it. */
export type Price = {
  /** Null if the text has none. */
  readonly amount: number | null
  /** As written; null if the text has none. */
  readonly currency: string | null
  /** ISO 4217; '' if the currency is unknown, or several share its mark. */
  readonly code: string
}

/** Prices are short; the rest is ignored. */
const maxLength = 500
/** A number with more digits before its decimals is an identifier, not a price. */
const maxDigits = 15

type NumberAt = { readonly start: number; readonly end: number; readonly amount: number }
type MarkAt = { readonly start: number; readonly end: number; readonly text: string; readonly mark: Mark }

/**
 * Reads the price from a text such as `Our price: 1.299,00 €`. `currencyText` may name the currency if the price itself doesn't. Of several
 * prices the one labelled as the current one counts, or else the first that isn't labelled as a former one, a discount or the like.
 */
export function parsePrice(priceText: string | null, currencyText: string | null = null): Price {
  const text = plain(priceText)
  const found = findMarks(text)
  const numbers = findNumbers(text)
  const chosen = chooseNumber(text, numbers, found)
  const currency = chooseMark(text, found, chosen) ?? markOfHint(plain(currencyText))
  const code = currency?.mark.code ?? ''
  const priced = chosen === null ? null : (startOfRange(text, numbers, chosen) ?? chosen)
  const otherwise = isFree(text) && numbers.length === 0 ? 0 : null
  const amount = priced === null ? otherwise : (decimalsOf(text, priced, code) ?? priced.amount)
  return { amount, currency: currency?.text ?? null, code }
}

/** Arabic, Persian, Indic, Thai, Lao, Burmese, Khmer and wide digits. */
const otherDigits =
  /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9\u1040-\u1049\u17e0-\u17e9\uff10-\uff19]/g

function digitOf(character: string): string {
  const code = character.charCodeAt(0)
  const isIndic = code >= 0x0966 && code <= 0x0d6f
  return String((code & 15) - (isIndic ? 6 : 0))
}

/** Converts digits and separators of other scripts to ASCII and all white space to spaces; removes invisible characters. */
function plain(text: string | null): string {
  return (text ?? '')
    .slice(0, maxLength)
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(otherDigits, digitOf)
    .replace(/\u066b|(?<=\d)(?:\uff0e|·(?=\d\d(?!\d)))(?=\d)/g, '.')
    .replace(/\u066c|(?<=\d)[\u060c\uff0c](?=\d)/g, ',')
    .replace(/\s/g, ' ')
    .replace(tenThousands, inDigits)
}

/** `128.5万円`, `1万2800円`, `1億2800万円` */
const tenThousands = /(?<![\d.,])(?:(\d{1,4})[億亿])?(\d{1,3},?\d{0,3}(?:\.\d{1,4})?)[万萬](\d{0,4})(?= ?[円元])/g

function inDigits(_: string, most = '0', many = '0', rest = '0'): string {
  return String(Number(most) * 1e8 + Math.round(Number(many.replace(',', '')) * 1e4) + Number(rest))
}

/** `10–20 €`, where only the highest price has a mark: the lowest. */
function startOfRange(text: string, numbers: readonly NumberAt[], last: NumberAt): NumberAt | null {
  const first = numbers[numbers.indexOf(last) - 1]
  if (first === undefined || first.amount >= last.amount) return null
  return isRange(text.slice(0, first.start), text.slice(first.end, last.start)) ? first : null
}

/** Dinars and rials with a thousand parts, and coins. */
const withThreeDecimals = new Set(['BHD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND', 'BTC', 'XBT', 'ETH'])

/** Fuel is sold for `1,659 €/l`. */
const perLitre = /^.{0,5}?(?:\/|(?<!\p{L})(?:per|pro|je|par|al|por)) ?(?:l|lt?r|lit(?:er|re|ro))(?!\p{L})/iu

/** `12.500 KWD` are twelve and a half; in Tunisia also `12,500 DT`. Null if nothing around a number changes how it is read. */
function decimalsOf(text: string, { start, end }: NumberAt, code: string): number | null {
  const [, whole = '', separator, decimals] = /^(\d+)([.,])(\d{3})$/.exec(text.slice(start, end)) ?? []
  const isDecimal = separator === '.' ? withThreeDecimals.has(code) : separator !== undefined && code === 'TND'
  const isFuel = whole.length === 1 && perLitre.test(text.slice(end, end + 20))
  return isDecimal || isFuel ? Number(`${whole}.${decimals}`) : null
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{M}]/u.test(character)

/** Numbers with their separators: digits, and separators between digits. The full stop of `Rs.499` belongs to the mark. */
const numberLike =
  /(?:(?<![\d.,\p{L}/])\.+)?\d+(?:(?:[.,'’ʼ´`]|[.,] (?=\d\d?(?!\d))| [.,] ?(?=\d\d(?!\d|[.,]\d))|(?<![.,]\d\d?) (?=\d{3}(?!\d)))\d+)*/gu

function findNumbers(text: string): NumberAt[] {
  const numbers: NumberAt[] = []
  for (const { 0: token, index: start } of text.matchAll(numberLike)) {
    const end = start + token.length
    if (isPercentage(text, end) || isPartOfWord(text, start, token) || isExponential(text, start, end)) continue
    const amount = date.test(token) ? null : amountOf(token)
    if (amount === null) continue
    const { factor, length } = multiplierAfter(text, start, end)
    // 2.3 times a million isn't exact in floating point.
    numbers.push({
      start,
      end: end + length,
      amount: factor === 1 ? amount : Number((amount * factor).toPrecision(15)),
    })
  }
  return joinCents(text, numbers)
}

const date = /^\d{1,2}\.\d{1,2}\.(?:19|20)\d\d$/

function isPercentage(text: string, end: number): boolean {
  return /^ ?%/.test(text.slice(end, end + 2))
}

/** `1e999`: numbers in exponential notation are not prices, and neither are their halves. */
function isExponential(text: string, start: number, end: number): boolean {
  return /^e[+-]?\d/i.test(text.slice(end, end + 3)) || /\de[+-]$/i.test(text.slice(Math.max(0, start - 3), start))
}

/** `A4`, `X100`, but not `Rs100`, where the letters are a mark. */
function isPartOfWord(text: string, start: number, token: string): boolean {
  const before = text[start - 1]
  if (token.startsWith('.') || !isLetter(before)) return false
  for (const { end } of findMarks(text.slice(0, start))) if (end === start) return false
  return true
}

/** `35€ 99` and `1250€600`: the mark replaces the decimal point. `$12 99`: nothing does, but nothing else is there. */
function joinCents(text: string, numbers: readonly NumberAt[]): NumberAt[] {
  const [first, second] = numbers
  if (numbers.length !== 2 || first === undefined || second === undefined || !Number.isInteger(first.amount))
    return [...numbers]
  const between = text.slice(first.end, second.start)
  const cents = text.slice(second.start, second.end)
  const isAll = /^ ?(?:[€£$] ?\d+ \d\d|\d+ \d\d ?[€£$]) ?$/.test(text)
  const isJoined = /^[€£$]$/.test(between)
    ? /^\d{1,3}$/.test(cents)
    : (isAll || /^ ?[€£$] $/.test(between)) && /^\d\d$/.test(cents)
  if (!isJoined || (!isAll && /[€£$] ?$/.test(text.slice(0, first.start)))) return [...numbers]
  if (/[.,]/.test(text.slice(first.start, first.end))) return [...numbers]
  const end = isAll ? second.end : first.end
  return [{ start: first.start, end, amount: Number(`${first.amount}.${cents}`) }]
}

/** The positions of the separators show which one is the decimal separator. */
function amountOf(token: string): number | null {
  const isFraction = token.startsWith('.')
  const body = token.replace(/^\.+/, '').replace(/['’ʼ´` ]/g, '')
  const separators = body.replace(/\d/g, '')
  if (separators === '') return body.length > maxDigits ? null : Number(isFraction ? `0.${body}` : body)
  const last = separators.at(-1)!
  const at = body.lastIndexOf(last)
  const isOneKind = separators.replaceAll(last, '') === ''
  const after = body.length - at - 1
  const whole = body.slice(0, at).replace(/[.,]/g, '')
  if (whole.length > maxDigits) return null
  // `1299.000`: nobody groups only some of the digits.
  const isUngrouped = separators.length === 1 && /^\d{4}/.test(token)
  const isGroup =
    after === 3 && whole !== '0' && !isUngrouped && (isOneKind || separators.indexOf(last) < separators.length - 1)
  const hasSeveral = separators.length > 1 && isOneKind && after === 3
  return isGroup || hasSeveral ? Number(whole + body.slice(at + 1)) : Number(`${whole}.${body.slice(at + 1)}`)
}

const longestMark = Math.max(...[...marks.keys()].map((mark) => mark.length))
const beginsMark = new Set([...marks.keys()].map((mark) => mark[0]!))

/** The longest mark at each position, whole words only. */
function findMarks(text: string): MarkAt[] {
  const found: MarkAt[] = []
  for (let start = 0; start < text.length; start++) {
    const mark = markAt(text, start)
    if (mark === null) continue
    found.push(mark)
    start = mark.end - 1
  }
  return found
}

function markAt(text: string, start: number): MarkAt | null {
  const first = text[start]!
  if (!beginsMark.has(first) && !beginsMark.has(first.toUpperCase())) return null
  if (isLetter(first) && isLetter(text[start - 1]) && isSpaced(first)) return null
  for (let length = Math.min(longestMark, text.length - start); length > 0; length--) {
    const word = text.slice(start, start + length)
    const mark = marks.get(word) ?? (length === 3 ? lowerCode(word) : undefined)
    if (mark === undefined) continue
    const end = start + length
    const last = word.at(-1)
    // In `€HT` the sign is a mark; in `RMB` the first two letters aren't.
    if (isLetter(last) && isSpaced(last!) && isLetter(text[end])) continue
    return { start, end, text: word, mark }
  }
  return null
}

/** Scripts without spaces between words need none around a mark. */
function isSpaced(letter: string): boolean {
  return !/[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(letter)
}

function lowerCode(word: string): Mark | undefined {
  if (!/^[A-Za-z]{3}$/.test(word)) return undefined
  const mark = marks.get(word.toUpperCase())
  return mark?.kind === 'code' ? { kind: 'beside', code: mark.code } : undefined
}

/** Only spaces, a colon or a full stop between the two. In `iPhone 12 $599` the mark belongs to the number without a space. */
function areBeside(text: string, mark: MarkAt, number: NumberAt): boolean {
  const isBefore = mark.end <= number.start
  const between = isBefore ? text.slice(mark.end, number.start) : text.slice(number.end, mark.start)
  if (!isBefore && between.startsWith(' ') && /\d/.test(text[mark.end] ?? '')) return false
  return /^(?:[ .:]{0,2}|[.,]-{0,2} ?)$/.test(between)
}

function proves(text: string, mark: MarkAt, numbers: readonly NumberAt[]): boolean {
  switch (mark.mark.kind) {
    case 'sure':
    case 'code':
      return true
    case 'beside':
      return numbers.some((number) => areBeside(text, mark, number))
    case 'alone':
      return numbers.some(
        (number) => areBeside(text, mark, number) && cut(cut(text, mark), number, mark).replace(/[ *.,]/g, '') === '',
      )
  }
}

/** The text without this range. */
function cut(text: string, { start, end }: { start: number; end: number }, gone?: MarkAt): string {
  const shift = gone !== undefined && gone.start < start ? gone.end - gone.start : 0
  return text.slice(0, start - shift) + text.slice(end - shift)
}

/** Units of measurement. */
const measure =
  /^ ?(?:ft|feet|mm|cm|km|kg|lbs?|oz|ml|l|litres?|liters?|inch(?:es)?|pcs|pieces|days?|hours?|reviews?|stars?)\b(?!\.)/
const month = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? ?$/i

function chooseNumber(text: string, numbers: readonly NumberAt[], found: readonly MarkAt[]): NumberAt | null {
  const money = found.filter((mark) => proves(text, mark, numbers))
  const priced = numbers.filter((number) => money.some((mark) => areBeside(text, mark, number)))
  const present = priced.length > 1 ? priced.find(({ start }) => isPresentPrice(text, start)) : undefined
  if (present !== undefined) return present
  if (priced.length > 0) {
    const usual = priced.filter((number) => !isCondition(text, number))
    return usual.find(({ start, end }) => !isOtherPrice(text, start, end)) ?? usual[0] ?? null
  }
  return numbers.find((number) => mayBePrice(text, number)) ?? null
}

/** `Free shipping on orders $49+` is a minimum order, not a price. */
function isCondition(text: string, { end }: NumberAt): boolean {
  return /^\+(?!\s*\p{L})/u.test(text.slice(end, end + 3)) && /\b(?:orders?|over|above)\b/i.test(text)
}

/** Both halves of a time, a score or a scale: `18:45`, `2:1`, `1:100`. */
function isHalf(text: string, { start, end }: NumberAt): boolean {
  if (/^:\d/.test(text.slice(end, end + 2))) return true
  return /^\d+$/.test(text.slice(start, end)) && /\d:$/.test(text.slice(Math.max(0, start - 2), start))
}

/** Without a currency: a measure, a date, a time, a score or part of a word is not a price. */
function mayBePrice(text: string, number: NumberAt): boolean {
  const { start, end } = number
  if (measure.test(text.slice(end)) || month.test(text.slice(0, start))) return false
  if (isHalf(text, number)) return false
  if (/^[-/]\d/.test(text.slice(end, end + 2)) || /\d[-/]$/.test(text.slice(Math.max(0, start - 2), start)))
    return false
  // In parentheses after words it is an aside: `on request (min. order: 1)`.
  const opened = text.lastIndexOf('(', start)
  return !(opened > 0 && text.indexOf(')', opened) >= end && !/\d/.test(text.slice(0, opened)))
}

/** Prefers the mark beside the number; a unique mark is better than one that several currencies share. */
function chooseMark(text: string, found: readonly MarkAt[], number: NumberAt | null): MarkAt | null {
  const proven = found.filter((mark) => proves(text, mark, number === null ? [] : [number]))
  const near = proven.filter((mark) => number !== null && isNear(text, mark, number, proven))
  const isExact = ({ mark }: MarkAt): boolean => mark.code !== ''
  return near.find(isExact) ?? near[0] ?? proven.find(({ mark }) => mark.kind === 'sure') ?? proven[0] ?? null
}

/** Beside the number, or beside a mark that is: `$ SGD4.90`. */
function isNear(text: string, mark: MarkAt, number: NumberAt, all: readonly MarkAt[]): boolean {
  if (areBeside(text, mark, number)) return true
  return all.some((other) => areBeside(text, other, number) && areBeside(text, mark, { ...other, amount: 0 }))
}

function markOfHint(text: string): MarkAt | null {
  const found = findMarks(text)
  const numbers = findNumbers(text)
  const whole = found.find(
    ({ start, end }) => text.slice(0, start).trim() === '' && /^[\s.]*(?:\(|$)/.test(text.slice(end)),
  )
  if (whole !== undefined && whole.mark.kind !== 'alone') return whole
  return found.find((mark) => proves(text, mark, numbers)) ?? null
}
