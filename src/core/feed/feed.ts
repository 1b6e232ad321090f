/** A feed as it says of itself; '' where something is missing. Addresses are as the feed has them until `resolveFeed`. */
export type Feed = {
  /** HTML, as the texts of entries. */
  title: string
  description: string
  /** Address of the site that the feed belongs to. */
  site: string
  /** Address of the feed by its own account. */
  self: string
  /** WebSub hubs that tell of news. */
  hubs: string[]
  icon: string
  language: string
  /** For entries that name none of their own. */
  author: string
  categories: string[]
  /** What relative addresses are relative to (`xml:base`). */
  base: string
  schedule: FeedSchedule
  entries: FeedEntry[]
  /** There is more than is looked at. */
  isCut: boolean
}

export type FeedEntry = {
  id: string
  title: string
  link: string
  html: string
  /** When it was published, else when it was changed; null where it doesn't say, or nobody can tell what it says. */
  date: number | null
  author: string
  categories: string[]
  comments: string
  language: string
  enclosures: Enclosure[]
  base: string
}

export type Enclosure = { url: string; type: string }

/** How often the feed wants to be asked. */
export type FeedSchedule = {
  /** It needn't be asked more often; null where it doesn't say. */
  ttlMinutes: number | null
  /** Hours (UTC) and days (0 is Sunday) without news. */
  skipHours: number[]
  skipDays: number[]
}

/** Enclosures and categories are those of one entry. */
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

/** With whole addresses, and entries that inherit from their feed. A feed without a site is called by its own address. */
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

/** Feeds without a base of their own mean their site. */
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
  if (link === '' || base === undefined || base === '' || /^https?:/i.test(link)) return link
  return URL.parse(link, base)?.href ?? link
}

/** Names of languages come in many spellings: `en_US`, `en-us`. */
export const languageName = (text: string): string => text.trim().toLowerCase().replaceAll('_', '-')

/** Text as HTML that shows it. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
