import { zoneClock } from '../time/zone-offset.ts'

/** Plain text for mail, terminals and small devices. */

export type Wrapping = { columns: number; first?: string; further?: string }

/** Characters that take two columns in a monospaced font. */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]$/u
const combining = /^\p{M}$/u

export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += widthOf(character)
  return columns
}

function widthOf(character: string): number {
  if (character <= '\u02ff') return 1
  return wide.test(character) ? 2 : combining.test(character) ? 0 : 1
}

/** Wraps a text without line breaks. A word longer than a line is broken; an empty text has no lines. */
export function wrapText(text: string, { columns, first = '', further = first }: Wrapping): string[] {
  const lines: string[] = []
  let line = first
  let used = columnsOf(first)
  let isBare = true

  function turn(): void {
    lines.push(line.trimEnd())
    line = further
    used = columnsOf(further)
    isBare = true
  }

  function add(word: string): void {
    const width = columnsOf(word)
    if (!isBare && used + 1 + width > columns) turn()
    if (!isBare) {
      line += ' '
      used++
    }
    if (used + width <= columns) {
      line += word
      used += width
    } else addInPieces(word)
    isBare = false
  }

  function addInPieces(word: string): void {
    for (const character of word) {
      const width = widthOf(character)
      if (used + width > columns) turn()
      line += character
      used += width
      isBare = false
    }
  }

  for (const word of text.split(' ')) if (word !== '') add(word)
  if (!isBare) turn()
  return lines
}

/** Control characters, lone surrogates and direction marks: invisible to readers. */
const unseen = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]+/gu

/** Turns any text into one line that every device can show. */
export function plainLine(text: string): string {
  return text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(unseen, '')
    .trim()
}

/** At most `maxChars` characters, cut at a nearby word boundary if there is one. */
export function shortened(text: string, maxChars: number): string {
  const line = plainLine(text.slice(0, maxChars * 4))
  const characters = [...line]
  if (characters.length <= maxChars) return line
  const cut = characters.slice(0, maxChars - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${space > cut.length * 0.6 ? cut.slice(0, space) : cut}…`
}

/** Date and time to the minute, in the given time zone. */
export function minuteText(ms: number, zone = 'UTC'): string {
  const { offsetAt, nameAt } = zoneClock(zone)
  const local = new Date(ms + offsetAt(ms))
  return `${local.toISOString().slice(0, 16).replace('T', ' ')} ${nameAt(ms)}`
}
