/** A feed as it describes itself; missing values are ''. Addresses are as written until `resolveFeed`. */
export type Feed = {
  /** HTML, like the texts of entries. */
  title: string
  description: string
  /** Address of the site that the feed belongs to. */
  site: string
  /** Address of the feed according to itself. */
  self: string
  /** WebSub hubs that announce news. */
  hubs: string[]
  icon: string
  language: string
  /** Default for entries without an author. */
  author: string
  categories: string[]
  /** Base of relative addresses (`xml:base`). */
  base: string
  schedule: FeedSchedule
  entries: FeedEntry[]
  /** The feed exceeds the limits; the rest was ignored. */
  isCut: boolean
}

export type FeedEntry = {
  id: string
  title: string
  link: string
  html: string
  /** When it was published, or else updated; null if not stated or not understood. */
  date: number | null
  author: string
  categories: string[]
  comments: string
  language: string
  enclosures: Enclosure[]
  base: string
}

export type Enclosure = { url: string; type: string }

/** How often the feed wants to be polled. */
export type FeedSchedule = {
  /** Minimum interval; null if not stated. */
  ttlMinutes: number | null
  /** Hours (UTC) and days (0 is Sunday) without news. */
  skipHours: number[]
  skipDays: number[]
}

/** Enclosures and categories are limits per entry. */
export const feedLimits = { entries: 20_000, enclosures: 100, categories: 100 } as const

export const emptyFeed = (): Feed => ({
  title: '',
  description: '',
  site: '',
  self: '',
  hubs: [],
  icon: '',
  language: '',
  author: '',
  categories: [],
  base: '',
  schedule: { ttlMinutes: null, skipHours: [], skipDays: [] },
  entries: [],
  isCut: false,
})

/** Makes addresses absolute, and lets entries inherit from their feed. Without a site, the feed's own address is used. */
export function resolveFeed(feed: Feed, url: string | undefined): Feed {
  const base = absolute(feed.base.trim(), url) || url
  const site = absolute(feed.site.trim(), base)
  return {
    ...feed,
    base: base ?? '',
    site: site || (url ?? ''),
    self: absolute(feed.self.trim(), base) || (url ?? ''),
    hubs: feed.hubs.map((hub) => absolute(hub.trim(), base)),
    icon: absolute(feed.icon.trim(), site || base),
    entries: feed.entries.map((entry) => resolveEntry(entry, feed, site, url)),
  }
}

function resolveEntry(entry: FeedEntry, feed: Feed, site: string, url: string | undefined): FeedEntry {
  const base = baseOf(entry, feed, site, url)
  const seen = new Set<string>()
  return {
    ...entry,
    link: absolute(entry.link.trim(), base) || site || (url ?? ''),
    comments: /^https?:/i.test(entry.comments.trim()) ? entry.comments.trim() : '',
    author: entry.author || feed.author,
    categories: entry.categories.length > 0 ? entry.categories : feed.categories,
    language: entry.language || feed.language,
    enclosures: entry.enclosures
      .map(({ url: address, type }) => ({ url: absolute(address.trim(), base), type }))
      .filter(({ url: address }) => address !== '' && !seen.has(address) && seen.add(address)),
  }
}

/** Without a base, addresses are relative to the site. */
export function baseOf(
  entry: Pick<FeedEntry, 'base'>,
  feed: Pick<Feed, 'base'>,
  site: string,
  url: string | undefined,
): string | undefined {
  if (entry.base === '' && feed.base === '') return site || url
  return absolute(entry.base.trim(), absolute(feed.base.trim(), url) || url) || absolute(feed.base.trim(), url) || url
}

export function absolute(link: string, base: string | undefined): string {
  if (link === '' || base === undefined || base === '' || /^https?:\S*$/i.test(link)) return link
  return URL.parse(link, base)?.href ?? link
}

/** Language tags come in many spellings: `en_US`, `en-us`. */
export const languageName = (text: string): string => text.trim().toLowerCase().replaceAll('_', '-')

/** Plain text as HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
