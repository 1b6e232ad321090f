import type { Clock } from '../../core/clock.ts'
import type { Source } from '../../core/profile.ts'
import { ignoredBy } from '../../core/text/ignored-text.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import { type Coverage, createCoverage, type Reaching } from './coverage.ts'

/**
 * Who may see which document. A user sees what an annotation of the user points to, and pages in the scope of a source of one
 * of the user's own profiles, once that source was visited for it. What is not of the web is seen by its annotations alone. What
 * was crawled for all is seen as well by those who ask with `seesCrawled`, which are administrators. Nothing else, for them too.
 *
 * What the sources of an owner reach is kept in memory until the profile base changes. First visits come to their end without
 * such a change: as long as one is not done, cached values are used for a moment only, else for a minute, since a
 * source may begin to redirect.
 */
export type Visibility = { of(asker: Asker): OwnersView }

export type Asker = {
  owner: string
  /** Also sees the documents that a crawl has met. */
  seesCrawled?: boolean
}

export type SeenDocument = { id: number; url: string }

export type OwnersView = {
  sees(document: SeenDocument): Promise<boolean>
  /** Those that the owner sees, in their order. */
  filter<T extends SeenDocument>(documents: readonly T[]): Promise<T[]>
  /** Where everything lies that the owner sees without an annotation: names of hosts and domains. */
  sites(): Promise<ReadonlySet<string>>
  /** Every source of the owner, visited or not, with its profile. */
  sources(): Promise<readonly OwnedSource[]>
}

export type OwnedSource = {
  profile: string
  name: string
  source: Source
  landed: string
  visited: boolean
  /** What the profile ignores. */
  ignore: readonly string[]
}

export type VisibilityDeps = {
  profiles: Pick<ProfileStore, 'revision' | 'list' | 'urdsOf'>
  watches: Pick<WatchStore, 'find'>
  inbox: Pick<InboxStore, 'documentsOf'>
  versions: Pick<VersionStore, 'crawledForAll'>
  clock: Clock
}

type Known = { revision: number; endsAt: number; coverage: Coverage; sources: readonly OwnedSource[] }

const MAX_OWNERS = 200
const UNFINISHED_MS = 1_000
const SETTLED_MS = 60_000
const PAGE = 200

export function createVisibility({ profiles, watches, inbox, versions, clock }: VisibilityDeps): Visibility {
  /** The last used behind. */
  const owners = new Map<string, Known>()

  async function knownOf(owner: string): Promise<Known> {
    const revision = await profiles.revision()
    const kept = owners.get(owner)
    owners.delete(owner)
    const isFresh = kept !== undefined && kept.revision === revision && clock.monotonic() < kept.endsAt
    const known = isFresh ? kept : await read(owner, revision)
    owners.set(owner, known)
    if (owners.size > MAX_OWNERS) owners.delete(owners.keys().next().value!)
    return known
  }

  async function read(owner: string, revision: number): Promise<Known> {
    const sources = await sourcesOf(owner)
    const visited = sources.filter((each) => each.visited)
    const endsAt = clock.monotonic() + (visited.length < sources.length ? UNFINISHED_MS : SETTLED_MS)
    return { revision, endsAt, sources, coverage: createCoverage(visited satisfies Reaching[]) }
  }

  async function sourcesOf(owner: string): Promise<OwnedSource[]> {
    const found: OwnedSource[] = []
    for (let after = ''; ; ) {
      const page = await profiles.list({ after, limit: PAGE, owner })
      for (const { id, name, sources, interests } of page) {
        const ignore = ignoredBy(interests)
        const urds = await profiles.urdsOf(id)
        const rows = await watches.find(urds.map(({ watch }) => watch))
        const landed = new Map(rows.map((row) => [row.id, row.landed]))
        for (const { place, watch, visitedAt } of urds) {
          const source = sources[place]
          if (source === undefined) continue
          found.push({ profile: id, name, source, landed: landed.get(watch) ?? '', visited: visitedAt > 0, ignore })
        }
      }
      if (page.length < PAGE) return found
      after = page.at(-1)!.id
    }
  }

  return {
    of({ owner, seesCrawled = false }) {
      async function filter<T extends SeenDocument>(documents: readonly T[]): Promise<T[]> {
        const { coverage } = await knownOf(owner)
        const unreached = documents.filter(({ url }) => !coverage.has(url)).map(({ id }) => id)
        const annotated = unreached.length === 0 ? new Set<number>() : await inbox.documentsOf(owner, unreached)
        const others = unreached.filter((id) => !annotated.has(id))
        const crawled = seesCrawled && others.length > 0 ? await versions.crawledForAll(others) : new Set<number>()
        const hidden = new Set(others.filter((id) => !crawled.has(id)))
        return documents.filter(({ id }) => !hidden.has(id))
      }
      return {
        filter,
        sees: async (document) => (await filter([document])).length === 1,
        sites: async () => (await knownOf(owner)).coverage.sites,
        sources: async () => (await knownOf(owner)).sources,
      }
    },
  }
}
