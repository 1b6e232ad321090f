import type { Clock } from '../../core/clock.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { hostKey, registrableDomain } from '../../core/url/partition.ts'
import { createWorkBudget, type WorkBudget } from '../../core/work/work-budget.ts'
import type { InboxStore, ProfileCounts } from '../../store/contracts/inbox.ts'
import { coversPage } from '../scheduler/urds/coverage.ts'
import type { OwnedSource } from './owner-sources.ts'

export type UnreadBySource = {
  /** By source id; missing if nothing is unread. */
  unread: Map<number, number>
  /** Profiles that have never produced an annotation. */
  neverNotified(profile: string): boolean
}

/** Limit of unread annotations read one by one, over all profiles with several sources. */
const MAX_READ = 2000
const PAGE = 200
const MAX_AGE_MS = 30_000
const MAX_PROFILES = 10_000
const MAX_OWNERS = 100
const NOTIFIED_AGE_MS = 5000

/** The redirect target of a watch; '' for none. */
type LandedOf = (watch: number) => string

/** Limits of one call: annotations to read, and work for scope expressions, since this shares its thread with other work. */
type Room = { left: number; budget: WorkBudget }
type Kept = { stamp: string; readAt: number; bySource: Map<number, number> }

/**
 * Unread counts per source. Annotations know their profile, not their source, and counts are kept per profile: exact for a
 * profile with one source. For several, the newest unread annotations are read and assigned to the source whose page they
 * are, else to one that covers them; those beyond the limit are not counted for sources.
 */
export function createSourceUnread(inbox: Pick<InboxStore, 'counts' | 'list'>, clock: Clock) {
  const kept = new Map<string, Kept>()
  /** Profiles of an owner that have produced annotations. */
  const notifying = new Map<string, { readAt: number; profiles: ReadonlySet<string> }>()

  type Asked = { owner: string; sources: readonly OwnedSource[]; counts: ProfileCounts; landedOf: LandedOf }

  async function ofProfile({ owner, sources, counts, landedOf }: Asked, room: Room) {
    const profile = sources[0]!.profile.id
    const stamp = `${counts.unread} ${counts.all} ${sources.length} ${sources[0]!.id}`
    const known = kept.get(profile)
    if (known?.stamp === stamp && known.readAt > clock.monotonic() - MAX_AGE_MS) return known.bySource
    const bySource = new Map<number, number>()
    const find = createSourceFinder(sources, landedOf, room.budget)
    for (let before: number | null = null; room.left > 0; ) {
      const page = { before, limit: Math.min(PAGE, room.left) }
      const items = await inbox.list(owner, { state: 'unread', profile }, page)
      room.left -= items.length
      for (const { url } of items) {
        const found = find(url)
        if (found !== undefined) bySource.set(found.id, (bySource.get(found.id) ?? 0) + 1)
      }
      if (items.length < page.limit) break
      before = items.at(-1)!.id
    }
    if (kept.size >= MAX_PROFILES) kept.clear()
    kept.set(profile, { stamp, readAt: clock.monotonic(), bySource })
    return bySource
  }

  async function countsOf(owner: string): Promise<Map<string, ProfileCounts>> {
    const { profiles } = await inbox.counts(owner)
    const byProfile = new Map(profiles.map(({ profile, ...each }) => [profile, each]))
    notifying.set(owner, {
      readAt: clock.monotonic(),
      profiles: new Set(profiles.filter(wasNotified).map(({ profile }) => profile)),
    })
    if (notifying.size > MAX_OWNERS) notifying.delete(notifying.keys().next().value!)
    return byProfile
  }

  async function unreadOf(
    owner: string,
    sources: ReadonlyMap<string, readonly OwnedSource[]>,
    landedOf: LandedOf,
  ): Promise<UnreadBySource> {
    const byProfile = await countsOf(owner)
    const unread = new Map<number, number>()
    const room: Room = { left: MAX_READ, budget: createWorkBudget() }
    for (const [profile, counts] of byProfile) {
      const those = sources.get(profile) ?? []
      if (counts.unread === 0 || those.length === 0) continue
      if (those.length === 1) unread.set(those[0]!.id, counts.unread)
      else for (const [id, n] of await ofProfile({ owner, sources: those, counts, landedOf }, room)) unread.set(id, n)
    }
    return {
      unread,
      neverNotified(profile) {
        const counts = byProfile.get(profile)
        return counts === undefined || !wasNotified(counts)
      },
    }
  }

  return {
    unreadOf,
    /** Whether a profile has never produced an annotation; may be a few seconds out of date. */
    async neverNotified(owner: string, profile: string): Promise<boolean> {
      const known = notifying.get(owner)
      if (known === undefined || known.readAt < clock.monotonic() - NOTIFIED_AGE_MS) await countsOf(owner)
      return notifying.get(owner)?.profiles.has(profile) !== true
    },
  }
}

function wasNotified({ all, archived }: ProfileCounts): boolean {
  return all + archived > 0
}

/** Beyond this many sources of one domain, a page is not compared with each. */
const MAX_TRIED = 50

/**
 * The source of a profile that a page belongs to: the one whose own page it is, else one that follows links and has it in
 * scope. How many links were followed is not known here. `landedOf` returns where a source redirects to; '' for nowhere.
 */
export function createSourceFinder(
  sources: readonly OwnedSource[],
  landedOf: (watch: number) => string,
  budget = createWorkBudget(),
): (url: string) => OwnedSource | undefined {
  const byPage = new Map<string, OwnedSource>()
  const byDomain = new Map<string, OwnedSource[]>()
  for (const source of sources) {
    const landed = landedOf(source.watch)
    byPage.set(source.watchedUri, source)
    if (landed !== '') byPage.set(landed, source)
    if (source.depth === 0) continue
    // An expression may cover pages of any domain.
    const domain = source.scope.kind === 'pattern' ? '' : domainOf(source.uri)
    const those = byDomain.get(domain)
    if (those === undefined) byDomain.set(domain, [source])
    else if (those.length < MAX_TRIED) those.push(source)
  }
  const covering = (url: string, domain: string) =>
    byDomain
      .get(domain)
      ?.find(({ watchedUri: uri, scope, depth }) => coversPage({ uri, scope, depth }, { url, hops: 1 }, budget))
  return (url) => byPage.get(url) ?? covering(url, domainOf(url)) ?? covering(url, '')
}

function domainOf(url: string): string {
  return /^https?:/.test(url) ? registrableDomain(hostKey(withoutAccess(url))) : ''
}
