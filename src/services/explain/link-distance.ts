import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'

export type LinkDistance =
  /** Number of links on the shortest path from the source to the page. */
  | { kind: 'links'; hops: number }
  /** No page within the depth links to it. */
  | { kind: 'not-found' }
  /** There are too many pages to search. */
  | { kind: 'unknown' }

export type LinkDistanceDeps = {
  versions: Pick<VersionStore, 'document' | 'links'>
  keyOf(url: string): DocumentKey | null
}

export type DistanceAsked = {
  /** URLs of the source: as given, and its redirect target. */
  from: readonly string[]
  to: string
  /** Links of pages this far away are examined but not followed. */
  depth: number
  /** Whether a page belongs to the source. */
  follows(url: string): boolean
}

const MAX_PAGES = 500
const MAX_LINKS = 200_000
const MAX_REDIRECTS = 20

/** The distance of a page from a source, by breadth-first search over the links of stored pages. */
export function createLinkDistance({ versions, keyOf }: LinkDistanceDeps) {
  const nameOf = (url: string): string | null => {
    const key = keyOf(url)
    return key === null ? null : `${key.host} ${key.fp}`
  }

  /** The links of the page that a URL leads to. */
  async function linksOf(url: string): Promise<string[]> {
    let at = url
    for (let n = 0; n < MAX_REDIRECTS; n++) {
      const key = keyOf(at)
      const document = key === null ? null : await versions.document(key)
      if (document === null) return []
      if (document.location === '') return document.versionId === 0 ? [] : versions.links(document.versionId)
      at = document.location
    }
    return []
  }

  return async ({ from, to, depth, follows }: DistanceAsked): Promise<LinkDistance> => {
    const wanted = nameOf(to)
    const seen = new Set(from.map(nameOf))
    if (seen.has(wanted)) return { kind: 'links', hops: 0 }
    let level: readonly string[] = from
    let pages = 0
    let links = 0
    for (let hops = 0; hops <= depth && level.length > 0; hops++) {
      const next: string[] = []
      for (const url of level) {
        if (++pages > MAX_PAGES || links > MAX_LINKS) return { kind: 'unknown' }
        for (const link of await linksOf(url)) {
          links++
          const name = nameOf(link)
          if (name === wanted) return { kind: 'links', hops: hops + 1 }
          if (seen.has(name) || !follows(link)) continue
          seen.add(name)
          next.push(link)
        }
      }
      level = next
    }
    return { kind: 'not-found' }
  }
}
