/** A sitemap as it says of itself (sitemaps.org, protocol 0.9), and the forms that serve as one: a list of URLs in plain text, a feed. */
export type Sitemap = {
  form: 'xml' | 'text' | 'feed'
  /** In the order of the file. */
  pages: SitemapEntry[]
  /** Other sitemaps that an index names. */
  sitemaps: SitemapEntry[]
  /** Entries beyond the limit of the protocol. */
  dropped: number
  /** Entries without a URL that can be read. */
  unreadable: number
}

export type SitemapEntry = {
  /** As the sitemap has it: references decoded, white space trimmed, not resolved. */
  url: string
  /** When it was changed last, by the account of the sitemap; null where it doesn't say or nobody can tell. */
  modifiedAt: number | null
  /** Between 0 and 1, relative to other pages of the site; null where it doesn't say. */
  priority: number | null
}

/** Limits of the protocol: what a sitemap has beyond is dropped and counted. */
export const maxEntries = 50_000
export const maxSitemapBytes = 50 * 1024 * 1024

/** URLs of the protocol have 2,048 characters at most; what is longer is cut here and refused later, by its length. */
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

/** A day more than now is a clock that is wrong; further ahead it is a lie. */
const DAY_MS = 86_400_000

/**
 * What is worth fetching first: pages that changed since they were visited before those that did not, then by their priority, then
 * by the newest change. Equal ones stay as they are. `visitedAt` is 0 for pages that were never visited.
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

/** By the protocol, pages without a priority have this one. */
const usualPriority = 0.5

/** Unchanged since the last visit, by the account of the sitemap. It goes last, but it goes: sitemaps lie. */
export const isStale = ({ modifiedAt, visitedAt }: Pick<SitemapEntry, 'modifiedAt'> & { visitedAt: number }): boolean =>
  modifiedAt !== null && modifiedAt <= visitedAt
