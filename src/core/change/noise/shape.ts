import { isDateAlone } from './moments.ts'
import { readTokens, type Token } from './tokens.ts'
import { months, weather, weekdays } from './vocabulary.ts'

/** Longer texts are compared verbatim. */
const MAX_TEXT = 20_000

/**
 * A text with its numbers, clocks and ids masked: equal for texts with the same words around different values. Dates are kept, because
 * those of events and deadlines are news, unless the date is the whole text, as in the corner of a page.
 */
export function shapeOf(text: string): string {
  if (text.length > MAX_TEXT) return text
  const tokens = readTokens(text)
  if (isDateAlone({ text, tokens })) return '#'
  const shape: string[] = []
  const hasDegrees = tokens.some((token, n) => token.text === '°' && tokens[n - 1]?.kind === 'number')
  for (let i = 0; i < tokens.length; ) {
    const end = Math.max(skipValue(tokens, i), hasDegrees ? i + weather.at(tokens, i) : i)
    const { kind, start, end: stop, text: word } = tokens[i]!
    if (end > i) {
      if (shape.at(-1) !== '#') shape.push('#')
      i = end
      continue
    }
    // Only a word after a number: "1 reply" equals "2 replies", but "Wind: north 3" differs from "Wind: north-west 4".
    const isCounted = kind === 'word' && shape.at(-1) === '#' && !isDate(tokens, i)
    shape.push(isCounted ? singular(word) : text.slice(start, stop))
    i++
  }
  return shape.join(' ')
}

/** Skips a number with a unit of thousands or of time ("59m", "1h"), or a run of letters and digits such as an id. */
function skipValue(tokens: readonly Token[], i: number): number {
  const token = tokens[i]!
  if (token.kind === 'hex') return i + 1
  if (token.kind === 'clock') return i + 1
  if (token.kind === 'sign' && /^[+-]$/.test(token.text) && tokens[i + 1]?.kind === 'number' && !tokens[i + 1]!.spaced)
    return i + 1
  if (token.kind === 'word' || token.kind === 'number') {
    const run = skipMixed(tokens, i)
    if (run > i) return run
  }
  if (token.kind !== 'number' || isDate(tokens, i)) return i
  return /^(?:k|mio|tsd|s|secs?|m|mins?|h|hrs?|d|w)$/.test(tokens[i + 1]?.text ?? '') ? i + 2 : i + 1
}

/** "8f3a22bc", "AB12-CD34": at least two switches between letters and digits, or six hexadecimal digits. Not "node-29". */
function skipMixed(tokens: readonly Token[], i: number): number {
  let end = i
  let run = ''
  while (end < i + 40 && end < tokens.length && (end === i || !tokens[end]!.spaced)) {
    const { kind, text } = tokens[end]!
    const isPart = kind === 'word' ? /^[a-z]{1,12}$/.test(text) : kind === 'number' ? /^\d+$/.test(text) : false
    if (!isPart && (kind !== 'sign' || !/^[-_]$/.test(text))) break
    run += text
    end++
  }
  const signs = run.replace(/[-_]/g, '')
  const turns = signs.match(/[a-z](?=\d)|\d(?=[a-z])/g)?.length ?? 0
  if (signs.length < 6 || turns === 0) return i
  return (turns > 1 && /\d.*\d/.test(signs)) || (run === signs && /^[\da-f]+$/.test(run)) ? end : i
}

/** A number beside the name of a month or a weekday. */
function isDate(tokens: readonly Token[], i: number): boolean {
  for (let k = Math.max(0, i - 2); k <= i + 2; k++)
    if (months.at(tokens, k) > 0 && /^\p{L}/u.test(tokens[k]!.text)) return true
  return weekdays.at(tokens, i - 1) > 0
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/(?:ies|es|s|y|en|er|n)$/, '') : word
}

/** The words that two texts have in common at the beginning and at the end. */
export function frameOf(one: string, other: string): { head: string; tail: string } {
  const a = one.slice(0, 200).split(/(?<=\s)/)
  const b = other.slice(0, 200).split(/(?<=\s)/)
  let n = 0
  while (n < a.length - 1 && n < b.length - 1 && a[n] === b[n]) n++
  const head = a.slice(0, n).join('')
  const c = one
    .slice(head.length)
    .slice(-200)
    .split(/(?=\s)/)
  const d = other
    .slice(head.length)
    .slice(-200)
    .split(/(?=\s)/)
  let m = 0
  while (m < c.length - 1 && m < d.length - 1 && c[c.length - 1 - m] === d[d.length - 1 - m]) m++
  return { head: head.slice(0, 80), tail: m === 0 ? '' : c.slice(-m).join('').slice(-80) }
}
