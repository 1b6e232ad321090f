import type { SkipReason } from '../../core/reports/crawl-report.ts'

/**
 * Detects traps by the URL alone: sites whose relative links grow for ever, or whose parameters pile up. Traps that show
 * only in the number of URLs are handled by `createVariantCounter` and by the limits on depth and pages.
 */
export type TrapOptions = {
  maxUrlLength?: number
  maxPathSegments?: number
  /** How often one segment may occur in a path. */
  maxRepeatedSegments?: number
  maxQueryParams?: number
}

export type TrapVerdict = { readonly kind: 'ok' } | { readonly kind: 'skip'; readonly reason: SkipReason }
export type TrapFilter = { check(url: string): TrapVerdict }

const ok: TrapVerdict = { kind: 'ok' }
const tooLong: TrapVerdict = { kind: 'skip', reason: 'length' }
const trap: TrapVerdict = { kind: 'skip', reason: 'trap' }

/** Consecutive repetitions that make a group of segments a loop: `/a/b/a/b/a/b` repeats `/a/b` twice. */
const maxRepeatedGroups = 2

export function createTrapFilter(options: TrapOptions = {}): TrapFilter {
  const maxUrlLength = options.maxUrlLength ?? 2048
  const maxPathSegments = options.maxPathSegments ?? 40
  const maxRepeatedSegments = options.maxRepeatedSegments ?? 3
  const maxQueryParams = options.maxQueryParams ?? 40
  return {
    check(url) {
      if (url.length > maxUrlLength) return tooLong
      const question = url.indexOf('?')
      const pathEnd = question === -1 ? url.length : question
      const pathStart = url.indexOf('/', 8)
      // Fast path for nearly all URLs: too few segments for any trap.
      const segmentCount = countFrom(url, '/', pathStart, pathEnd)
      if (segmentCount > maxRepeatedSegments) {
        if (segmentCount > maxPathSegments) return trap
        const segments = url.slice(pathStart + 1, pathEnd).split('/')
        if (repeats(segments, maxRepeatedSegments) || loops(segments)) return trap
      }
      if (question === -1 || countFrom(url, '&', question, url.length) < maxRepeatedSegments) return ok
      const parameters = url.slice(question + 1).split('&')
      return parameters.length > maxQueryParams || repeats(parameters, maxRepeatedSegments) ? trap : ok
    },
  }
}

function countFrom(url: string, character: string, from: number, to: number): number {
  let count = 0
  for (let at = url.indexOf(character, from); at !== -1 && at < to; at = url.indexOf(character, at + 1)) count++
  return count
}

/** Whether one of the parts occurs too often. For a few parts, comparing pairs is faster than a table. */
function repeats(parts: string[], max: number): boolean {
  if (parts.length > maxPairs) return repeatsInTable(parts, max)
  for (let i = 0; i + max < parts.length; i++) {
    const part = parts[i]
    let count = 1
    for (let j = i + 1; j < parts.length; j++) if (parts[j] === part) count++
    if (count > max) return true
  }
  return false
}

const maxPairs = 16

function repeatsInTable(parts: string[], max: number): boolean {
  const counts = new Map<string, number>()
  for (const part of parts) {
    const count = (counts.get(part) ?? 0) + 1
    if (count > max) return true
    counts.set(part, count)
  }
  return false
}

/** Whether a group of two or more segments repeats too often: then each segment equals the one a group further on. */
function loops(segments: string[]): boolean {
  const count = segments.length
  for (let size = 2; size * (maxRepeatedGroups + 1) <= count; size++) {
    let equal = 0
    for (let i = 0; i + size < count; i++) {
      equal = segments[i] === segments[i + size] ? equal + 1 : 0
      if (equal >= size * maxRepeatedGroups) return true
    }
  }
  return false
}
