import { Parser } from 'htmlparser2'
import { absolute } from './feed.ts'

export type OfferedFeed = { url: string; title: string; type: string }

/** Pages declare their feeds in the head; links to them are usually at the top or at the bottom. */
const maxCharacters = 2 * 1024 * 1024
/** The parser scans all open elements at each tag. */
const maxDepth = 2000
const maxFeeds = 50
const pieceLength = 16 * 1024
const maxTitle = 200

const feedType = /^(?:application\/(?:rss\+xml|atom\+xml|feed\+json|rdf\+xml)|text\/rss(?:\+xml)?)$/
/** Paths that software commonly uses for feeds. */
const usualPath =
  /\/(?:feed|rss|atom)\/?$|\/(?:(?:feed|rss|atom|index)\.(?:xml|rss|atom|rdf)|(?:feed|index)\.json|[\w-]+\.(?:rss|atom|rdf))$/i

/** The feeds of a page: those it declares, then those it links to under a common name. Nothing is guessed. */
export function feedsOf(html: string, url: string): OfferedFeed[] {
  const named = new Map<string, OfferedFeed>()
  const linked = new Map<string, OfferedFeed>()
  let base = url
  let depth = 0
  const parser = new Parser(
    {
      onclosetag() {
        depth--
      },
      onopentag(tag, { href, rel, type, title }) {
        depth++
        if (href === undefined || href.trim() === '') return
        if (tag === 'base') base = absolute(href.trim(), url)
        const address = tag === 'link' || tag === 'a' ? webAddress(href, base) : null
        if (address === null) return
        const media = (type ?? '').split(';')[0]!.trim().toLowerCase()
        const relations = (rel ?? '').toLowerCase().split(/\s+/)
        const offered = { url: address.href, title: lineOf(title ?? ''), type: media }
        // JSON Feed 1.0 has the type of any JSON, as have the interfaces of many sites.
        const isFeed = feedType.test(media) || (media === 'application/json' && /feed/i.test(address.pathname))
        if (isFeed && (relations.includes('alternate') || relations.includes('feed'))) add(named, offered)
        else if (tag === 'a' && usualPath.test(address.pathname) && address.search === '') add(linked, offered)
      },
    },
    { decodeEntities: true },
  )
  const end = Math.min(html.length, maxCharacters)
  for (let at = 0; at < end && depth < maxDepth; at += pieceLength)
    parser.write(html.slice(at, Math.min(at + pieceLength, end)))
  parser.end()
  const others = [...linked.values()].filter((each) => !named.has(each.url))
  return [...named.values(), ...others].slice(0, maxFeeds)
}

function add(feeds: Map<string, OfferedFeed>, feed: OfferedFeed): void {
  if (!feeds.has(feed.url) && feeds.size < maxFeeds) feeds.set(feed.url, feed)
}

function webAddress(href: string, base: string): URL | null {
  const address = URL.parse(href.trim(), base)
  if (address === null || !/^https?:$/.test(address.protocol)) return null
  address.hash = ''
  return address
}

const lineOf = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, maxTitle)
