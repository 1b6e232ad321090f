import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { WatchCheck, WatchRow, WatchStore } from '../../store/contracts/watches.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { createOwnerSources, type OwnedSource, type OwnerList, watchesOf } from './owner-sources.ts'
import type { SourcePages } from './source-pages.ts'
import { changedAtFor, isFailing, isPaused, type SourceState, sinceOf, stateOf, troubleOf } from './source-state.ts'
import type { createSourceUnread, UnreadBySource } from './source-unread.ts'
import { messageOf, whyText } from './source-words.ts'
import { createWatchRows, type RowsById } from './watch-rows.ts'

/**
 * An owner's view of the sources in all their profiles. Everything here is a cache: the list of sources until the profile
 * base changes, rows of watches for some seconds, pages until something new is found.
 */
export type SourceService = {
  list(owner: string, filter: SourceFilter, page: { before: number | null; limit: number }): Promise<SourcePart>
  /** With its recent checks, newest first; null if it isn't the owner's. */
  detail(owner: string, id: number): Promise<(SourceView & { checks: WatchCheck[] }) | null>
  find(owner: string, id: number): Promise<OwnedSource | null>
  /** All that match a filter, or those of the ids that are the owner's. */
  select(owner: string, wanted: SourceFilter | { ids: readonly number[] }): Promise<OwnedSource[]>
  /** The ids of those that are feeds, as far as is known. */
  feedsAmong(sources: readonly OwnedSource[]): Promise<ReadonlySet<number>>
  /** Sources that need attention. */
  countFailing(owner: string): Promise<number>
  /** Only the state, for live events. */
  stateOf(owner: string, id: number): Promise<SourceState | null>
  /** Call when a check of the watch started or ended. */
  noteCheck(watch: number): void
  /** How many sources and profiles the owner has, and the keys of its watches. */
  held(owner: string): Promise<{ profiles: number; sources: number; keys: Set<string> }>
}

export type SourceFilter = { state: 'all' | 'unread' | 'failing' | 'paused'; profile?: string; q?: string }

export type SourceCounts = { all: number; unread: number; failing: number; paused: number; matching: number }

export type SourcePart = { items: SourceView[]; hasMore: boolean; counts: SourceCounts }

/** Times are milliseconds since 1970. */
export type SourceView = {
  source: OwnedSource
  title: string
  document: number | null
  state: SourceState
  message: string
  since: number | null
  failing: boolean
  lastCheckedAt: number | null
  lastChangedAt: number | null
  nextCheckAt: number | null
  why: string
  /** Estimated; null before the first check. */
  changesPerDay: number | null
  /** Mean delay from a change to the check that finds it; null if it isn't checked. */
  expectedDelayMs: number | null
  status: number
  outcome: string
  unread: number
}

export type SourceServiceDeps = {
  profiles: ProfileStore
  watches: WatchStore
  pages: SourcePages
  unread: ReturnType<typeof createSourceUnread>
  scheduler: Pick<Scheduler, 'snapshot'>
  clock: Clock
  /** URI schemes that can be watched. */
  schemes: readonly string[]
  isAdministrator(owner: string): Promise<boolean>
}

const MAX_CHECKS = 50
const AT_ONCE = 2000
const VIEWED_AT_ONCE = 5

const UNFOUND = 'failed: host-not-found'
const unfound = new Set(['skipped: address', 'failed: dns-not-found', 'failed: dns-failed'])

function outcomeOf(source: OwnedSource, row: WatchRow | undefined): string {
  const isAside = source.aside === 'scope' && troubleOf(source, row) === 'too-expensive'
  return isAside ? 'skipped: expression-too-expensive' : (row?.outcome ?? '')
}

/** The outcome of a check as its owner sees it. */
type Viewer = <T extends { outcome: string } | undefined>(row: T) => T

