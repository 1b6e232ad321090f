import type { Retention } from '../../config/retention.ts'
import type { SourceRule } from '../../config/source-rules.ts'
import type { GcReason } from '../../core/reports/gc-report.ts'
import { createSourceMatch } from '../../core/url/source-match.ts'
import type { CollectableVersion } from '../../store/contracts/collection.ts'

/**
 * What happens to a version:
 *
 *   stays   nothing to do; `held` if only a pin keeps it
 *   remove  superseded, and beyond what its retention keeps
 *   drop    its body is not wanted by anyone: only its metadata is kept
 *
 * Whether another version refers to the body is not checked here, as that depends on the verdict about the other one.
 */
export type Verdict =
  | { kind: 'stays'; held: boolean }
  | { kind: 'remove'; reason: Exclude<GcReason, 'unwanted'> }
  | { kind: 'drop'; reason: 'unwanted' }

/** The last superseded version, in order, that has to go because of the size limit. */
export type SizeCutoff = { supersededAt: number; versionId: number }

const stays: Verdict = { kind: 'stays', held: false }
const held: Verdict = { kind: 'stays', held: true }
const unwanted: Verdict = { kind: 'drop', reason: 'unwanted' }

export function judge(
  version: CollectableVersion,
  retention: Retention,
  cutoff: SizeCutoff | null,
  now: number,
): Verdict {
  const reason = version.current ? null : reasonToRemove(version, retention, cutoff, now)
  const isToDrop = reason === null && !version.wanted && version.body === 'kept'
  if (reason === null && !isToDrop) return stays
  if (version.pinnedBy !== null) return held
  return reason === null ? unwanted : { kind: 'remove', reason }
}

function reasonToRemove(
  { supersededAt, newer, id }: CollectableVersion,
  retention: Retention,
  cutoff: SizeCutoff | null,
  now: number,
): Exclude<GcReason, 'unwanted'> | null {
  if (retention.kind === 'forever' || supersededAt === null) return null
  if (retention.maxAgeMs !== null && now - supersededAt > retention.maxAgeMs) return 'age'
  if (retention.maxVersions !== null && newer >= retention.maxVersions) return 'versions'
  if (cutoff !== null && compareAge(supersededAt, id, cutoff) <= 0) return 'size'
  return null
}

/** Negative if the version was superseded before the cut-off; ids break ties. */
export function compareAge(supersededAt: number, versionId: number, cutoff: SizeCutoff): number {
  return supersededAt - cutoff.supersededAt || versionId - cutoff.versionId
}

/** All documents under one retention: those of a rule with its own, or all others. */
export type Pool = {
  readonly index: number
  /** The rule's `match`; `*` for the pool of all others. */
  readonly source: string
  readonly retention: Retention
}

export type Pools = { readonly all: readonly Pool[]; of(url: string): Pool }

/** The first matching rule with a retention decides; the global retention is the fallback. */
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
