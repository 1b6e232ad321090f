import { type Mark, marks } from './currencies.ts'

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
/** A number with more digits is an identifier, not a price. */
const maxDigits = 15

type NumberAt = { readonly start: number; readonly end: number; readonly amount: number }
type MarkAt = { readonly start: number; readonly end: number; readonly text: string; readonly mark: Mark }

/**
 * Reads the price from a text such as `Our price: 1.299,00 €`. `currencyText` may name the currency if the price itself doesn't. Of several
 * prices the first counts, or the one labelled as the current one.
 */
export function parsePrice(priceText: string | null, currencyText: string | null = null): Price {
  const text = plain(priceText)
  const found = findMarks(text)
  const numbers = findNumbers(text)
  const chosen = chooseNumber(text, numbers, found)
  const currency = chooseMark(text, found, chosen) ?? markOfHint(plain(currencyText))
  const amount = chosen?.amount ?? (isFree(text) && numbers.length === 0 ? 0 : null)
  return { amount, currency: currency?.text ?? null, code: currency?.mark.code ?? '' }
}

/** Converts digits of other scripts to ASCII, and all white space to spaces. */
function plain(text: string | null): string {
  return (text ?? '')
    .slice(0, maxLength)
    .replace(/[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, (digit) => String(digit.codePointAt(0)! & 15))
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', ',')
    .replace(/\s/g, ' ')
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{M}]/u.test(character)

/** Numbers with their separators: digits, and separators between digits. */
const numberLike = /(?:(?<![\d.,])[.]+)?\d+(?:(?:[.,'’ʼ´`]|[.,] (?=\d\d?(?!\d))|(?<![.,]\d\d?) (?=\d{3}(?!\d)))\d+)*/g

function findNumbers(text: string): NumberAt[] {
  const numbers: NumberAt[] = []
  for (const { 0: token, index: start } of text.matchAll(numberLike)) {
    const end = start + token.length
    if (isPercentage(text, end) || isPartOfWord(text, start, token) || isExponential(text, start, end)) continue
    const amount = amountOf(token)
    if (amount !== null) numbers.push({ start, end, amount })
  }
  return joinCents(text, numbers)
}

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

/** `35€ 99` and `1250€600`: the mark replaces the decimal point. */
function joinCents(text: string, numbers: readonly NumberAt[]): NumberAt[] {
  const [first, second] = numbers
  if (numbers.length !== 2 || first === undefined || second === undefined || !Number.isInteger(first.amount))
    return [...numbers]
  const between = text.slice(first.end, second.start)
  const cents = text.slice(second.start, second.end)
  const isJoined = /^ ?[€£$]$/.test(between)
    ? /^\d{1,3}$/.test(cents)
    : /^ ?[€£$] $/.test(between) && /^\d\d$/.test(cents)
  if (!isJoined || /[.,]/.test(text.slice(first.start, first.end))) return [...numbers]
  return [{ start: first.start, end: first.end, amount: Number(`${first.amount}.${cents}`) }]
}

/** The positions of the separators show which one is the decimal separator. */
function amountOf(token: string): number | null {
  const isFraction = token.startsWith('.')
  const body = token.replace(/^\.+/, '').replace(/['’ʼ´` ]/g, '')
  const separators = body.replace(/\d/g, '')
  if (body.length - separators.length > maxDigits) return null
  if (separators === '') return Number(isFraction ? `0.${body}` : body)
  const last = separators.at(-1)!
  const at = body.lastIndexOf(last)
  const isOneKind = separators.replaceAll(last, '') === ''
  const after = body.length - at - 1
  const whole = body.slice(0, at).replace(/[.,]/g, '')
  const isGroup = after === 3 && whole !== '0' && (isOneKind || separators.indexOf(last) < separators.length - 1)
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

/** Only spaces, a colon or a full stop between the two. */
function areBeside(text: string, mark: MarkAt, number: NumberAt): boolean {
  const between = mark.end <= number.start ? text.slice(mark.end, number.start) : text.slice(number.end, mark.start)
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

const now = /\b(?:now|sale price|our price|special price|jetzt|nur|maintenant|ahora|oggi)\b[^\d]{0,12}$/i
/** Units of measurement. */
const measure =
  /^ ?(?:ft|feet|mm|cm|km|kg|lbs?|oz|ml|l|litres?|liters?|inch(?:es)?|pcs|pieces|days?|hours?|reviews?|stars?)\b(?!\.)/
const month = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? ?$/i

function chooseNumber(text: string, numbers: readonly NumberAt[], found: readonly MarkAt[]): NumberAt | null {
  const money = found.filter((mark) => proves(text, mark, numbers))
  const priced = numbers.filter((number) => money.some((mark) => areBeside(text, mark, number)))
  const present = priced.find(({ start }) =>
    now.test(
      text
        .slice(0, start)
        .replace(/[^\p{L}\d]+$/u, ' ')
        .trimEnd(),
    ),
  )
  if (present !== undefined && priced.length > 1) return present
  if (priced.length > 0) return priced.find((number) => !isCondition(text, number)) ?? null
  return numbers.find((number) => mayBePrice(text, number)) ?? null
}

/** `Free shipping on orders $49+` is a minimum order, not a price. */
function isCondition(text: string, { end }: NumberAt): boolean {
  return /^\+(?!\s*\p{L})/u.test(text.slice(end, end + 3)) && /\b(?:orders?|over|above)\b/i.test(text)
}

/** Without a currency: a measure, a date or part of a word is not a price. */
function mayBePrice(text: string, { start, end }: NumberAt): boolean {
  if (measure.test(text.slice(end)) || month.test(text.slice(0, start))) return false
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

function isFree(text: string): boolean {
  return /^\W*(?:free|gratis|kostenlos|gratuit)\W*$/i.test(text)
}
