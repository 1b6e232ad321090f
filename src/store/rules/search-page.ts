import type { FoundPage, Hit, HitPage } from '../contracts/search.ts'

/** Number of versions ranked, the newest: ranking one reads its words. An engine returns one more, to show that there are others. */
export const MAX_RANKED = 5_000

/** Returns those of the versions whose bodies are kept: only these are shown. */
export type KeptCheck = (versionIds: readonly number[]) => Promise<ReadonlySet<number>>

type DocumentGroup = { documentId: number; score: number; versionIds: number[] }

/** A page of the result. `found` is ordered by version, newest first. */
export async function pageOf(found: readonly Hit[], page: HitPage, kept: KeptCheck): Promise<FoundPage> {
  const approximate = found.length > MAX_RANKED
  const picked = await pickPage(groupByDocument(found.slice(0, MAX_RANKED)), page, kept)
  return { ...picked, totalIsLowerBound: approximate, approximate }
}

/** One group per document, best score first; ties go to the newest. */
function groupByDocument(found: readonly Hit[]): DocumentGroup[] {
  const groups = new Map<number, DocumentGroup>()
  for (const { versionId, documentId, score } of found) {
    const group = groups.get(documentId)
    if (group === undefined) groups.set(documentId, { documentId, score, versionIds: [versionId] })
    else {
      group.score = Math.max(group.score, score)
      group.versionIds.push(versionId)
    }
  }
  return [...groups.values()].sort((a, b) => b.score - a.score)
}

/** Minimum number of documents per look-up. */
const MIN_DOCUMENTS = 20

/** The newest kept version of each document. Looks up only as many as the page needs, and older ones only if the newest is gone. */
async function pickPage(
  groups: readonly DocumentGroup[],
  { offset, limit }: HitPage,
  kept: KeptCheck,
): Promise<Pick<FoundPage, 'hits' | 'total' | 'stale'>> {
  const hits: Hit[] = []
  const stale: number[] = []
  const alive = new Set<number>()
  async function lookUp(versionIds: readonly number[]): Promise<void> {
    if (versionIds.length === 0) return
    const found = await kept(versionIds)
    for (const id of versionIds) {
      if (found.has(id)) alive.add(id)
      else stale.push(id)
    }
  }
  let at = 0
  while (at < groups.length && hits.length < offset + limit) {
    const portion = groups.slice(at, at + Math.max(MIN_DOCUMENTS, offset + limit - hits.length))
    await lookUp(portion.map(({ versionIds }) => versionIds[0]!))
    await lookUp(portion.flatMap(({ versionIds: [newest, ...older] }) => (alive.has(newest!) ? [] : older)))
    for (const { documentId, score, versionIds } of portion) {
      const versionId = versionIds.find((id) => alive.has(id))
      if (versionId !== undefined) hits.push({ versionId, documentId, score })
    }
    at += portion.length
  }
  const total = hits.length + groups.length - at
  return { hits: hits.slice(offset, offset + limit), total, stale }
}
