import { setImmediate as turn } from 'node:timers/promises'
import { type Profile, type Source, watchedUri } from '../../core/profile.ts'
import type { AsideKind, ProfileStore, SelectedState, UrdRow } from '../../store/contracts/profiles.ts'
import { supportOf } from '../profiles/protocols.ts'

/** One source of one profile of one owner: the part that doesn't change with every check. */
export type OwnedSource = Pick<Source, 'uri' | 'everyMs' | 'depth' | 'scope' | 'process' | 'select'> & {
  /** The id of its URD. */
  id: number
  watch: number
  /** The URI of its watch, which includes how to request it. */
  watchedUri: string
  host: string
  profile: { id: string; name: string }
  isProfilePaused: boolean
  /** Why it can't be watched; null if it can. */
  unsupported: string | null
  paused: boolean
  muted: boolean
  /** Which of its expressions take too much work, if any, and the page where that happened. */
  aside: AsideKind | ''
  asideUrl: string
  selected: SelectedState
  selectedSince: number
  /** As of the last read; never changes once it is not 0. */
  visitedAt: number
}

/** Newest first. */
export type OwnerList = {
  sources: readonly OwnedSource[]
  byId: ReadonlyMap<number, OwnedSource>
  byProfile: ReadonlyMap<string, readonly OwnedSource[]>
  /** Of all sources, without duplicates. */
  watches: readonly number[]
}

type Kept = OwnerList & { revision: number; byProfile: Map<string, OwnedSource[]> }

/** A read under way, and the one that follows it for calls that came meanwhile. */
type Loading = { current: Promise<Kept>; next: Promise<Kept> | null }

const PAGE = 200
/** After more changes than this since the last read, everything is read again. */
const MAX_CHANGES = 500

/**
 * The sources of each owner, cached until the profile base changes; then only the changes are read. The least recently used
 * owners are evicted when too many sources are in memory.
 */
export function createOwnerSources(
  profiles: Pick<ProfileStore, 'revision' | 'stamps' | 'list' | 'find' | 'urdsOf'>,
  schemes: readonly string[],
  maxSources = 200_000,
): (owner: string) => Promise<OwnerList> {
  const owners = new Map<string, Kept>()
  const loading = new Map<string, Loading>()

  async function readAll(owner: string): Promise<Map<string, OwnedSource[]>> {
    const byProfile = new Map<string, OwnedSource[]>()
    for (let after = ''; ; ) {
      const page = await profiles.list({ after, limit: PAGE, owner })
      for (const profile of page)
        byProfile.set(profile.id, sourcesOf(profile, await profiles.urdsOf(profile.id), schemes))
      if (page.length < PAGE) return byProfile
      after = page.at(-1)!.id
      // Ten thousand sources must not block everyone else.
      await turn()
    }
  }

  /** Null if so much has changed that everything must be read. */
  async function readChanges(owner: string, kept: Kept): Promise<Map<string, OwnedSource[]> | null> {
    const stamps = await profiles.stamps()
    const changed = stamps.filter(({ revision }) => revision > kept.revision)
    if (changed.length > MAX_CHANGES) return null
    const there = new Set(stamps.map(({ id }) => id))
    const byProfile = new Map([...kept.byProfile].filter(([id]) => there.has(id)))
    for (const { id } of changed) {
      const profile = await profiles.find(id)
      if (profile?.owner === owner) byProfile.set(id, sourcesOf(profile, await profiles.urdsOf(id), schemes))
      else byProfile.delete(id)
    }
    return byProfile
  }

  async function load(owner: string): Promise<Kept> {
    // Read the revision first: changes made meanwhile are then read once more.
    const revision = await profiles.revision()
    const kept = owners.get(owner)
    if (kept?.revision === revision) return use(owner, kept)
    const byProfile = (kept === undefined ? null : await readChanges(owner, kept)) ?? (await readAll(owner))
    const sources = [...byProfile.values()].flat().sort((a, b) => b.id - a.id)
    const byId = new Map(sources.map((each) => [each.id, each]))
    return use(owner, { revision, byProfile, sources, byId, watches: watchesOf(sources) })
  }

  function use(owner: string, kept: Kept): Kept {
    owners.delete(owner)
    owners.set(owner, kept)
    let sum = 0
    for (const { sources } of owners.values()) sum += sources.length
    for (const [each, { sources }] of owners) {
      if (sum <= maxSources || each === owner) break
      owners.delete(each)
      sum -= sources.length
    }
    return kept
  }

  function begin(owner: string): Promise<Kept> {
    const read: Loading = {
      next: null,
      current: load(owner).finally(() => loading.get(owner) === read && loading.delete(owner)),
    }
    loading.set(owner, read)
    return read.current
  }

  // Calls during a read share the next one, so that each sees everything that was changed before the call.
  return (owner) => {
    const under = loading.get(owner)
    if (under === undefined) return begin(owner)
    const again = () => begin(owner)
    under.next ??= under.current.then(again, again)
    return under.next
  }
}

export function watchesOf(sources: readonly OwnedSource[]): number[] {
  return [...new Set(sources.map(({ watch }) => watch))]
}

function sourcesOf(profile: Profile, urds: readonly UrdRow[], schemes: readonly string[]): OwnedSource[] {
  const named = { id: profile.id, name: profile.name }
  return urds.flatMap(({ id, watch, place, paused, muted, visitedAt, aside, asideUrl, selected, selectedSince }) => {
    const source = profile.sources[place]
    if (source === undefined) return []
    const { uri, everyMs, depth, scope, process, select } = source
    const support = supportOf(uri, schemes)
    return {
      ...{ id, watch, uri, everyMs, depth, scope, process, select, paused, muted, visitedAt, aside, asideUrl },
      ...{ selected, selectedSince },
      watchedUri: watchedUri(profile.owner, source),
      host: URL.parse(uri)?.host ?? '',
      profile: named,
      isProfilePaused: profile.paused,
      unsupported: support.kind === 'supported' ? null : support.message,
    }
  })
}
