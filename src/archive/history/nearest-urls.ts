import { hostKey } from '../../core/partition.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'

/** A hint is worth a moment, not a walk through millions of rows. */
const maxLookedAt = 20_000
const pageSize = 2_000
const maxNamed = 3

/** Kept URLs of the same host that share the longest start with one that is not known; the first documents alone are looked at. */
export async function nearestUrls(versions: Pick<VersionStore, 'documents'>, url: string): Promise<string[]> {
  if (!URL.canParse(url)) return []
  const wanted = new URL(url).href
  const host = hostKey(wanted)
  const near: { url: string; shared: number }[] = []
  let after = 0
  for (let looked = 0; looked < maxLookedAt; looked += pageSize) {
    const page = await versions.documents({ after, limit: pageSize })
    for (const document of page) {
      if (document.host !== host || document.versionId === 0) continue
      near.push({ url: document.url, shared: sharedStart(document.url, wanted) })
    }
    near.sort((a, b) => b.shared - a.shared || a.url.length - b.url.length)
    near.length = Math.min(near.length, maxNamed)
    if (page.length < pageSize) break
    after = page.at(-1)!.id
  }
  return near.map((each) => each.url)
}

/** The scheme does not count: `http` for `https` is a common slip. */
function sharedStart(a: string, b: string): number {
  const restA = a.slice(a.indexOf('://'))
  const restB = b.slice(b.indexOf('://'))
  let length = 0
  while (length < restA.length && restA.charCodeAt(length) === restB.charCodeAt(length)) length++
  return length
}
