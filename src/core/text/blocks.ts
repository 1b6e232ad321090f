import type { Block, Blocks } from '../change/change.ts'
import type { Span } from '../pattern/pattern-search.ts'
import { readHtmlBlocks } from './blocks/html-blocks.ts'
import { documentText } from './document-text.ts'
import { findMatches } from './omit-matches.ts'
import type { OmitRules } from './omit-rules.ts'
import { readSource, type SourceText } from './text-source.ts'

export type BlockSource = { contentType: string | undefined; omit?: OmitRules | null | undefined }

/** Of a document; what lies beyond is not looked at. */
const maxBlocks = 100_000

/** What a reader sees of a document, block by block; null where its media type has no text. */
export function readBlocks(body: Uint8Array, { contentType, omit }: BlockSource): Blocks | null {
  const source = readSource(body, contentType)
  if (source === null) return null
  const { kind, page } = source
  const isWhole = !omit?.elements || kind === 'plain'
  const blocks = blocksOf(isWhole ? source : { ...source, page: omit.elements.cut(page, kind) }, contentType)
  if (!omit || omit.patterns.length === 0) return blocks
  return withoutSpans(blocks, findMatches(textOfBlocks(blocks), omit.patterns))
}

function blocksOf(source: SourceText, contentType: string | undefined): Blocks {
  const { kind, page, isCut } = source
  if (kind === 'html') {
    const found = readHtmlBlocks(page, maxBlocks)
    return { kind: 'html', title: found.title, blocks: found.blocks, isCut: isCut || found.isCut }
  }
  const text = documentText(page, { contentType, lines: true }) ?? ''
  const lines = text.split('\n').filter((line) => line !== '')
  const blocks = lines.map((line): Block => ({ kind: 'line', text: line, trail: [], key: '', place: '', level: 0 }))
  return { kind: 'text', title: '', blocks, isCut: isCut }
}

/** All of its text, a line for each block. */
export function textOfBlocks({ blocks }: Blocks): string {
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
