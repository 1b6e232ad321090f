import type { Blocks } from '../../core/change/change.ts'
import { readFeed } from '../../core/feed/read-feed.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import { readSource } from '../../core/text/text-source.ts'
import { pageMarkdown } from './html-markdown.ts'
import { around, type Region, writeBlocks } from './markdown-blocks.ts'
import { codeBlock, escapeMarkdown, guardLine, linkTarget } from './markdown-text.ts'

export type MarkdownSource = {
  body: Uint8Array
  contentType: string | undefined
  /** Base URL for links. */
  url: string
  /** `main` (default) leaves out what surrounds the text of a page, such as navigation. */
  part?: 'main' | 'page'
  maxChars?: number
}

export type Markdown = {
  /** Ends with a line feed; '' if the document shows no text. */
  markdown: string
  /** As plain text; '' if there is none. */
  title: string
  /** The document was longer than the limits. */
  isCut: boolean
}

const usualChars = 2_000_000
const maxEntries = 1000
const maxTitle = 500

/**
 * Converts a document to GitHub Markdown: headings, lists, tables, code, links with absolute addresses; pictures become links. It never
 * contains HTML or a link that runs anything, for any document. Null if its media type has no text: convert PDF and the
 * like with `BodyReader.readText` first.
 */
export function toMarkdown({
  body,
  contentType,
  url,
  part = 'main',
  maxChars = usualChars,
}: MarkdownSource): Markdown | null {
  const source = readSource(body, contentType)
  if (source === null) return null
  const feed = feedMarkdown({ body, contentType, url }, maxChars)
  if (feed !== null) return feed
  const { kind, page, type, isCut } = source
  if (kind === 'html' || kind === 'xhtml') {
    const found = pageMarkdown(page.toString('utf8'), url, maxChars)
    const least: Region = part === 'page' ? around : found.least
    const text = writeBlocks(found.blocks, least)
    return ended({ title: found.title, text, isCut: isCut || found.isCut })
  }
  if (kind === 'xml') {
    const blocks = readBlocks(body, { contentType, url })
    return blocks === null ? null : { ...linesOf(blocks, maxChars), title: blocks.title }
  }
  const text = page.toString('utf8')
  const language = /json/.test(type.media) ? 'json' : ''
  const shown = text.slice(0, maxChars)
  const isShort = shown.length < text.length
  return ended({
    title: '',
    text: shown.trim() === '' ? '' : `${codeBlock(shown, language)}\n`,
    isCut: isCut || isShort,
  })
}

function feedMarkdown({ body, contentType, url }: MarkdownSource, maxChars: number): Markdown | null {
  const feed = readFeed(body, { contentType, url: url })
  if (feed === null) return null
  const parts: string[] = []
  let left = maxChars
  let isCut = feed.isCut || feed.entries.length > maxEntries
  for (const { title, link, html, date } of feed.entries.slice(0, maxEntries)) {
    if (left <= 0) {
      isCut = true
      break
    }
    const name = escapeMarkdown(plain(title) || link || 'Untitled')
    const target = link === '' ? null : linkTarget(link, url)
    const heading = `## ${target === null ? name : `[${name}](${target})`}`
    const at = date === null ? [] : [new Date(date).toISOString()]
    const content = pageMarkdown(html, link === '' ? url : link, left)
    isCut ||= content.isCut
    const text = [heading, ...at, writeBlocks(content.blocks, around).trimEnd()].filter(Boolean).join('\n\n')
    left -= text.length
    parts.push(text)
  }
  const text = parts.length === 0 ? '' : `${parts.join('\n\n')}\n`
  return ended({ title: plain(feed.title), text, isCut })
}

/** Plain text of a short piece of HTML. */
function plain(html: string): string {
  const { blocks } = pageMarkdown(html.slice(0, 10_000), 'http://invalid/', 10_000)
  const text = blocks.map((block) => ('text' in block ? block.text : '')).join(' ')
  return text.replace(/\\(?=[^\w\s])/g, '').trim()
}

function linesOf({ blocks, isCut }: Blocks, maxChars: number): { markdown: string; isCut: boolean } {
  const lines: string[] = []
  let left = maxChars
  for (const { text } of blocks) {
    if (left <= 0) return { markdown: withNotice(lines.join('\n\n'), true), isCut: true }
    const line = guardLine(escapeMarkdown(text.replace(/\s+/g, ' ')))
    left -= line.length
    lines.push(line)
  }
  return { markdown: withNotice(lines.join('\n\n'), isCut), isCut }
}

/** Adds the title as a heading if the document has none of the first level. */
function ended({ title, text, isCut }: { title: string; text: string; isCut: boolean }): Markdown {
  const name = title.slice(0, maxTitle).toWellFormed()
  const heading = name === '' || /^# /m.test(text) ? '' : `# ${escapeMarkdown(name)}\n\n`
  return { markdown: withNotice(heading + text, isCut), title: name, isCut }
}

function withNotice(text: string, isCut: boolean): string {
  const whole = text === '' ? '' : `${text.trimEnd()}\n`
  return isCut ? `${whole}\n*The document is longer than this.*\n` : whole
}
