import type { SearchHit, SearchReport } from '../../core/reports/search-report.ts'
import type { SearchQuery } from '../../core/search-query/query.ts'
import { cutSnippet } from '../../core/search-query/snippet.ts'
import type { Hit, HitPage, SearchIndex } from '../../store/contracts/search.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import type { VersionTexts } from './version-text.ts'

export type FindDeps = { index: SearchIndex; versions: Pick<VersionStore, 'version'>; texts: VersionTexts }

export type Found = Omit<SearchReport, 'tookMs' | 'index'> & { stale: number[] }

/** Search hits with titles and snippets. Reads only the bodies of this page of results. */
export async function findVersions(deps: FindDeps, query: SearchQuery, page: HitPage): Promise<Found> {
  const { index, versions, texts } = deps
  const { hits, ...found } = await index.query(query, page)
  const shown: { hit: Hit; version: Version; title: string; text: string }[] = []
  for (const hit of hits) {
    const version = await versions.version(hit.versionId)
    if (version === null) continue // collected a moment ago
    const read = await texts.read(version)
    shown.push({ hit, version, title: version.title, text: read.kind === 'text' ? read.text : '' })
  }
  const marks = await index.marks(query, shown)
  const items = shown.map(({ hit, version, title, text }, n): SearchHit => {
    const { url, firstSeenAt } = version
    const at = new Date(firstSeenAt).toISOString()
    const snippet = cutSnippet(text, marks[n]!.text)
    return { url, n: version.n, at, title, titleMarks: marks[n]!.title, score: hit.score, snippet }
  })
  return { ...found, items }
}
