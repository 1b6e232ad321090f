import {
  type GcAction,
  type GcCount,
  type GcItem,
  type GcKeptReason,
  type GcReason,
  type GcReport,
  type GcSource,
  gcReasons,
} from '../../core/reports/gc-report.ts'

const MAX_EXAMPLES = 20

export type Stats = ReturnType<typeof createStats>
export type StatsReport = Pick<GcReport, 'looked' | 'removed' | 'dropped' | 'reasons' | 'sources' | 'kept' | 'examples'>

/** Counts what goes and what stays, by reason and source. */
export function createStats() {
  const actions: Record<GcAction, GcCount> = { remove: noCount(), drop: noCount() }
  const reasons = countByReason()
  const sources = new Map<string, GcSource>()
  const kept: Record<GcKeptReason, number> = { held: 0, shared: 0, damaged: 0, changed: 0 }
  const examples: GcItem[] = []
  let looked = 0

  return {
    look: () => void looked++,
    keep: (why: GcKeptReason) => void kept[why]++,
    go(item: GcItem): void {
      const source = sources.get(item.source) ?? { source: item.source, ...countByReason() }
      sources.set(item.source, source)
      for (const count of [actions[item.action], reasons[item.reason], source[item.reason]]) {
        count.versions++
        count.bytes += item.bytes
      }
      if (examples.length < MAX_EXAMPLES) examples.push(item)
    },
    progress: () => ({
      looked,
      going: actions.remove.versions + actions.drop.versions,
      bytes: actions.remove.bytes + actions.drop.bytes,
    }),
    report: (): StatsReport => ({
      looked,
      removed: actions.remove,
      dropped: actions.drop,
      reasons,
      sources: [...sources.values()],
      kept,
      examples,
    }),
  }
}

function noCount(): GcCount {
  return { versions: 0, bytes: 0 }
}

function countByReason(): Record<GcReason, GcCount> {
  return Object.fromEntries(gcReasons.map((reason) => [reason, noCount()])) as Record<GcReason, GcCount>
}
