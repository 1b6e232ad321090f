import { createPattern, type Pattern } from '../pattern/pattern.ts'
import type { Span } from '../pattern/pattern-search.ts'
import type { Interests } from '../profile.ts'
import { createRecentMap } from '../recent-map.ts'
import { createWorkBudget, isSpent, type WorkBudget } from '../work/work-budget.ts'
import { cutSpans } from './omit-matches.ts'

export const ignoreLimits = { patterns: 100, patternLength: 500 } as const

/** Number of compiled expressions cached. */
const MAX_READY = 500
/** Cost of compiling an expression, per step of it. */
const READYING = 100
/** Default budget for one text: about half a second. */
const WORK = 40_000_000

/** The ignored patterns of a profile; empty for one stored before there was such a list. */
export function ignoredBy({ ignore }: { readonly ignore?: Interests['ignore'] | undefined }): readonly string[] {
  return ignore ?? []
}

/** The results are null if the budget runs out: applying only part of a list would report changes that aren't any. */
export type IgnoredText = {
  /** The text without the matches, with white space normalised: see `withoutSpace`. */
  cut(text: string, ignore: readonly string[], budget?: WorkBudget): string | null
  /** The matches, in no particular order. */
  find(text: string, ignore: readonly string[], budget?: WorkBudget): Span[] | null
}

export function createIgnoredText(): IgnoredText {
  /** Null for an invalid expression, which matches nothing. */
  const ready = createRecentMap<string, Pattern | null>({ maxEntries: MAX_READY })

  function patternOf(source: string, budget: WorkBudget): Pattern | null {
    const known = ready.get(source)
    if (known !== undefined) return known
    const pattern = readPattern(source)
    budget.left -= READYING * (pattern?.size ?? 1)
    ready.set(source, pattern)
    return pattern
  }

  function find(text: string, ignore: readonly string[], budget = createWorkBudget(WORK)): Span[] | null {
    const found: Span[] = []
    for (const source of new Set(ignore)) {
      if (isSpent(budget)) return null
      for (const span of patternOf(source, budget)?.findAll(text, budget) ?? []) found.push(span)
    }
    return isSpent(budget) && ignore.length > 0 ? null : found
  }

  return {
    find,
    cut(text, ignore, budget) {
      if (ignore.length === 0) return text
      const found = find(text, ignore, budget)
      return found === null ? null : withoutSpace(cutSpans(text, found))
    },
  }
}

/** Lists are validated when profiles are read. An invalid expression that got in another way must not stop all others. */
function readPattern(source: string): Pattern | null {
  try {
    return createPattern(source)
  } catch {
    return null
  }
}

/** Collapses white space within lines, trims them, and drops empty lines. */
export function withoutSpace(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}
