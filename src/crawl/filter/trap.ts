import type { SkipReason } from '../../core/reports/crawl-report.ts'

/**
 * Signs of a trap that the URL itself shows: sites whose relative links grow for ever, or whose parameters pile up.
 * What only shows in the number of URLs is counted by `createVariantCounter` and by the limits on depth and pages.
 */
export type TrapOptions = {
  maxUrlLength?: number
  maxPathSegments?: number
  /** How often one segment may stand in a path. */
  maxRepeatedSegments?: number
  maxQueryParams?: number
}

export type TrapVerdict = { readonly kind: 'ok' } | { readonly kind: 'skip'; readonly reason: SkipReason }
export type TrapFilter = { check(url: string): TrapVerdict }

const ok: TrapVerdict = { kind: 'ok' }
const tooLong: TrapVerdict = { kind: 'skip', reason: 'length' }
const trap: TrapVerdict = { kind: 'skip', reason: 'trap' }

/** `/a/b/a/b/a/b`: a group of segments that stands so often in a row is a loop. */
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
      // The cheap way out for nearly all: too few segments for any of the signs.
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

/** True where one of the parts stands there more often than it may. For the few there are, pairs beat a table. */
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

/** True where a group of two or more segments follows itself too often: then each equals the one a group further on. */
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
