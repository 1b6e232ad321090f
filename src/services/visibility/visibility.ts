import type { Clock } from '../../core/clock.ts'
import { type Source, watchedUri } from '../../core/profile.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import { ignoredBy } from '../../core/text/ignored-text.ts'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import type { InboxStore } from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import type { Reached, VersionStore } from '../../store/contracts/versions.ts'
import type { WatchStore } from '../../store/contracts/watches.ts'
import { coversPage } from '../scheduler/urds/coverage.ts'
import { type Coverage, createCoverage, type Reaching } from './coverage.ts'

/**
 * Who may see which document. A user sees the documents of their own annotations; pages that a check of one of their own sources
 * reached, within that source's depth and scope; and what an administrator had crawled for all. Administrators see no more. A scope
 * grants nothing by itself: a page that nothing links to stays with the user who watches it.
 *
 * The sources of an owner are cached until the profile base changes. First visits end without such a change: while one is
 * pending, cached values are used for a moment only, otherwise for a minute, since a source may begin to redirect.
 */
export type Visibility = { of(asker: Asker): OwnersView }

export type Asker = { owner: string }

export type SeenDocument = { id: number; url: string }

export type OwnersView = {
  sees(document: SeenDocument): Promise<boolean>
  /** Those that the owner sees, in the given order. */
  filter<T extends SeenDocument>(documents: readonly T[]): Promise<T[]>
  /** Hosts and domains of everything that the owner sees without an annotation. */
  sites(): Promise<ReadonlySet<string>>
  /** Every source of the owner, visited or not, with its profile. */
  sources(): Promise<readonly OwnedSource[]>
}

export type OwnedSource = {
  profile: string
  name: string
  /** With the URI of its watch, which includes how to request it. */
  source: Source
  /** The watch it belongs to. */
  watch: number
  landed: string
  visited: boolean
  /** Expressions for the text that the profile ignores. */
  ignore: readonly string[]
}

export type VisibilityDeps = {
  profiles: Pick<ProfileStore, 'revision' | 'list' | 'urdsOf'>
  watches: Pick<WatchStore, 'find'>
  inbox: Pick<InboxStore, 'documentsOf'>
  versions: Pick<VersionStore, 'crawledForAll' | 'reached'>
  clock: Clock
}

type Known = {
  revision: number
  endsAt: number
  coverage: Coverage
  sources: readonly OwnedSource[]
  /** Visited sources by watch. */
  visited: ReadonlyMap<number, readonly OwnedSource[]>
}

const MAX_OWNERS = 200
const UNFINISHED_MS = 1_000
const SETTLED_MS = 60_000
const PAGE = 200
/** Work budget for expressions, over all documents of a request; what exceeds it isn't seen. */
const WORK = 20_000_000

export function createVisibility({ profiles, watches, inbox, versions, clock }: VisibilityDeps): Visibility {
  const owners = createRecentMap<string, Known>({ maxEntries: MAX_OWNERS })

  async function knownOf(owner: string): Promise<Known> {
    const revision = await profiles.revision()
    const kept = owners.get(owner)
    if (kept !== undefined && kept.revision === revision && clock.monotonic() < kept.endsAt) return kept
    const known = await read(owner, revision)
    owners.set(owner, known)
    return known
  }

  async function read(owner: string, revision: number): Promise<Known> {
    const sources = await sourcesOf(owner)
    const visited = sources.filter((each) => each.visited)
    const endsAt = clock.monotonic() + (visited.length < sources.length ? UNFINISHED_MS : SETTLED_MS)
    const coverage = createCoverage(visited satisfies Reaching[])
    return { revision, endsAt, sources, coverage, visited: Map.groupBy(visited, ({ watch }) => watch) }
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
          const state = { watch, landed: landed.get(watch) ?? '', visited: visitedAt > 0 }
          found.push({ profile: id, name, source: { ...source, uri: watchedUri(owner, source) }, ...state, ignore })
        }
      }
      if (page.length < PAGE) return found
      after = page.at(-1)!.id
    }
  }

  /** Documents reached by checks of these sources. */
  async function reachedBy(sources: Known['visited'], documents: readonly SeenDocument[]): Promise<Set<number>> {
    const urls = new Map(documents.map(({ id, url }) => [id, url]))
    const budget = createWorkBudget(WORK)
    const rows = await versions.reached({ documents: [...urls.keys()], watches: [...sources.keys()] })
    const isCovered = ({ document, watch, hops }: Reached) =>
      sources
        .get(watch)!
        .some(({ source, landed }) =>
          [source.uri, landed].some(
            (uri) => uri !== '' && coversPage({ ...source, uri }, { url: urls.get(document)!, hops }, budget),
          ),
        )
    return new Set(rows.filter(isCovered).map(({ document }) => document))
  }

  return {
    of({ owner }) {
      async function filter<T extends SeenDocument>(documents: readonly T[]): Promise<T[]> {
        if (documents.length === 0) return []
        const { visited } = await knownOf(owner)
        const seen = await reachedBy(visited, documents)
        const hidden = () => documents.filter(({ id }) => !seen.has(id)).map(({ id }) => id)
        for (const id of await inbox.documentsOf(owner, hidden())) seen.add(id)
        for (const id of await versions.crawledForAll(hidden())) seen.add(id)
        return documents.filter(({ id }) => seen.has(id))
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
