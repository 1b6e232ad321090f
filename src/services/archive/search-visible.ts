import type { BodyReader } from '../../archive/body-reader.ts'
import type { Clock } from '../../core/clock.ts'
import type { QueryNode, SearchQuery } from '../../core/search-query/query.ts'
import { cutSnippet } from '../../core/search-query/snippet.ts'
import { documentText } from '../../core/text/document-text.ts'
import { hostKey } from '../../core/url/partition.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import type { Hit, SearchIndex } from '../../store/contracts/search.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import type { Asker, Visibility } from '../visibility/visibility.ts'
import { timeText } from './archive-items.ts'
import { type ArchiveReader, type FoundVisible, type Period, periods, type VisibleHit } from './archive-reader.ts'

export type SearchReaderDeps = {
  openIndex(): Promise<OpenIndex>
  bodies: Pick<BodyReader, 'readText'>
  visibility: Visibility
  clock: Clock
}

/** The current index: it may be rebuilt at any time. */
export type OpenIndex = {
  index: SearchIndex
  /** Includes the rows that the index has already read. */
  versions: Pick<VersionStore, 'version'>
}

type SeenHit = { hit: Hit; version: Version; id: number; url: string; place: number }

/** Number of best hits, over all owners, that are considered. */
const MAX_HITS = 2_000
const MAX_SITES = 64
const MAX_HOSTS = 20
/** Only the beginning of a longer text is marked, and only the first of many long texts on a page. */
const MAX_TEXT_CHARS = 500_000
const MAX_PAGE_CHARS = 4_000_000
/** Bodies read concurrently. */
const AT_ONCE = 4

const DAY_MS = 86_400_000
const ages: Record<Period, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
  older: Number.POSITIVE_INFINITY,
}

/** Full text over the documents an owner sees. Offsets count all hits, so that pages do not shift with hidden ones. */
export function createSearchReader(deps: SearchReaderDeps): Pick<ArchiveReader, 'search'> {
  const { bodies, visibility, clock } = deps

  /**
   * The best hits overall. If there are so many that others' may have crowded out the owner's, also queries the sites of the owner's
   * sources.
   */
  async function hitsOf(asker: Asker, query: SearchQuery, index: SearchIndex): Promise<Hit[]> {
    const page = { offset: 0, limit: MAX_HITS }
    const { hits, approximate } = await index.query(query, page)
    const sites = await visibility.of(asker).sites()
    const isCrowded = approximate || hits.length === MAX_HITS
    if (!isCrowded || sites.size === 0 || sites.size > MAX_SITES) return hits
    const onSites: QueryNode = { kind: 'or', nodes: [...sites].map((host) => ({ kind: 'site', host })) }
    const match: QueryNode = query.match === null ? onSites : { kind: 'and', nodes: [query.match, onSites] }
    const own = await index.query({ ...query, match }, page)
    const known = new Set(own.hits.map(({ documentId }) => documentId))
    const all = [...own.hits, ...hits.filter(({ documentId }) => !known.has(documentId))]
    return all.sort((a, b) => b.score - a.score)
  }

  async function seenHits(asker: Asker, hits: readonly Hit[], versions: OpenIndex['versions']): Promise<SeenHit[]> {
    const found: SeenHit[] = []
    for (const [place, hit] of hits.entries()) {
      const version = await versions.version(hit.versionId)
      // Null if just garbage-collected.
      if (version !== null) found.push({ hit, version, id: version.documentId, url: version.url, place })
    }
    return visibility.of(asker).filter(found)
  }

  async function textOf(version: Version): Promise<string> {
    const read = await bodies.readText(version)
    if (read.kind !== 'body') return ''
    return documentText(read.body, { contentType: read.contentType })?.slice(0, MAX_TEXT_CHARS) ?? ''
  }

  function facetsOf(seen: readonly SeenHit[]): FoundVisible['facets'] {
    const hosts = new Map<string, number>()
    const times = new Map<Period, number>(periods.map((period) => [period, 0]))
    const now = clock.now()
    for (const { version } of seen) {
      const host = hostKey(version.url)
      hosts.set(host, (hosts.get(host) ?? 0) + 1)
      const period = periods.find((each) => now - version.firstSeenAt < ages[each]) ?? 'older'
      times.set(period, times.get(period)! + 1)
    }
    const sources = [...hosts].map(([host, count]) => ({ host, count })).sort((a, b) => b.count - a.count)
    return { sources: sources.slice(0, MAX_HOSTS), times: [...times].map(([period, count]) => ({ period, count })) }
  }

  return {
    async search({ query, offset, limit, ...asker }) {
      const startedAt = clock.monotonic()
      const { index, versions } = await deps.openIndex()
      const hits = await hitsOf(asker, query, index)
      const seen = await seenHits(asker, hits, versions)
      const rest = seen.filter(({ place }) => place >= offset)
      const shown = rest.slice(0, limit)
      let left = MAX_PAGE_CHARS
      const texts = await mapConcurrent(shown, AT_ONCE, async ({ version }) => {
        const text = left > 0 ? await textOf(version) : ''
        left -= text.length
        return { title: version.title, text }
      })
      const marks = await index.marks(query, texts)
      const items = shown.map(({ hit, version }, at): VisibleHit => {
        const { text, marks: inSnippet } = cutSnippet(texts[at]!.text, marks[at]!.text)
        return {
          url: version.url,
          document: version.documentId,
          version: version.id,
          n: version.n,
          at: timeText(version.firstSeenAt),
          title: version.title,
          titleMarks: marks[at]!.title.map(([from, to]) => [from, to]),
          snippet: { text, marks: inSnippet.map(([from, to]) => [from, to]) },
          score: hit.score,
        }
      })
      const tookMs = Math.round((clock.monotonic() - startedAt) * 10) / 10
      return { items, next: rest[limit]?.place ?? null, facets: facetsOf(seen), tookMs }
    },
  }
}
