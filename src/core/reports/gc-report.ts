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
  /** The rule that it falls under, as the configuration spells it; `*` for what no rule of its own is for. */
  source: string
  url: string
  n: number
  versionId: number
  /** Of its record in the archive. */
  bytes: number
}

export type GcCount = { versions: number; bytes: number }

export type GcSource = { source: string } & Record<GcReason, GcCount>

/** Sources whose size stays beyond its limit, for want of anything more that may go. */
export type GcOverflow = { source: string; bytes: number; maxBytes: number }

export type GcFiles = {
  rewritten: number
  removed: number
  /** By which the archive's files became shorter. */
  freedBytes: number
  /** Files that were to be rewritten and could not be. Bounded. */
  leftAlone: { file: string; message: string }[]
}

export type GcReport = {
  dryRun: boolean
  /** Versions looked at. */
  looked: number
  removed: GcCount
  dropped: GcCount
  reasons: Record<GcReason, GcCount>
  /** Those of which something goes. */
  sources: GcSource[]
  kept: Record<GcKeptReason, number>
  overflow: GcOverflow[]
  /** The first of what goes. */
  examples: GcItem[]
  files: GcFiles
  seconds: number
  /** False when it was interrupted; the next run goes on. */
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
