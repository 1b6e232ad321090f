import type { ServiceLevel } from '../../core/profile.ts'
import { serviceLevels } from './watch.ts'

/** How each service level was served: deadlines met and missed, and how late checks were done. */
export type ServiceRecord = {
  note(level: ServiceLevel, lateMs: number, met: boolean): void
  /** A due time that passed without a check, because the source's window closed first. */
  noteSkipped(level: ServiceLevel): void
  of(level: ServiceLevel): LevelRecord
}

export type LevelRecord = {
  met: number
  missed: number
  /** Over about the last 65,000 checks, accurate to a tenth; 0 if there are none. */
  lateP50Ms: number
  lateP95Ms: number
}

/** Logarithmic histogram: eight bins per doubling, from one millisecond to some years. */
const BINS_PER_DOUBLING = 8
const BINS = 40 * BINS_PER_DOUBLING
/** At this count all bins are halved, so that the past fades. */
const MAX_COUNTED = 65_536

export function createServiceRecord(): ServiceRecord {
  const levels = new Map(serviceLevels.map((level) => [level, { met: 0, missed: 0, counted: 0, bins: emptyBins() }]))
  return {
    note(name, lateMs, isMet) {
      const level = levels.get(name)!
      if (isMet) level.met++
      else level.missed++
      level.bins[binOf(lateMs)]!++
      level.counted++
      if (level.counted < MAX_COUNTED) return
      level.bins = level.bins.map((count) => count >> 1)
      level.counted = level.bins.reduce((sum, count) => sum + count, 0)
    },
    noteSkipped(name) {
      levels.get(name)!.missed++
    },
    of(name) {
      const { met, missed, counted, bins } = levels.get(name)!
      return { met, missed, lateP50Ms: quantile(bins, counted * 0.5), lateP95Ms: quantile(bins, counted * 0.95) }
    },
  }
}

function emptyBins(): number[] {
  return Array.from({ length: BINS }, () => 0)
}

function quantile(bins: readonly number[], rank: number): number {
  let seen = 0
  for (const [bin, count] of bins.entries()) {
    seen += count
    if (seen > 0 && seen >= rank) return bin === 0 ? 0 : 2 ** ((bin - 0.5) / BINS_PER_DOUBLING)
  }
  return 0
}

function binOf(lateMs: number): number {
  if (lateMs < 1) return 0
  return Math.min(BINS - 1, 1 + Math.floor(Math.log2(lateMs) * BINS_PER_DOUBLING))
}
