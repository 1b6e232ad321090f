import type { Mark } from './query.ts'

export type Snippet = { text: string; marks: Mark[] }

const CHARS = 240
/** Context before the first hit, so that it is read in its sentence. */
const LEAD_CHARS = 60
const MAX_MARKS = 20

/** The part of a text with the most hits; its beginning if there are none. Linear in the marks. */
export function cutSnippet(text: string, marks: readonly Mark[]): Snippet {
  const { first, last } = densest(text, marks)
  const wanted = marks[first]?.[0] ?? 0
  const start = wanted <= LEAD_CHARS ? 0 : wordStart(text, wanted - LEAD_CHARS, wanted)
  const end = Math.min(text.length, wordEnd(text, start + CHARS))
  const before = start > 0 ? '… ' : ''
  const after = end < text.length ? ' …' : ''
  const shift = before.length - start
  const inside: Mark[] = []
  for (let at = first; at <= last && inside.length < MAX_MARKS; at++) {
    const [from, to] = marks[at]!
    if (from < end) inside.push([from + shift, Math.min(to, end) + shift])
  }
  return { text: before + text.slice(start, end).trimEnd() + after, marks: inside }
}

/** The window of marks with the most distinct words; the first of several equal ones. */
function densest(text: string, marks: readonly Mark[]): { first: number; last: number } {
  const seen = new Map<string, number>()
  let best = { first: 0, last: -1 }
  let bestScore = -1
  for (let first = 0, last = 0; last < marks.length; last++) {
    const word = wordAt(text, marks[last]!)
    seen.set(word, (seen.get(word) ?? 0) + 1)
    while (marks[last]![1] - marks[first]![0] > CHARS - LEAD_CHARS && first < last) {
      const left = wordAt(text, marks[first]!)
      const count = seen.get(left)! - 1
      if (count === 0) seen.delete(left)
      else seen.set(left, count)
      first++
    }
    const score = seen.size * 100 + Math.min(99, last - first)
    if (score > bestScore) {
      bestScore = score
      best = { first, last }
    }
  }
  return best
}

const wordAt = (text: string, [from, to]: Mark): string => text.slice(from, Math.min(to, from + 50)).toLowerCase()

function wordStart(text: string, at: number, limit: number): number {
  const space = text.indexOf(' ', at)
  return space >= 0 && space < limit ? space + 1 : whole(text, at)
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const space = text.lastIndexOf(' ', at)
  return space > at - LEAD_CHARS ? space : whole(text, at)
}

/** Never splits a surrogate pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
