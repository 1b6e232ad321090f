import { parseFeedDate } from '../feed/feed-date.ts'

const maxCharacters = 500
const comment = /\((?:[^()\\]|\\.)*\)/g
const maxCommentDepth = 5

/** A Date field in ISO 8601, in UTC if it names no known zone (RFC 5322, 3.3 and 4.3); null if it isn't a date. */
export function isoDate(field: string): string | null {
  if (field.length > maxCharacters) return null
  let text = field
  for (let depth = 0; depth < maxCommentDepth && text.includes('('); depth++) text = text.replace(comment, ' ')
  text = text
    .replace(/\s+/g, ' ')
    .replace(/ ?: ?/g, ':')
    .replace(/(\d{1,2} [a-z]{3,9}) (\d{2,3}) /i, (_, day: string, year: string) => `${day} ${fullYear(year)} `)
  const at = parseFeedDate(text)
  return at === null ? null : new Date(at).toISOString()
}

const fullYear = (year: string): number => Number(year) + (year.length === 2 && Number(year) < 50 ? 2000 : 1900)
