/** Control characters, lone surrogates and direction marks: nothing a reader would miss. */
const unseen = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]+/gu

/** One line that any device can show, from any text. */
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

/** UTC, to the minute. */
export function minuteText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
