import type { LastCollection } from '../../core/reports/gc-report.ts'

/**
 * The last garbage collection, by the service or by `erace gc`. Written only by the holder of the collector's lock. A run that stays
 * `running` was killed, and the next one continues its work.
 */
export type CollectionRunStore = {
  last(): Promise<CollectionRun | null>
  put(run: CollectionRun): Promise<void>
}

export type CollectionRun = {
  startedAt: number
  /** 0 while it runs. */
  tookMs: number
  state: LastCollection['state']
  /** Number of versions removed or left without a body. */
  versions: number
  /** Size of their records. */
  bytes: number
  /** Bytes freed on disk: one rewritten file may free records of several runs. */
  freedBytes: number
  /** Why it failed; otherwise empty. */
  error: string
}

/** Converts it for display. */
export function lastCollectionOf(run: CollectionRun | null): LastCollection | null {
  if (run === null) return null
  const { startedAt, tookMs, error, ...rest } = run
  return {
    startedAt: new Date(startedAt).toISOString(),
    ...rest,
    seconds: tookMs / 1000,
    error: error === '' ? null : error,
  }
}
