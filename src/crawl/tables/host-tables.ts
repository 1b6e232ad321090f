import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { FrontierStore, KeptTables } from '../../store/contracts/frontier.ts'

/**
 * Which origins offer tables beside their documents. An origin is
 * - `unknown`: nothing is known of it, or not any more. Its pages are counted, and one that comes after enough of them is used for a probe;
 * - `offered`: the probe, or an earlier one that the store remembers, found a table;
 * - `none`: it found none, or tables proved wrong or were missing too often. The store remembers that too, until it expires.
 */
export type HostTables = {
  /** What is known now; counts the page that asks, and whether connections are idle beside it. Null where the store is still asked. */
  of(origin: string, isIdle?: boolean): TableState | null
  isOffered(origin: string): boolean
  /** Waits for the store, where that makes a difference. */
  load(origin: string): Promise<TableState>
  /** Whether the page that asks is the one for the probe, for its links or its volatile parts. True once for each origin. */
  mayProbe(origin: string, forLinks?: boolean): boolean
  /** What came of a table, the one of the probe included. */
  note(origin: string, result: TableResult): Promise<void>
}

export type TableState = 'unknown' | 'offered' | 'none'

/** `wrong`: it was not a table, or not of the document as it is; `late`: its page came first. */
export type TableResult = 'found' | 'right' | 'missing' | 'wrong' | 'late'

export type HostTablesOptions = {
  store: Pick<FrontierStore, 'loadTables' | 'saveTables'>
  clock: Pick<Clock, 'now'>
  /** Pages of an origin before it is probed. */
  probeAfter: number
  /** Pages in a row with idle connections before a table of links is worth a probe; none if nothing is said. */
  idleBefore?: number
}

type Entry = {
  state: TableState
  expiresAt: number
  pages: number
  /** The last so many began while connections were idle. */
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
/** Wrong tables after which those of a host are not used any more, if they are also more than a few in a hundred. */
const MAX_WRONG = 3
const RIGHT_FOR_WRONG = 20
/** How many more tables may be missing than were found. */
const MAX_MISSING = 8
/** How many more may come too late than twice those that were found. */
const MAX_LATE = 16
const MAX_ORIGINS = 10_000
const noCounts: Record<TableResult, number> = { found: 0, right: 0, missing: 0, wrong: 0, late: 0 }

export function createHostTables({ store, clock, probeAfter, idleBefore = 0 }: HostTablesOptions): HostTables {
  // A Map remembers the order of insertion: the first key is the one used longest ago.
  const entries = new Map<string, Entry>()

  function entryOf(origin: string): Entry {
    let entry = entries.get(origin)
    if (entry === undefined) {
      entry = {
        ...{
          state: 'unknown',
          expiresAt: Number.POSITIVE_INFINITY,
          pages: 0,
          idle: 0,
          isProbed: false,
          isProbedForParts: false,
          loading: null,
        },
        ...{ isLoaded: false, counts: { ...noCounts } },
      }
      if (entries.size >= MAX_ORIGINS) for (const oldest of entries.keys()) if (entries.delete(oldest)) break
    } else {
      entries.delete(origin)
      if (entry.expiresAt <= clock.now()) forget(entry)
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

  /** A store that can't be asked now has forgotten: one more probe is all that costs. */
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
      // Most hosts of a wide crawl have one page; nothing is asked for those.
      if (entry.pages > 1) loadEntry(origin, entry).catch(() => {}) // asked again by who waits for it
      return null
    },
    isOffered: (origin) => entries.get(origin)?.state === 'offered',
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
      // It depends on what else the host does: nothing to remember for long.
      if (counts.late > MAX_LATE + 2 * counts.found) entry.state = 'none'
      if (isWrong || counts.missing >= MAX_MISSING + counts.found) await become(origin, entry, 'wrong')
    },
  }
}