export function createSourceService(deps: SourceServiceDeps): SourceService {
  const { profiles, watches, pages, scheduler, clock } = deps
  const load = createOwnerSources(profiles, deps.schemes)
  const rows = createWatchRows(watches, clock)

  function unreadOf(owner: string, sources: OwnerList['byProfile'], known: RowsById): Promise<UnreadBySource> {
    return deps.unread.unreadOf(owner, sources, (watch) => known.get(watch)?.landed ?? '')
  }

  /** Only administrators may learn whether a name exists in a private network: to others it looks like one that doesn't exist. */
  async function viewerOf(owner: string): Promise<Viewer> {
    if (await deps.isAdministrator(owner)) return (row) => row
    return (row) => (row !== undefined && unfound.has(row.outcome) ? { ...row, outcome: UNFOUND } : row)
  }

  async function view(
    source: OwnedSource,
    row: WatchRow | undefined,
    { unread, neverNotified }: UnreadBySource,
  ): Promise<SourceView> {
    await noteVisit(source)
    const snapshot = scheduler.snapshot(source.watch)
    const { document, title, hasNoText } = await pages.of(row)
    const state = stateOf({ source, row, snapshot }, { hasNoText, neverNotified: neverNotified(source.profile.id) })
    const since = sinceOf(state, source, row)
    const nextAt = isPaused(source) ? null : (snapshot?.nextAt ?? null)
    return {
      source,
      title,
      document,
      state,
      message: messageOf(state, { source, row }),
      since,
      failing: isFailing(source, row),
      lastCheckedAt: row?.checkedAt || null,
      lastChangedAt: changedAtFor(source, row) || null,
      // Overdue means due now.
      nextCheckAt: nextAt === null ? null : Math.max(nextAt, clock.now()),
      why: isPaused(source) ? 'paused' : whyText(source, snapshot),
      changesPerDay: snapshot === undefined || snapshot.lastAt === null ? null : snapshot.changesPerDay,
      expectedDelayMs: nextAt === null || snapshot === undefined ? null : Math.round(snapshot.expectedDelayMs),
      status: row?.status ?? 0,
      outcome: outcomeOf(source, row),
      unread: unread.get(source.id) ?? 0,
    }
  }

  /** Completing a first visit doesn't change the profile, so it has to be looked up. */
  async function noteVisit(source: OwnedSource): Promise<void> {
    if (source.visitedAt === 0) source.visitedAt = (await profiles.findUrd(source.id))?.visitedAt ?? 0
  }

  async function matching(
    sources: readonly OwnedSource[],
    filter: SourceFilter,
    known: RowsById,
    { unread }: UnreadBySource,
  ) {
    const word = filter.q?.trim().toLowerCase() ?? ''
    if (word !== '') await pages.ofAll(sources.map(({ watch }) => known.get(watch)))
    const found: OwnedSource[] = []
    for (const [n, source] of sources.entries()) {
      if (n % AT_ONCE === AT_ONCE - 1) await turn()
      if (filter.profile !== undefined && source.profile.id !== filter.profile) continue
      if (filter.state === 'paused' && !isPaused(source)) continue
      if (filter.state === 'failing' && !isFailing(source, known.get(source.watch))) continue
      if (filter.state === 'unread' && !unread.has(source.id)) continue
      if (word === '' || hasWord(source, word)) found.push(source)
    }
    return found
  }

  function hasWord({ uri, profile, watch }: OwnedSource, word: string): boolean {
    if (uri.toLowerCase().includes(word) || profile.name.toLowerCase().includes(word)) return true
    return pages.known(watch)?.title.toLowerCase().includes(word) === true
  }

  async function find(owner: string, id: number): Promise<OwnedSource | null> {
    return (await load(owner)).byId.get(id) ?? null
  }

  async function viewOf(owner: string, id: number): Promise<SourceView | null> {
    const source = await find(owner, id)
    if (source === null) return null
    const known = await rows.now([source.watch])
    const { profile } = source
    const siblings = new Map([[profile.id, (await load(owner)).byProfile.get(profile.id) ?? []]])
    const asSeen = await viewerOf(owner)
    return view(source, asSeen(known.get(source.watch)), await unreadOf(owner, siblings, known))
  }

  /** Without unread counts, because it runs with every check. */
  async function quickState(owner: string, id: number): Promise<SourceState | null> {
    const source = await find(owner, id)
    if (source === null) return null
    await noteVisit(source)
    const asSeen = await viewerOf(owner)
    const row = asSeen((await rows.now([source.watch])).get(source.watch))
    const { hasNoText } = await pages.of(row)
    const neverNotified = source.process === 'filter' && (await deps.unread.neverNotified(owner, source.profile.id))
    return stateOf({ source, row, snapshot: scheduler.snapshot(source.watch) }, { hasNoText, neverNotified })
  }

  return {
    find,
    async list(owner, filter, { before, limit }) {
      const { sources, byProfile, watches: all } = await load(owner)
      const known = await rows.roughly(all)
      const inbox = await unreadOf(owner, byProfile, known)
      const found = await matching(sources, filter, known, inbox)
      const rest = before === null ? found : found.filter(({ id }) => id < before)
      const shown = rest.slice(0, limit)
      const fresh = await rows.now(watchesOf(shown))
      const asSeen = await viewerOf(owner)
      const items = await mapConcurrent(shown, VIEWED_AT_ONCE, (source) =>
        view(source, asSeen(fresh.get(source.watch)), inbox),
      )
      const counts = {
        all: sources.length,
        unread: inbox.unread.size,
        failing: sources.filter((source) => isFailing(source, known.get(source.watch))).length,
        paused: sources.filter(isPaused).length,
        matching: found.length,
      }
      return { items, hasMore: rest.length > limit, counts }
    },
    async detail(owner, id) {
      const found = await viewOf(owner, id)
      if (found === null) return null
      const asSeen = await viewerOf(owner)
      return { ...found, checks: (await watches.checks(found.source.watch, MAX_CHECKS)).map((check) => asSeen(check)) }
    },
    async select(owner, wanted) {
      const { sources, byId, byProfile, watches: all } = await load(owner)
      if ('ids' in wanted) return [...new Set(wanted.ids)].flatMap((id) => byId.get(id) ?? [])
      const known = await rows.roughly(all)
      return matching(sources, wanted, known, await unreadOf(owner, byProfile, known))
    },
    async feedsAmong(sources) {
      const known = await rows.roughly(watchesOf(sources))
      await pages.ofAll(known.values())
      return new Set(sources.filter(({ watch }) => pages.known(watch)?.isFeed === true).map(({ id }) => id))
    },
    async countFailing(owner) {
      const { sources, watches: all } = await load(owner)
      const known = await rows.roughly(all)
      return sources.filter((source) => isFailing(source, known.get(source.watch))).length
    },
    stateOf: quickState,
    noteCheck: rows.forget,
    async held(owner) {
      const { sources, watches: all } = await load(owner)
      const known = await rows.roughly(all)
      const profiles = new Set(sources.map(({ profile }) => profile.id)).size
      return { profiles, sources: sources.length, keys: new Set(all.flatMap((watch) => known.get(watch)?.key ?? [])) }
    },
  }
}
