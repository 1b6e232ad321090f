import type { Clock } from '../../core/clock.ts'
import type { GcFiles, GcItem, GcProgress, GcReport } from '../../core/reports/gc-report.ts'
import type { CollectionStore } from '../../store/contracts/collection.ts'
import type { CollectionRun, CollectionRunStore } from '../../store/contracts/collection-runs.ts'
import { type DeliveryStore, deliveryRetentionMs } from '../../store/contracts/deliveries.ts'
import { collectGarbage } from './collector.ts'
import type { Pools } from './verdict.ts'

/** A store whose garbage is collected, by one process at a time. */
export type CollectingTarget = {
  collection: CollectionStore
  runs: CollectionRunStore
  deliveries: Pick<DeliveryStore, 'removeBefore'>
  /** The wall clock used for timestamps of versions. */
  now(): number
  /** Removes versions from the search index, if there is one. */
  forget(versionIds: number[]): Promise<void>
  /** Reclaims the space of collected versions; omitted if the store does so itself. */
  rewriteFiles?(): Promise<GcFiles>
  close(): Promise<void>
}

export type CollectionRunOptions = {
  pools: Pools
  dryRun: boolean
  keepsNewest: boolean
  clock: Pick<Clock, 'monotonic'>
  signal: AbortSignal
  onProgress(progress: GcProgress): void
  onItem(item: GcItem): void
}

const noFiles: GcFiles = { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] }
const MAX_ERROR_CHARS = 500

/** One complete collection. The outcome is recorded, unless it is a dry run. */
export async function runCollection(target: CollectingTarget, options: CollectionRunOptions): Promise<GcReport> {
  const { dryRun, clock } = options
  const startedAt = target.now()
  const begunAt = clock.monotonic()
  const record = async (part: Partial<CollectionRun>): Promise<void> => {
    const run = { startedAt, tookMs: 0, state: 'running', versions: 0, bytes: 0, freedBytes: 0, error: '' } as const
    if (!dryRun) await target.runs.put({ ...run, ...part })
  }
  const tookMs = (): number => Math.round(clock.monotonic() - begunAt)
  try {
    await record({})
    const report = await collect(target, options, startedAt)
    await record({
      tookMs: tookMs(),
      state: report.finished ? 'finished' : 'interrupted',
      versions: report.removed.versions + report.dropped.versions,
      bytes: report.removed.bytes + report.dropped.bytes,
      freedBytes: report.files.freedBytes,
    })
    return { ...report, seconds: tookMs() / 1000 }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // If the store is the cause, this can't be recorded either; the first error says more.
    await record({ tookMs: tookMs(), state: 'failed', error: message.slice(0, MAX_ERROR_CHARS) }).catch(() => {})
    throw error
  }
}

async function collect(
  target: CollectingTarget,
  options: CollectionRunOptions,
  now: number,
): Promise<Omit<GcReport, 'seconds'>> {
  const { dryRun, keepsNewest, signal, pools, onProgress, onItem } = options
  const collected = await collectGarbage({
    ...{ dryRun, keepsNewest, signal, pools, now, onProgress, onItem },
    store: target.collection,
    onRemoved: target.forget,
  })
  if (!dryRun) await target.deliveries.removeBefore(now - deliveryRetentionMs)
  const files = dryRun || signal.aborted ? undefined : await target.rewriteFiles?.()
  return {
    dryRun,
    ...collected,
    overflow: [...collected.overflow],
    files: files ?? noFiles,
    finished: collected.finished && !signal.aborted,
  }
}
