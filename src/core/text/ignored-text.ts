import { createPattern, type Pattern } from '../pattern/pattern.ts'
import type { Span } from '../pattern/pattern-search.ts'
import type { Interests } from '../profile.ts'
import { cutFromText, findMatches } from './omit-matches.ts'

export const ignoreLimits = { patterns: 100, patternLength: 500 } as const

/** Expressions that were used last are kept ready. */
const MAX_READY = 500

/** What a profile does not care about; nothing where it was stored before there was such a list. */
export function ignoredBy({ ignore }: { readonly ignore?: Interests['ignore'] | undefined }): readonly string[] {
  return ignore ?? []
}

/** The text without what the expressions match, its white space in order: see `withoutSpace`. */
export type IgnoredText = {
  /** `maxWork` is shared by the expressions: of a text that is too long for it they see the beginning only. */
  cut(text: string, ignore: readonly string[], maxWork?: number): string
  /** Where the expressions match, in no order. */
  find(text: string, ignore: readonly string[]): Span[]
}

export function createIgnoredText(): IgnoredText {
  /** The last used behind; null for one that is wrong, which matches nothing. */
  const ready = new Map<string, Pattern | null>()

  function patternOf(source: string): Pattern | null {
    const known = ready.get(source)
    const pattern = known === undefined ? readPattern(source) : known
    ready.delete(source)
    ready.set(source, pattern)
    if (ready.size > MAX_READY) ready.delete(ready.keys().next().value!)
    return pattern
  }

  const patternsOf = (ignore: readonly string[]): Pattern[] =>
    [...new Set(ignore)].map(patternOf).filter((pattern) => pattern !== null)

  return {
    find: (text, ignore) => findMatches(text, patternsOf(ignore)),
    cut(text, ignore, maxWork) {
      const patterns = patternsOf(ignore)
      return patterns.length === 0 ? text : withoutSpace(cutFromText(text, patterns, maxWork))
    },
  }
}

/** Lists are checked when profiles are read. Whatever came in by another way must not stop all others. */
function readPattern(source: string): Pattern | null {
  try {
    return createPattern(source)
  } catch {
    return null
  }
}

/** Each run of white space within a line as one space, none at its ends, and no empty lines. */
export function withoutSpace(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}
