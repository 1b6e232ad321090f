import type { JsonNode } from '../text/blocks/json-tree.ts'
import { type Enclosure, emptyFeed, escaped, type Feed, type FeedEntry, feedLimits, languageName } from './feed.ts'
import { parseFeedDate } from './feed-date.ts'

/** Null if it is some other JSON. */
export function readJsonFeed(root: JsonNode, isCut: boolean): Feed | null {
  if (!/^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//.test(textOf(root, 'version'))) return null
  const items = valuesOf(root, 'items')
  return {
    ...emptyFeed(),
    title: escaped(textOf(root, 'title')),
    description: escaped(textOf(root, 'description')),
    site: textOf(root, 'home_page_url'),
    self: textOf(root, 'feed_url'),
    hubs: valuesOf(root, 'hubs')
      .filter((hub) => /^websub$/i.test(textOf(hub, 'type')))
      .map((hub) => textOf(hub, 'url'))
      .slice(0, feedLimits.categories),
    icon: textOf(root, 'favicon') || textOf(root, 'icon'),
    language: languageName(textOf(root, 'language')),
    author: authorsOf(root),
    entries: items.slice(0, feedLimits.entries).map(entryOf),
    isCut: isCut || items.length > feedLimits.entries,
  }
}

function entryOf(item: JsonNode): FeedEntry {
  const plain = textOf(item, 'content_text') || textOf(item, 'summary')
  const date = textOf(item, 'date_published') || textOf(item, 'date_modified')
  return {
    id: textOf(item, 'id'),
    title: escaped(textOf(item, 'title')),
    link: textOf(item, 'url') || textOf(item, 'external_url'),
    html: textOf(item, 'content_html') || escaped(plain),
    date: parseFeedDate(date),
    author: authorsOf(item),
    categories: distinct(valuesOf(item, 'tags').slice(0, feedLimits.categories).map(ownText)),
    comments: '',
    language: languageName(textOf(item, 'language')),
    enclosures: valuesOf(item, 'attachments')
      .slice(0, feedLimits.enclosures)
      .map((each): Enclosure => ({ url: textOf(each, 'url'), type: textOf(each, 'mime_type') }))
      .filter(({ url }) => url.trim() !== ''),
    base: '',
  }
}

/** Version 1.0 has one author, 1.1 a list; some feeds have a single author in place of the list. */
function authorsOf(node: JsonNode): string {
  const authors = field(node, 'authors')
  const listed = authors?.kind === 'array' ? authors.values : authors === undefined ? [] : [authors]
  const single = field(node, 'author')
  const names = [...listed, ...(single === undefined ? [] : [single])].map(
    (each) => textOf(each, 'name') || ownText(each),
  )
  return distinct(names).slice(0, feedLimits.categories).join(', ')
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts.map((text) => text.trim()).filter(Boolean))]

function field(node: JsonNode, name: string): JsonNode | undefined {
  return node.kind === 'object' ? node.values[node.names.indexOf(name)] : undefined
}

function valuesOf(node: JsonNode, name: string): readonly JsonNode[] {
  const value = field(node, name)
  return value?.kind === 'array' ? value.values : []
}

function ownText(value: JsonNode | undefined): string {
  if (value?.kind === 'string') return value.text
  return value?.kind === 'word' && value.text !== 'null' ? value.text : ''
}

const textOf = (node: JsonNode, name: string): string => ownText(field(node, name))
