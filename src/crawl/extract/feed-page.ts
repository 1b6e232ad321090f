import type { FeedSchedule } from '../../core/feed/feed.ts'
import { looksLikeFeed, readFeed } from '../../core/feed/read-feed.ts'
import { feedTitle } from './feed-title.ts'
import type { Found, FoundLink } from './link-collector.ts'

const maybeFeed = /[/+](?:xml|rss|atom|json|feed|octet-stream)/i
const maxLinkCharacters = 8192
const MAX_DATES = 20

/** `dates`: dates of its newest entries. */
export type FeedPage = Found<never> & { schedule: FeedSchedule; dates: number[] }

/**
 * Reads a feed as a page that links to its entries and their enclosures; null for anything else. Links in the text of entries are left
 * to the entries' own pages.
 */
export function extractFeed(
  body: Buffer,
  { contentType, url, maxLinks }: { contentType: string | undefined; url: string; maxLinks: number },
): FeedPage | null {
  if (!maybeFeed.test(contentType ?? '')) return null
  // Check the start first, so that other documents aren't parsed in vain.
  if (!looksLikeFeed(body) && !/jsonfeed\.org\/version/.test(body.toString('latin1', 0, 4096))) return null
  const feed = readFeed(body, { contentType, url })
  if (feed === null) return null
  const addresses = new Set<string>()
  for (const { link, enclosures } of feed.entries) {
    // An entry without a link of its own has the link of the site.
    if (link !== feed.site) addresses.add(link)
    for (const enclosure of enclosures) addresses.add(enclosure.url)
  }
  const links: FoundLink<never>[] = []
  let longLinks = 0
  let droppedLinks = 0
  for (const href of addresses) {
    if (href.length > maxLinkCharacters) longLinks++
    if (href.length > maxLinkCharacters || links.length >= maxLinks) droppedLinks++
    else links.push({ href, tag: 'a', nofollow: false, known: null })
  }
  const dates = feed.entries.flatMap(({ date }) => date ?? []).sort((a, b) => b - a)
  const title = feedTitle(body, contentType)
  return { links, droppedLinks, longLinks, metas: [], title, schedule: feed.schedule, dates: dates.slice(0, MAX_DATES) }
}
