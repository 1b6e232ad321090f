import type { LastCollection } from '../../core/reports/gc-report.ts'

/**
 * The last garbage collection, by the service or by `erace gc`. Written by the holder of the collector's lock alone. A run that stays
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
  /** Versions that were removed or left without a body. */
  versions: number
  /** Of their records. */
  bytes: number
  /** By which files became shorter: records of several runs may go with one file. */
  freedBytes: number
  /** Why it failed; otherwise empty. */
  error: string
}

/** As it is shown. */
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
