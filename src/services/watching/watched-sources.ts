import { setImmediate as turn } from 'node:timers/promises'
import type { CrawlScope } from '../../core/check-order.ts'
import { type Aspect, type Profile, type ServiceLevel, watchedUri } from '../../core/profile.ts'
import { hostKey } from '../../core/url/partition.ts'
import { schemeOf } from '../../fetchers/fetcher.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { WatchRow, WatchStore } from '../../store/contracts/watches.ts'
import { eachProfile } from '../profiles/profile-import.ts'
import { createProfileMirror, type MirroredProfile, type ProfileChanges } from '../profiles/profile-mirror.ts'
import { familyOf, supportOf } from '../profiles/protocols.ts'
import { type Coalescer, createCoalescer, forwardTouched, type WatchTarget } from '../scheduler/urds/coalesce.ts'
import { groupsOf } from '../scheduler/value/priors.ts'
import type { WatchState } from '../scheduler/watch.ts'

export type WatchedSourcesDeps = {
  profiles: ProfileStore
  watches: Pick<WatchStore, 'find'>
  /** URI schemes that can be watched. */
  schemes: readonly string[]
  levelOf(owner: string): ServiceLevel
  /** Owners whose level changed since the last call; omitted if levels do not change. */
  changedLevels?: (() => Promise<string[]>) | undefined
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Batch size for reading rows. */
const AT_ONCE = 2000

const onlyPage = { scope: { kind: 'page' }, depth: 0 } as const

/**
 * The watched sources of the profile base: every source of every profile is a URD, and URDs of the same source form one watch. Read
 * on demand; nothing is written. Only watches with an owner are in memory: a store keeps the others too, and over the years they may
 * become the majority.
 */
export type WatchedSources = ReturnType<typeof createWatchedSources>

export function createWatchedSources(deps: WatchedSourcesDeps) {
  const { profiles, watches } = deps
  const mirror = createProfileMirror(profiles)
  const coalescer: Coalescer = createCoalescer()
  const rows = new Map<number, WatchRow>()
  /** Watches whose rows have to be read, because a profile with them is new or has changed. */
  const unread = new Set<number>()
  /** Owners whose new level still has to be applied. */
  const promoted = new Set<string>()
  const urdsOf = new Map<string, number[]>()
  /** URDs whose first visit is still to come. */
  const unvisited = new Set<number>()
  /** URDs whose selectors haven't been tried yet. */
  const unselected = new Set<number>()
  /** Watches with new owners or new selectors since `takeJoined`. */
  const joined = new Set<number>()
  /** By URD, as owners of one watch may spell its URI differently. */
  const uriOf = new Map<number, string>()
  /** URDs that ask for push. */
  const pushed = new Set<number>()
  /** By URD, if it asks for more than text and links. */
  const aspectsOf = new Map<number, readonly Aspect[]>()

  function put({ profile, urds }: MirroredProfile): void {
    const before = new Set(urdsOf.get(profile.id))
    for (const urd of urds) {
      before.delete(urd.id)
      const source = profile.sources[urd.place]!
      uriOf.set(urd.id, watchedUri(profile.owner, source))
      const further = source.aspects.filter((aspect) => aspect !== 'text' && aspect !== 'links')
      if (further.length > 0) aspectsOf.set(urd.id, further)
      else aspectsOf.delete(urd.id)
      if (source.method === 'push') pushed.add(urd.id)
      else pushed.delete(urd.id)
      const support = supportOf(source.uri, deps.schemes)
      if (support.kind !== 'supported') {
        deps.onProblem('a source cannot be watched', { profile: profile.id, uri: source.uri, why: support.message })
        continue
      }
      if (urd.visitedAt === 0) unvisited.add(urd.id)
      if (source.select.length > 0 && urd.selected === '') unselected.add(urd.id)
      else unselected.delete(urd.id)
      // A source with a time window waits for it.
      if ((urd.visitedAt === 0 || unselected.has(urd.id)) && source.window === null) joined.add(urd.watch)
      try {
        const paused = profile.paused || urd.paused
        // A scope that takes too much work isn't followed until its owner changes it.
        const reach = urd.aside === 'scope' ? onlyPage : {}
        coalescer.put({ ...urdOf(profile, source.uri), ...source, ...reach, id: urd.id, watch: urd.watch, paused })
        unread.add(urd.watch)
      } catch (error) {
        deps.onProblem('a source cannot be watched', { profile: profile.id, uri: source.uri, error: String(error) })
      }
    }
    for (const id of before) drop(id)
    urdsOf.set(
      profile.id,
      urds.map(({ id }) => id),
    )
  }

  function urdOf(profile: Profile, uri: string) {
    const { owner, urgency } = profile
    const host = familyOf(schemeOf(uri)) === 'web' ? hostKey(uri) : (URL.parse(uri)?.host ?? '')
    return { owner, urgency, level: deps.levelOf(owner), host, groups: groupsOf(uri) }
  }

  function drop(urd: number): void {
    coalescer.remove(urd)
    unvisited.delete(urd)
    unselected.delete(urd)
    uriOf.delete(urd)
    pushed.delete(urd)
    aspectsOf.delete(urd)
  }

  async function takeLevels(owners: Iterable<string>): Promise<void> {
    for (const owner of owners)
      for await (const profile of eachProfile(profiles, owner))
        if (urdsOf.has(profile.id)) put({ profile, urds: await profiles.urdsOf(profile.id) })
  }

  function takeProfiles(changes: ProfileChanges): void {
    for (const id of changes.removed) {
      for (const urd of urdsOf.get(id) ?? []) drop(urd)
      urdsOf.delete(id)
    }
    for (const each of changes.changed) put(each)
  }

  /** Skips watches without an owner. */
  async function read(watchIds: Iterable<number>): Promise<WatchRow[]> {
    const ids = [...watchIds].filter(coalescer.has)
    const found: WatchRow[] = []
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      if (at > 0) await turn()
      for (const row of await watches.find(ids.slice(at, at + AT_ONCE))) {
        rows.set(row.id, row)
        found.push(row)
      }
    }
    return found
  }

  return {
    coalescer,
    /** As of the last refresh; the watch service updates them. */
    rows,
    /** Reads the rows of these watches again; null for all. Returns those that exist and have an owner. */
    reread: (ids: readonly number[] | null): Promise<WatchRow[]> => read(ids ?? rows.keys()),
    /** Returns null if the base hasn't changed, otherwise the rows read because of it. After a failure the next call does the rest. */
    async refresh(): Promise<WatchRow[] | null> {
      for (const owner of (await deps.changedLevels?.()) ?? []) promoted.add(owner)
      const changes = await mirror.refresh()
      if (changes !== null) takeProfiles(changes)
      if (changes === null && promoted.size === 0 && unread.size === 0) return null
      await takeLevels(promoted)
      promoted.clear()
      const found = await read(unread)
      unread.clear()
      return found
    },
    /** Brings a scheduler up to date. Watches that have lost their last owner are forgotten. */
    forward(target: WatchTarget): void {
      forwardTouched(coalescer, {
        set: target.set,
        remove(id) {
          rows.delete(id)
          target.remove(id)
        },
      })
    },
    takeJoined(): number[] {
      const taken = [...joined]
      joined.clear()
      return taken
    },
    crawlScopeOf(watch: number): CrawlScope {
      const sources = coalescer.urdsOf(watch).map(({ id, scope, owner }) => {
        return { uri: uriOf.get(id)!, scope, ...(scope.kind === 'pattern' ? { owner } : {}) }
      })
      const distinct = new Map(sources.map((source) => [JSON.stringify(source), source]))
      const asked = new Set(
        coalescer.urdsOf(watch).flatMap(({ id, paused }) => (paused ? [] : (aspectsOf.get(id) ?? []))),
      )
      return { watch, sources: [...distinct.values()], ...(asked.size > 0 && { aspects: [...asked].sort() }) }
    },
    /** The URI at which to listen for news of a watch; null if no owner asks for push. */
    listenedUri(watch: number): string | null {
      const asking = coalescer.urdsOf(watch).find(({ id, paused }) => !paused && pushed.has(id))
      return asking === undefined ? null : uriOf.get(asking.id)!
    },
    /** The URDs of a watch with this expression. */
    withExpression: (watch: number, expression: string): number[] =>
      coalescer
        .urdsOf(watch)
        .flatMap(({ id, scope }) => (scope.kind === 'pattern' && scope.source === expression ? [id] : [])),
    /** URDs whose first visit is the next check. A paused one has it when resumed. */
    unvisitedOf: (watch: number): number[] =>
      coalescer.urdsOf(watch).flatMap(({ id, paused }) => (!paused && unvisited.has(id) ? [id] : [])),
    /** Whether the next check has to try new selectors, even if nothing has changed. */
    hasUnselected: (watch: number): boolean =>
      coalescer.urdsOf(watch).some(({ id, paused }) => !paused && unselected.has(id)),
    /** Whether an owner without a time window waits for a first visit, other than those the last check was for. */
    hasNewcomer: (watch: number, tried: readonly number[]): boolean =>
      coalescer.urdsOf(watch).some(({ id, window }) => unvisited.has(id) && window === null && !tried.includes(id)),
    noteVisited(urds: readonly number[]): void {
      for (const urd of urds) unvisited.delete(urd)
    },
    /** The URDs of a watch with their owners, paused ones included. */
    ownersOf: (watch: number): { id: number; owner: string }[] =>
      coalescer.urdsOf(watch).map(({ id, owner }) => ({ id, owner })),
    /** The state of the scheduler after the last check. */
    savedState(watch: number): WatchState | undefined {
      const state = rows.get(watch)?.state ?? ''
      return state === '' ? undefined : (JSON.parse(state) as WatchState)
    },
  }
}
