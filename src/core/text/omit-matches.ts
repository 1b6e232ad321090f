import type { Pattern } from '../pattern/pattern.ts'
import type { Span } from '../pattern/pattern-search.ts'
import type { WorkBudget } from '../work/work-budget.ts'

/** Shared by all expressions of the settings, so that a page takes seconds at most regardless of their number. */
const maxWork = 40_000_000

/** The text without the matches of the expressions. */
export function cutMatches(bytes: Uint8Array, patterns: readonly Pattern[]): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  return cutSpans(text, findMatches(text, patterns))
}

/**
 * The matches of all expressions, in no particular order. Each sees the whole text, so their order doesn't matter. Of a text too long for
 * the budget they see only the beginning, always the same length of it: the result must be deterministic.
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
