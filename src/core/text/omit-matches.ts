import type { Pattern } from '../pattern/pattern.ts'
import type { Span } from '../pattern/pattern-search.ts'

/** All expressions share it, so that a page is dealt with in seconds whatever their number: see `findAll`. */
const maxWork = 40_000_000

/** The text without all that one of the expressions matches. Each sees the whole text, so their order means nothing. */
export function cutMatches(bytes: Uint8Array, patterns: readonly Pattern[]): string {
  return cutFromText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'), patterns)
}

export function findMatches(text: string, patterns: readonly Pattern[], work = maxWork): Span[] {
  const share = Math.floor(work / patterns.length)
  return patterns.flatMap((pattern) => pattern.findAll(text, share))
}

export function cutFromText(text: string, patterns: readonly Pattern[], work = maxWork): string {
  const cuts = findMatches(text, patterns, work).sort((one, other) => one.start - other.start)
  if (cuts.length === 0) return text
  const kept: string[] = []
  let at = 0
  for (const { start, end } of cuts) {
    if (start > at) kept.push(text.slice(at, start))
    at = Math.max(at, end)
  }
  kept.push(text.slice(at))
  return kept.join('')
}
