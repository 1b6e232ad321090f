import {
  type GcAction,
  type GcCount,
  type GcItem,
  type GcKeptReason,
  type GcOverflow,
  type GcProgress,
  type GcReason,
  type GcReport,
  type GcSource,
  gcReasons,
} from '../../core/reports/gc-report.ts'
import type {
  CollectableVersion,
  CollectionCursor,
  CollectionStore,
  KeptVersion,
} from '../../store/contracts/collection.ts'
import { createVersionSet, type VersionSet } from '../version-set.ts'
import { findSizeLimits, type SizeLimits } from './size-limit.ts'
import { judge, type Pool, type Pools } from './verdict.ts'

/**
 * The collector walks all versions of the catalogue and removes those that are no longer needed. It works in up to three steps:
 *
 *   measure  if a retention limits the size: finds which superseded versions have to go. Changes nothing.
 *   walk     judges each version (`verdict.ts`). A version that is to go, and whose body no other version refers to, goes at once,
 *            in batches. One that others refer to is put aside with its reason. For each version that stays, the body it refers
 *            to is noted.
 *   leave    removes the versions put aside, unless a version that stays refers to them.
 *
 * A verdict is slightly stale when it is carried out, and a crawl may be running: the store checks its preconditions again, in the
 * transaction that carries it out. So a run may be interrupted at any moment; the next one continues.
 * A dry run takes the same steps without changing anything.
 */
export type CollectorDeps = {
  store: Pick<CollectionStore, 'versions' | 'find' | 'collect'>
  pools: Pools
  now: number
  dryRun: boolean
  /** The newest version of a document keeps its body even if unwanted: the next one is compared with it. */
  keepsNewest: boolean
  signal: AbortSignal
  onProgress(progress: GcProgress): void
  /** Called for each version once it has gone, or would go. */
  onItem(item: GcItem): void
  /** Called with the versions that are gone or have lost their body. */
  onRemoved(versionIds: number[]): Promise<void> | void
}

export type CollectorReport = StatsReport & { overflow: readonly GcOverflow[]; finished: boolean }

const PAGE = 2_000
const BATCH = 500

type Order = GcItem & { originalId: number }

export async function collectGarbage(deps: CollectorDeps): Promise<CollectorReport> {
  const { store, pools, now, dryRun, keepsNewest, signal } = deps
  const stats = createStats()
  /** Bodies referred to by a version that stays. */
  const needed = createVersionSet()
  const aside = new Map<GcReason, VersionSet>()
  let orders: Order[] = []

  async function carryOut(): Promise<void> {
    const batch = orders
    orders = []
    if (batch.length === 0) return
    const outcomes = dryRun ? null : await store.collect(batch)
    const gone: number[] = []
    batch.forEach(({ originalId, ...item }, index) => {
      const outcome = outcomes?.[index] ?? { kind: 'done' as const }
      if (outcome.kind === 'done') {
        gone.push(item.versionId)
        stats.go(item)
        deps.onItem(item)
      } else if (outcome.kind === 'kept') {
        stats.keep(outcome.why === 'current' || outcome.why === 'wanted' ? 'changed' : outcome.why)
        needed.add(originalId)
      }
    })
    if (!dryRun && gone.length > 0) await deps.onRemoved(gone)
  }

  async function order(version: KeptVersion, pool: Pool, reason: GcReason): Promise<void> {
    const { id: versionId, url, n, bytes, originalId } = version
    const action = reason === 'unwanted' ? 'drop' : 'remove'
    orders.push({ action, reason, source: pool.source, url, n, versionId, bytes, originalId })
    if (orders.length >= BATCH) await carryOut()
  }

  function decide(version: CollectableVersion, pool: Pool, limits: SizeLimits): Promise<void> | void {
    const verdict = judge(version, pool.retention, limits.cutoffs[pool.index]!, now)
    if (verdict.kind === 'stays') {
      if (verdict.held) stats.keep('held')
      if (version.originalId !== version.id && version.body === 'kept') needed.add(version.originalId)
      return
    }
    if (!version.shared) return order(version, pool, verdict.reason)
    const set = aside.get(verdict.reason) ?? createVersionSet()
    aside.set(verdict.reason, set)
    set.add(version.id)
  }

  async function walk(visit: Visit): Promise<void> {
    let cursor: CollectionCursor | null = null
    let document = -1
    let pool = pools.all[0]!
    // Limits found by an interrupted walk are not those of all versions, so nothing may be judged by them.
    while (!signal.aborted) {
      const page = await store.versions(cursor, PAGE)
      for (const version of page.versions) {
        if (version.documentId !== document) {
          document = version.documentId
          pool = pools.of(version.url)
        }
        if (keepsNewest && version.current) version.wanted = true
        const work = visit(version, pool)
        if (work !== undefined) await work
      }
      if (page.next === null) return
      cursor = page.next
    }
  }

  async function leave(): Promise<void> {
    for (const [reason, set] of aside) {
      for (const ids of set.batches(BATCH)) {
        if (signal.aborted) return
        const free = ids.filter((id) => !needed.has(id))
        for (let kept = ids.length - free.length; kept > 0; kept--) stats.keep('shared')
        for (const version of await store.find(free)) await order(version, pools.of(version.url), reason)
      }
      await carryOut()
    }
  }

  const limits = await findSizeLimits(pools, countedWalk(walk, 'measuring', deps.onProgress), now)
  await walk((version, pool) => {
    stats.look()
    const { looked, going, bytes } = stats.progress()
    if (looked % PAGE === 0) deps.onProgress({ kind: 'looking', looked, going, bytes })
    return decide(version, pool, limits)
  })
  await carryOut()
  if (!signal.aborted) await leave()
  deps.onProgress({ kind: 'looking', ...stats.progress() })
  return { ...stats.report(), overflow: limits.overflow, finished: !signal.aborted }
}

type Visit = (version: CollectableVersion, pool: Pool) => Promise<void> | void
type Walk = (visit: (version: CollectableVersion, pool: Pool) => void) => Promise<void>

function countedWalk(walk: Walk, kind: 'measuring', onProgress: (progress: GcProgress) => void): Walk {
  return (visit) => {
    let looked = 0
    return walk((version, pool) => {
      if (++looked % PAGE === 0) onProgress({ kind, looked, going: 0, bytes: 0 })
      visit(version, pool)
    })
  }
}

const MAX_EXAMPLES = 20

export type Stats = ReturnType<typeof createStats>
type StatsReport = Pick<GcReport, 'looked' | 'removed' | 'dropped' | 'reasons' | 'sources' | 'kept' | 'examples'>

/** Counts removed and kept versions, by reason and source. */
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
