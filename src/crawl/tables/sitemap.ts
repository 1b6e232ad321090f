/** A parsed sitemap (sitemaps.org, protocol 0.9), or a form that serves as one: a list of URLs in plain text, a feed. */
export type Sitemap = {
  form: 'xml' | 'text' | 'feed'
  /** In the order of the file; alternates that aren't entries themselves come last. */
  pages: SitemapEntry[]
  /** Other sitemaps named by an index. */
  sitemaps: SitemapEntry[]
  /** Entries beyond the limit of the protocol. */
  dropped: number
  /** Entries without a readable URL. */
  unreadable: number
}

export type SitemapEntry = {
  /** As written in the sitemap: references decoded, white space trimmed, not resolved. */
  url: string
  /** Last modification according to the sitemap; null if missing or unreadable. */
  modifiedAt: number | null
  /** Between 0 and 1, relative to other pages of the site; null if missing. */
  priority: number | null
}

/** Limits of the protocol: entries beyond them are dropped and counted. */
export const maxEntries = 50_000
export const maxSitemapBytes = 50 * 1024 * 1024

/** URLs of the protocol have 2,048 characters at most; longer ones are cut here and refused later for their length. */
export const maxUrlCharacters = 8192

export const emptySitemap = (form: Sitemap['form']): Sitemap => ({
  ...{ form, pages: [], sitemaps: [], dropped: 0, unreadable: 0 },
})

/** Adds an entry, if there is room. */
export function addEntry(sitemap: Sitemap, list: SitemapEntry[], entry: SitemapEntry): void {
  if (entry.url === '') sitemap.unreadable++
  else if (sitemap.pages.length + sitemap.sitemaps.length >= maxEntries) sitemap.dropped++
  else list.push(entry)
}

/** Dates up to a day ahead may come from a wrong clock; later ones are ignored. */
const DAY_MS = 86_400_000

/**
 * Sorts entries by what is worth fetching first: pages that changed since their last visit before those that did not, then by priority,
 * then by newest change. The sort is stable. `visitedAt` is 0 for pages that were never visited.
 */
export function sortEntries<T extends SitemapEntry & { visitedAt: number }>(entries: readonly T[], now: number): T[] {
  const modifiedAt = ({ modifiedAt: at }: T): number => (at === null || at > now + DAY_MS ? 0 : at)
  return entries.toSorted(
    (a, b) =>
      Number(isStale(a)) - Number(isStale(b)) ||
      (b.priority ?? usualPriority) - (a.priority ?? usualPriority) ||
      modifiedAt(b) - modifiedAt(a),
  )
}

/** The protocol's default priority. */
const usualPriority = 0.5

/** Unchanged since the last visit, according to the sitemap. Such pages go last, but are still fetched: sitemaps lie. */
export const isStale = ({ modifiedAt, visitedAt }: Pick<SitemapEntry, 'modifiedAt'> & { visitedAt: number }): boolean =>
  modifiedAt !== null && modifiedAt <= visitedAt
