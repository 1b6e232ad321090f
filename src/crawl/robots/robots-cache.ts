import type { Clock } from '../../core/clock.ts'
import type { RobotsRules } from './robots-rules.ts'
import type { RobotsVerdict } from './robots-verdict.ts'

/**
 * Rules per origin, bounded in number and in bytes; the origin that was asked about longest ago goes first.
 *
 * An entry is fresh until its verdict expires, then expired: its rules still stand until new ones were fetched, so that a host can be
 * crawled on while its file is read again. An origin that was pushed out is missing, as one that was never asked.
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

type Entry = { lookup: Exclude<RobotsLookup, { kind: 'missing' }>; expiresAt: number; bytes: number }

const entryOverheadBytes = 300
const missing: RobotsLookup = { kind: 'missing' }

export function createRobotsCache({ maxEntries, maxBytes, clock }: RobotsCacheOptions): RobotsCache {
  // A Map remembers the order of insertion: the first key is the one used longest ago.
  const entries = new Map<string, Entry>()
  let bytes = 0

  function drop(origin: string): void {
    const entry = entries.get(origin)
    if (entry === undefined) return
    entries.delete(origin)
    bytes -= entry.bytes
  }

  function makeRoom(): void {
    for (const origin of entries.keys()) {
      if (entries.size <= maxEntries && bytes <= maxBytes) return
      drop(origin)
    }
  }

  return {
    get(origin) {
      const entry = entries.get(origin)
      if (entry === undefined) return missing
      entries.delete(origin)
      entries.set(origin, entry)
      if (entry.lookup.kind === 'fresh' && clock.monotonic() >= entry.expiresAt) {
        entry.lookup = { ...entry.lookup, kind: 'expired' }
      }
      return entry.lookup
    },
    set(origin, { kind, rules, expiresInMs }) {
      drop(origin)
      const size = entryOverheadBytes + origin.length + (kind === 'rules' ? rules.sizeBytes : 0)
      const lookup = { kind: 'fresh', rules, verdict: kind } as const
      entries.set(origin, { lookup, expiresAt: clock.monotonic() + expiresInMs, bytes: size })
      bytes += size
      makeRoom()
    },
    get size() {
      return entries.size
    },
    get bytes() {
      return bytes
    },
  }
}
