import type { Pattern } from '../pattern/pattern.ts'

/** Beyond so many characters nothing is cut: expressions of users take their time on texts of strangers. */
const maxTextLength = 2 * 1024 * 1024

/** The text without all that one of the expressions matches. Each sees the whole text, so their order means nothing. */
export function cutMatches(bytes: Uint8Array, patterns: readonly Pattern[]): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  const head = text.length > maxTextLength ? text.slice(0, maxTextLength) : text
  const cuts = patterns.flatMap((pattern) => pattern.findAll(head)).sort((one, other) => one.start - other.start)
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
