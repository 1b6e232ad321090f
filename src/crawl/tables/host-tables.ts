import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import type { FrontierStore, KeptTables } from '../../store/contracts/frontier.ts'

/**
 * Tracks which origins offer tables along with their documents. An origin is
 * - `unknown`: nothing is known about it (any more). Its pages are counted, and after enough of them one is used for a probe;
 * - `offered`: the probe, or an earlier one that the store remembers, found a table;
 * - `none`: the probe found none, or tables were wrong or missing too often. The store remembers that too, until it expires.
 */
export type HostTables = {
  /** The current state; counts the page, and whether connections were idle meanwhile. Null while the store hasn't answered yet. */
  of(origin: string, isIdle?: boolean): TableState | null
  isOffered(origin: string): boolean
  /** The state once the store has answered. */
  load(origin: string): Promise<TableState>
  /** Whether this page is used for the probe, for links or for volatile parts. True once for each origin and kind. */
  mayProbe(origin: string, forLinks?: boolean): boolean
  /** Notes the result of fetching a table, including that of the probe. */
  note(origin: string, result: TableResult): Promise<void>
}

export type TableState = 'unknown' | 'offered' | 'none'

/** `wrong`: not a table, or not of the current document; `late`: its page came first. */
export type TableResult = 'found' | 'right' | 'missing' | 'wrong' | 'late'

export type HostTablesOptions = {
  store: Pick<FrontierStore, 'loadTables' | 'saveTables'>
  clock: Pick<Clock, 'now'>
  /** Pages of an origin before it is probed. */
  probeAfter: number
  /** Consecutive pages with idle connections before a table of links is worth a probe; 0 by default. */
  idleBefore?: number
}

type Entry = {
  state: TableState
  expiresAt: number
  pages: number
  /** Consecutive pages that began while connections were idle. */
  idle: number
  isProbed: boolean
  isProbedForParts: boolean
  loading: Promise<TableState> | null
  isLoaded: boolean
  counts: Record<TableResult, number>
}

const DAY_MS = 86_400_000
const KEPT_MS = { offered: 7 * DAY_MS, none: 7 * DAY_MS, wrong: 30 * DAY_MS } satisfies Record<
  KeptTables['kind'],
  number
>
/** Wrong tables after which the tables of a host are no longer used, if there are also fewer than `RIGHT_FOR_WRONG` right ones for each. */
const MAX_WRONG = 3
const RIGHT_FOR_WRONG = 20
/** Excess of missing tables over found ones at which tables are no longer used. */
const MAX_MISSING = 8
/** Maximum excess of late tables over twice the found ones. */
const MAX_LATE = 16
const MAX_ORIGINS = 10_000
const noCounts: Record<TableResult, number> = { found: 0, right: 0, missing: 0, wrong: 0, late: 0 }

export function createHostTables({ store, clock, probeAfter, idleBefore = 0 }: HostTablesOptions): HostTables {
  const entries = createRecentMap<string, Entry>({ maxEntries: MAX_ORIGINS })

  function entryOf(origin: string): Entry {
    const kept = entries.get(origin)
    if (kept !== undefined) {
      if (kept.expiresAt <= clock.now()) forget(kept)
      return kept
    }
    const entry: Entry = {
      state: 'unknown',
      expiresAt: Number.POSITIVE_INFINITY,
      pages: 0,
      idle: 0,
      isProbed: false,
      isProbedForParts: false,
      loading: null,
      isLoaded: false,
      counts: { ...noCounts },
    }
    entries.set(origin, entry)
    return entry
  }

  function forget(entry: Entry): void {
    entry.state = 'unknown'
    entry.expiresAt = Number.POSITIVE_INFINITY
    entry.isProbed = false
    entry.isProbedForParts = false
    entry.counts = { ...noCounts }
  }

  function loadEntry(origin: string, entry: Entry): Promise<TableState> {
    entry.loading ??= remembered(origin).then((kept) => {
      entry.isLoaded = true
      entry.loading = null
      if (kept !== null && kept.expiresAt > clock.now() && entry.state === 'unknown') {
        entry.state = kept.kind === 'offered' ? 'offered' : 'none'
        entry.expiresAt = kept.expiresAt
      }
      return entry.state
    })
    return entry.loading
  }

  /** Treats a store that can't be reached now as empty: that only costs one more probe. */
  async function remembered(origin: string): Promise<KeptTables | null> {
    try {
      return await store.loadTables(origin)
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') throw error
      return null
    }
  }

  async function become(origin: string, entry: Entry, kind: KeptTables['kind']): Promise<void> {
    entry.state = kind === 'offered' ? 'offered' : 'none'
    entry.expiresAt = clock.now() + KEPT_MS[kind]
    try {
      await store.saveTables(origin, { kind, expiresAt: entry.expiresAt })
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') throw error
    }
  }

  return {
    of(origin, isIdle = false) {
      const entry = entryOf(origin)
      entry.pages++
      entry.idle = isIdle ? entry.idle + 1 : 0
      if (entry.isLoaded) return entry.state
      // Most hosts of a wide crawl have one page: the store isn't asked for those.
      if (entry.pages > 1) loadEntry(origin, entry).catch(() => {}) // `load` reports errors
      return null
    },
    isOffered: (origin) => entries.peek(origin)?.state === 'offered',
    async load(origin) {
      const entry = entryOf(origin)
      return entry.isLoaded ? entry.state : loadEntry(origin, entry)
    },
    mayProbe(origin, forLinks = true) {
      const entry = entryOf(origin)
      const probed = forLinks ? 'isProbed' : 'isProbedForParts'
      if (entry[probed] || entry.state !== 'unknown' || entry.pages <= probeAfter) return false
      if (forLinks && entry.idle < idleBefore) return false
      entry[probed] = true
      return true
    },
    async note(origin, result) {
      const entry = entryOf(origin)
      const { counts } = entry
      counts[result]++
      if (entry.state === 'unknown') {
        if (result === 'found') await become(origin, entry, 'offered')
        else if (result === 'missing' || result === 'wrong') await become(origin, entry, 'none')
        return
      }
      if (entry.state === 'none') return
      const isWrong = counts.wrong >= MAX_WRONG && counts.wrong * RIGHT_FOR_WRONG > counts.right
      // Lateness depends on what else the host does, so it isn't stored.
      if (counts.late > MAX_LATE + 2 * counts.found) entry.state = 'none'
      if (isWrong || counts.missing >= MAX_MISSING + counts.found) await become(origin, entry, 'wrong')
    },
  }
}
