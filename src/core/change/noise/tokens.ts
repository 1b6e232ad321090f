/**
 * A text as seen by recognisers: words, numbers, dates, clocks and signs. All repetitions are bounded and no token is read twice, so the
 * time is linear in the text.
 */
export type TokenKind = 'word' | 'number' | 'date' | 'clock' | 'hex' | 'sign'

export type Token = {
  readonly kind: TokenKind
  /** Lower case, composed; digits as 0 to 9. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** Preceded by white space. */
  readonly spaced: boolean
}

const isoDate = String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d|\.\d)`
const isoTime = String.raw`(?:[tT ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[zZ](?!\p{L})| ?[+-]\d{2}:?\d{2}(?!\d))?)?`
const shortDate = String.raw`\d{1,2}(?:\.\d{1,2}\.|/\d{1,2}/|-\d{1,2}-)(?:\d{4}|\d{2})(?!\d|\.\d)`
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?![\d:])`
const uuid = '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}'
const hex = String.raw`(?=[a-fA-F]{0,127}\d)(?=\d{0,127}[a-fA-F])[0-9a-fA-F]{16,128}(?![\p{L}\d])`
const number = String.raw`\d{1,3}(?:[., '’\u00a0\u202f]\d{3}){1,5}(?!\d)|\d{1,30}(?:[.,]\d{1,20})?`
/** Scripts without spaces between words: each character is a word. */
const single = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]`
const word = String.raw`(?:(?!${single})[\p{L}\p{M}]){1,60}`

const tokens = new RegExp(
  `(${uuid}|${hex})|(${isoDate}${isoTime}|${shortDate})|(${clock})|(${number})|(${single}|${word})|(\\S)`,
  'gu',
)
const kinds: readonly TokenKind[] = ['hex', 'date', 'clock', 'number', 'word', 'sign']

export function readTokens(text: string): Token[] {
  const found: Token[] = []
  const plain = asciiDigits(text)
  let last = 0
  for (const match of plain.matchAll(tokens)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)]!
    const end = match.index + match[0].length
    found.push({ kind, text: fold(match[0]), start: match.index, end, spaced: match.index > last })
    last = end
  }
  return found
}

/** Converts digits of other scripts that take one code unit, so that offsets stay the same. */
function asciiDigits(text: string): string {
  return /[٠-٩۰-۹०-९０-９]/.test(text)
    ? text.replace(/[٠-٩۰-۹०-९０-９]/g, (digit) => String((digit.charCodeAt(0) - zeroOf(digit)) % 10))
    : text
}

function zeroOf(digit: string): number {
  return [0xff10, 0x966, 0x6f0, 0x660].find((zero) => digit.charCodeAt(0) >= zero)!
}

export function fold(text: string): string {
  return text.toLowerCase().normalize('NFKC')
}
