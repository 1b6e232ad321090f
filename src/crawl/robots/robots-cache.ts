import type { Clock } from '../../core/clock.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import type { RobotsRules } from './robots-rules.ts'
import type { RobotsVerdict } from './robots-verdict.ts'

/**
 * LRU cache of rules per origin, bounded in entries and in bytes.
 *
 * An entry is fresh until its verdict expires, then expired: its rules stay in force until new ones have been fetched, so that the crawl
 * of a host can continue in the meantime. An evicted origin is missing, like one that was never asked.
 */
export type RobotsLookup =
  | { kind: 'fresh' | 'expired'; rules: RobotsRules; verdict: RobotsVerdict['kind'] }
  | { kind: 'missing' }

export type RobotsCache = {
  get(origin: string): RobotsLookup
  set(origin: string, verdict: RobotsVerdict): void
  readonly size: number
  readonly bytes: number
}

export type RobotsCacheOptions = { maxEntries: number; maxBytes: number; clock: Clock }

type Entry = { lookup: Exclude<RobotsLookup, { kind: 'missing' }>; expiresAt: number }

const entryOverheadBytes = 300
const missing: RobotsLookup = { kind: 'missing' }

export function createRobotsCache({ maxEntries, maxBytes, clock }: RobotsCacheOptions): RobotsCache {
  const entries = createRecentMap<string, Entry>({ maxEntries, maxWeight: maxBytes })

  return {
    get(origin) {
      const entry = entries.get(origin)
      if (entry === undefined) return missing
      if (entry.lookup.kind === 'fresh' && clock.monotonic() >= entry.expiresAt) {
        entry.lookup = { ...entry.lookup, kind: 'expired' }
      }
      return entry.lookup
    },
    set(origin, { kind, rules, expiresInMs }) {
      const bytes = entryOverheadBytes + origin.length + (kind === 'rules' ? rules.sizeBytes : 0)
      const lookup = { kind: 'fresh', rules, verdict: kind } as const
      entries.set(origin, { lookup, expiresAt: clock.monotonic() + expiresInMs }, bytes)
    },
    get size() {
      return entries.size
    },
    get bytes() {
      return entries.weight
    },
  }
}
