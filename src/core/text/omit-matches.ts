import type { Pattern } from '../pattern/pattern.ts'
import type { Span } from '../pattern/pattern-search.ts'
import type { WorkBudget } from '../work/work-budget.ts'

/** All expressions of the settings share it, so that a page is dealt with in seconds whatever their number. */
const maxWork = 40_000_000

/** The text without all that one of the expressions matches. */
export function cutMatches(bytes: Uint8Array, patterns: readonly Pattern[]): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  return cutSpans(text, findMatches(text, patterns))
}

/**
 * All that one of the expressions matches, in no order. Each sees the whole text, so their order means nothing. Of a text
 * that is too long for them they see the beginning, always as much of it: the same text must come to the same.
 */
export function findMatches(text: string, patterns: readonly Pattern[]): Span[] {
  const share = Math.floor(maxWork / patterns.length)
  return patterns.flatMap((pattern) => pattern.findAll(text.slice(0, Math.ceil(share / pattern.size)), unlimited()))
}

function unlimited(): WorkBudget {
  return { left: Number.POSITIVE_INFINITY }
}

export function cutSpans(text: string, spans: Span[]): string {
  if (spans.length === 0) return text
  const kept: string[] = []
  let at = 0
  for (const { start, end } of spans.sort((one, other) => one.start - other.start)) {
    if (start > at) kept.push(text.slice(at, start))
    at = Math.max(at, end)
  }
  kept.push(text.slice(at))
  return kept.join('')
}
