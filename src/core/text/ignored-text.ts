import { createPattern, type Pattern } from '../pattern/pattern.ts'
import type { Span } from '../pattern/pattern-search.ts'
import type { Interests } from '../profile.ts'
import { createWorkBudget, isSpent, type WorkBudget } from '../work/work-budget.ts'
import { cutSpans } from './omit-matches.ts'

export const ignoreLimits = { patterns: 100, patternLength: 500 } as const

/** Expressions that were used last are kept ready. */
const MAX_READY = 500
/** What it costs to get an expression ready, for each of its steps. */
const READYING = 100
/** For one text, where nothing else is said: about half a second. */
const WORK = 40_000_000

/** What a profile does not care about; nothing where it was stored before there was such a list. */
export function ignoredBy({ ignore }: { readonly ignore?: Interests['ignore'] | undefined }): readonly string[] {
  return ignore ?? []
}

/** Null where the budget doesn't suffice: part of a list would show a change that isn't one. */
export type IgnoredText = {
  /** The text without what the expressions match, its white space in order: see `withoutSpace`. */
  cut(text: string, ignore: readonly string[], budget?: WorkBudget): string | null
  /** Where the expressions match, in no order. */
  find(text: string, ignore: readonly string[], budget?: WorkBudget): Span[] | null
}

export function createIgnoredText(): IgnoredText {
  /** The last used behind; null for one that is wrong, which matches nothing. */
  const ready = new Map<string, Pattern | null>()

  function patternOf(source: string, budget: WorkBudget): Pattern | null {
    const known = ready.get(source)
    const pattern = known === undefined ? readPattern(source) : known
    if (known === undefined) budget.left -= READYING * (pattern?.size ?? 1)
    ready.delete(source)
    ready.set(source, pattern)
    if (ready.size > MAX_READY) ready.delete(ready.keys().next().value!)
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
