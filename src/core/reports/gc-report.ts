/** Why something is removed: superseded for too long, too many newer versions, too many bytes, or needed by no profile. */
export type GcReason = 'age' | 'versions' | 'size' | 'unwanted'
export const gcReasons: readonly GcReason[] = ['age', 'versions', 'size', 'unwanted']

/**
 * Why something is kept that would otherwise be removed: a recipient has not retrieved it yet, another version shares its
 * body, its record can't be read, or it became current or needed in the meantime.
 */
export type GcKeptReason = 'held' | 'shared' | 'damaged' | 'changed'

/** `remove`: the whole version; `drop`: only its body, the metadata stays. */
export type GcAction = 'remove' | 'drop'

export type GcItem = {
  action: GcAction
  reason: GcReason
  /** The rule that applies, as spelled in the configuration; `*` if there is no specific rule. */
  source: string
  url: string
  n: number
  versionId: number
  /** Size of its archive record. */
  bytes: number
}

export type GcCount = { versions: number; bytes: number }

export type GcSource = { source: string } & Record<GcReason, GcCount>

/** Sources that stay above their size limit because nothing more may be removed. */
export type GcOverflow = { source: string; bytes: number; maxBytes: number }

export type GcFiles = {
  rewritten: number
  removed: number
  /** Bytes by which the archive's files shrank. */
  freedBytes: number
  /** Files that should have been rewritten but could not be. Bounded. */
  leftAlone: { file: string; message: string }[]
}

export type GcReport = {
  dryRun: boolean
  /** Versions examined. */
  looked: number
  removed: GcCount
  dropped: GcCount
  reasons: Record<GcReason, GcCount>
  /** Only sources from which something is removed. */
  sources: GcSource[]
  kept: Record<GcKeptReason, number>
  overflow: GcOverflow[]
  /** The first items to be removed. */
  examples: GcItem[]
  files: GcFiles
  seconds: number
  /** False if interrupted; the next run continues. */
  finished: boolean
}

/** The last collection, by the service or by `erace gc`. One that stays `running` was killed; the next continues it. */
export type LastCollection = {
  /** ISO 8601, UTC. */
  startedAt: string
  state: 'running' | 'finished' | 'interrupted' | 'failed'
  seconds: number
  versions: number
  bytes: number
  freedBytes: number
  error: string | null
}

export type GcProgress =
  | { kind: 'measuring' | 'looking'; looked: number; going: number; bytes: number }
  | { kind: 'rewriting'; file: number; files: number; freedBytes: number }
