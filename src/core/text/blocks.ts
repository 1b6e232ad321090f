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
  /** Where it came from: links of a feed's entries are resolved against it. */
  url?: string | undefined
}

/** Of a document; what lies beyond is not looked at. */
const maxBlocks = 100_000

/** What a reader sees of a document, block by block; null where its media type has no text. */
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

/** JSON is often sent as plain text; what is sent as JSON and isn't is text. */
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

/** Feeds come under many media types, that of web pages among them. */
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

/** All of its text, a line for each block. */
export function textOfBlocks({ blocks }: Pick<Blocks, 'blocks'>): string {
  return blocks.map(({ text }) => text).join('\n')
}

/** Without pieces of its text, which are places in `textOfBlocks`; blocks without any text left are gone. */
export function withoutSpans(from: Blocks, spans: readonly Span[]): Blocks {
  if (spans.length === 0) return from
  const sorted = spans.toSorted((one, other) => one.start - other.start)
  const blocks: Block[] = []
  let start = 0
  let first = 0
  for (const block of from.blocks) {
    const end = start + block.text.length
    // Spans may lie in one another: only those are behind us that all blocks to come are behind.
    while (first < sorted.length && sorted[first]!.end <= start) first++
    const text = cutBlock(block.text, start, sorted, first)
    if (text === block.text) blocks.push(block)
    else if (text !== '') blocks.push({ ...block, text })
    start = end + 1
  }
  return { ...from, blocks }
}

/** `start` is where the block begins in all the text, `first` the first of the spans that can reach into it. */
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
