import type { Block, Blocks } from '../change/change.ts'
import { readJsonFeed } from '../feed/json-feed.ts'
import { looksLikeFeed, readXmlFeed } from '../feed/read-feed.ts'
import type { Span } from '../pattern/pattern-search.ts'
import { feedBlocks } from './blocks/feed-entries.ts'
import { readHtmlBlocks } from './blocks/html-blocks.ts'
import { jsonBlocks, readJsonTree } from './blocks/json-blocks.ts'
import { plainBlocks } from './blocks/plain-blocks.ts'
import { xmlBlocks } from './blocks/xml-blocks.ts'
import { findMatches } from './omit-matches.ts'
import type { OmitRules } from './omit-rules.ts'
import { readSource, type SourceText } from './text-source.ts'

export type BlockSource = {
  contentType: string | undefined
  omit?: OmitRules | null | undefined
  /** URL of the document, for resolving links of feed entries. */
  url?: string | undefined
}

/** Maximum number of blocks per document; the rest is ignored. */
const maxBlocks = 100_000

/** The visible text of a document as blocks; null if its media type has no text. */
export function readBlocks(body: Uint8Array, { contentType, omit, url }: BlockSource): Blocks | null {
  const source = readSource(body, contentType)
  if (source === null) return null
  const { kind, page } = source
  const isWhole = !omit?.elements || kind === 'plain'
  const blocks = blocksOf(isWhole ? source : { ...source, page: omit.elements.cut(page, kind) }, url)
  if (!omit || omit.patterns.length === 0) return blocks
  return withoutSpans(blocks, findMatches(textOfBlocks(blocks), omit.patterns))
}

function blocksOf(source: SourceText, url: string | undefined): Blocks {
  const blocks = asJson(source, url) ?? asFeed(source, url) ?? asText(source)
  return source.isCut ? { ...blocks, isCut: true } : blocks
}

const jsonMedia = /^(?:application|text)\/json$|\+json$/

/** JSON is often served as plain text; a document served as JSON that doesn't parse is treated as text. */
function asJson({ kind, type, page, isCut }: SourceText, url: string | undefined): Blocks | null {
  if (kind !== 'plain' || !(jsonMedia.test(type.media) || beginsAsJson(page))) return null
  const tree = readJsonTree(page, isCut)
  if (tree === null) return null
  const feed = readJsonFeed(tree.root, tree.isCut)
  return feed === null ? jsonBlocks(tree, maxBlocks) : feedBlocks(feed, url)
}

function beginsAsJson(page: Buffer): boolean {
  return /^\s*[[{]/.test(page.toString('latin1', 0, 256))
}

/** Feeds are served with many media types, including that of web pages. */
function asFeed({ page }: SourceText, url: string | undefined): Blocks | null {
  if (!looksLikeFeed(page)) return null
  const feed = readXmlFeed(page.toString('utf8'))
  return feed === null ? null : feedBlocks(feed, url)
}

function asText({ kind, type, page }: SourceText): Blocks {
  switch (kind) {
    case 'html':
      return { kind: 'html', ...readHtmlBlocks(page, maxBlocks) }
    case 'xhtml':
      return { kind: 'html', ...readHtmlBlocks(page, maxBlocks, { isXhtml: true }) }
    case 'xml':
      return xmlBlocks(page, maxBlocks)
    default:
      return plainBlocks(page, { isMarkdown: /markdown/.test(type.media), maxBlocks })
  }
}

/** The whole text, one line per block. */
export function textOfBlocks({ blocks }: Pick<Blocks, 'blocks'>): string {
  return blocks.map(({ text }) => text).join('\n')
}

/** Removes spans, given as offsets into `textOfBlocks`, and the blocks that have no text left. */
export function withoutSpans(from: Blocks, spans: readonly Span[]): Blocks {
  if (spans.length === 0) return from
  const sorted = spans.toSorted((one, other) => one.start - other.start)
  const blocks: Block[] = []
  let start = 0
  let first = 0
  for (const block of from.blocks) {
    const end = start + block.text.length
    // Spans may be nested, so skip only those that end before all remaining blocks.
    while (first < sorted.length && sorted[first]!.end <= start) first++
    const text = cutBlock(block.text, start, sorted, first)
    if (text === block.text) blocks.push(block)
    else if (text !== '') blocks.push({ ...block, text })
    start = end + 1
  }
  return { ...from, blocks }
}

/** `start`: offset of the block in the whole text; `first`: the first span that can reach into it. */
function cutBlock(text: string, start: number, spans: readonly Span[], first: number): string {
  const kept: string[] = []
  let at = 0
  for (let i = first; i < spans.length && spans[i]!.start < start + text.length; i++) {
    const { start: from, end } = spans[i]!
    if (end <= start + at) continue
    if (from - start > at) kept.push(text.slice(at, from - start))
    at = Math.max(at, end - start)
  }
  if (at === 0) return text
  kept.push(text.slice(at))
  return kept
    .join('')
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\t ?/g, '\t')
    .trim()
}
