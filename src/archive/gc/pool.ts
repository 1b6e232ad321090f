import type { Retention } from '../../config/retention.ts'
import type { SourceRule } from '../../config/source-rules.ts'
import { createSourceMatch } from '../../core/source-match.ts'

/** All documents that one retention is for: those of a rule of their own, or all others. */
export type Pool = {
  readonly index: number
  /** The rule's `match`; `*` for the pool of all others. */
  readonly source: string
  readonly retention: Retention
}

export type Pools = { readonly all: readonly Pool[]; of(url: string): Pool }

/** The first rule that matches and has a retention decides; the one for all stands behind them. */
export function createPools(retention: Retention, sources: readonly Pick<SourceRule, 'match' | 'retention'>[]): Pools {
  const all: Pool[] = []
  const matches: ((url: string) => boolean)[] = []
  for (const rule of sources) {
    const matchesRule = rule.retention === null ? null : createSourceMatch(rule.match)
    if (rule.retention === null || matchesRule === null) continue
    all.push({ index: all.length, source: rule.match, retention: rule.retention })
    matches.push(matchesRule)
  }
  const others: Pool = { index: all.length, source: '*', retention }
  return {
    all: [...all, others],
    of(url) {
      const index = matches.findIndex((matchesRule) => matchesRule(url))
      return index < 0 ? others : all[index]!
    },
  }
}
