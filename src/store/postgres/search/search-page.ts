import type { FoundPage, Hit, HitPage } from '../../contracts/search.ts'

export type DocumentGroup = { documentId: number; score: number; versionIds: number[] }

/** One group for each document, best first; of equal ones the newest. `found` begins with the newest version. */
export function groupByDocument(found: readonly Hit[]): DocumentGroup[] {
  const groups = new Map<number, DocumentGroup>()
  for (const { versionId, documentId, score } of found) {
    const group = groups.get(documentId) ?? { documentId, score, versionIds: [] }
    group.score = Math.max(group.score, score)
    group.versionIds.push(versionId)
    groups.set(documentId, group)
  }
  return [...groups.values()].sort((a, b) => b.score - a.score)
}

/** At least so many documents are asked about at a time. */
const MIN_ASKED = 20

/** The newest version of each document that is still kept. Only as many are asked about as the page needs. */
export async function pickPage(
  groups: readonly DocumentGroup[],
  { offset, limit }: HitPage,
  kept: (versionIds: readonly number[]) => Promise<ReadonlySet<number>>,
): Promise<Pick<FoundPage, 'hits' | 'total' | 'stale'>> {
  const hits: Hit[] = []
  const stale: number[] = []
  let at = 0
  while (at < groups.length && hits.length < offset + limit) {
    const portion = groups.slice(at, at + Math.max(MIN_ASKED, offset + limit - hits.length))
    const alive = await kept(portion.flatMap(({ versionIds }) => versionIds))
    for (const { documentId, score, versionIds } of portion) {
      const versionId = versionIds.find((id) => alive.has(id))
      stale.push(...versionIds.filter((id) => !alive.has(id)))
      if (versionId !== undefined) hits.push({ versionId, documentId, score })
    }
    at += portion.length
  }
  const total = hits.length + groups.length - at
  return { hits: hits.slice(offset, offset + limit), total, stale }
}
