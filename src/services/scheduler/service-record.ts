import type { ServiceLevel } from '../../core/profile.ts'
import { serviceLevels } from './watch.ts'

/** How each service level was served: deadlines met and missed, and how late checks were done. */
export type ServiceRecord = {
  note(level: number, lateMs: number, met: boolean): void
  /** A due time that passed without a check, because the source's window closed first. */
  noteSkipped(level: number): void
  of(level: ServiceLevel): LevelRecord
}

export type LevelRecord = {
  met: number
  missed: number
  /** Of about the last 65,000 checks, within a tenth; 0 while there are none. */
  lateP50Ms: number
  lateP95Ms: number
}

/** Eight bins for each doubling, from one millisecond to some years. */
const BINS_PER_DOUBLING = 8
const BINS = 40 * BINS_PER_DOUBLING
/** When so many are counted all bins are halved: the past fades. */
const MAX_COUNTED = 65_536

export function createServiceRecord(): ServiceRecord {
  const met = new Float64Array(serviceLevels.length)
  const missed = new Float64Array(serviceLevels.length)
  const bins = serviceLevels.map(() => new Uint32Array(BINS))
  const counted = new Uint32Array(serviceLevels.length)

  function halve(level: number): void {
    const own = bins[level]!
    let left = 0
    for (let bin = 0; bin < BINS; bin++) {
      own[bin] = own[bin]! >> 1
      left += own[bin]!
    }
    counted[level] = left
  }

  function quantile(level: number, part: number): number {
    const rank = counted[level]! * part
    let seen = 0
    for (let bin = 0; bin < BINS; bin++) {
      seen += bins[level]![bin]!
      if (seen > 0 && seen >= rank) return bin === 0 ? 0 : 2 ** ((bin - 0.5) / BINS_PER_DOUBLING)
    }
    return 0
  }

  return {
    note(level, lateMs, isMet) {
      const count = isMet ? met : missed
      count[level] = count[level]! + 1
      const own = bins[level]!
      const bin = binOf(lateMs)
      own[bin] = own[bin]! + 1
      counted[level] = counted[level]! + 1
      if (counted[level]! >= MAX_COUNTED) halve(level)
    },
    noteSkipped(level) {
      missed[level] = missed[level]! + 1
    },
    of(name) {
      const level = serviceLevels.indexOf(name)
      return {
        met: met[level]!,
        missed: missed[level]!,
        lateP50Ms: quantile(level, 0.5),
        lateP95Ms: quantile(level, 0.95),
      }
    },
  }
}

function binOf(lateMs: number): number {
  if (lateMs < 1) return 0
  return Math.min(BINS - 1, 1 + Math.floor(Math.log2(lateMs) * BINS_PER_DOUBLING))
}
