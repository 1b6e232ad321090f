import { failureWords } from '../../../archive/media/converter.ts'
import type { MediaReader } from '../../../archive/media/media-reader.ts'
import type { Block } from '../../../core/change/change.ts'
import { feedsOf } from '../../../core/feed/feeds-of.ts'
import { decodeText, detectCharset } from '../../../core/http/charset.ts'
import type { Source } from '../../../core/profile.ts'
import { createPartReader } from '../../../core/select/part-blocks.ts'
import { textOfBlocks } from '../../../core/text/blocks.ts'
import type { OmitRules } from '../../../core/text/omit-rules.ts'
import { createWorkBudget } from '../../../core/work/work-budget.ts'
import type { Part } from '../../../crawl/fetch/protocol.ts'

/** What was read from a source, shortened for display. */
export type TriedContent = {
  kind: 'list' | 'page' | 'feed'
  title: string
  /** The first items. */
  items: { name: string; url: string; type?: string }[]
  count: number
  more: boolean
  /** What was left out and why; '' if nothing was. */
  left: string
  /** The beginning of the text that would be compared. */
  text: string
  /** Feeds that a page offers. */
  feeds: { title: string; url: string }[]
}

export type TriedDocument = { url: string; body: Buffer; contentType: string | undefined; isCut: boolean }

const MAX_ITEMS = 20
const MAX_TEXT = 2000
const MAX_TITLE = 300
const MAX_SCREENSHOT_BYTES = 1_500_000
/** Work budget for the selectors; about 120 ms. */
const WORK = 6_000_000

/** Reads the part of a document that a source watches, by its `select` and `omit`. */
export async function readContent(
  { body, contentType, url, isCut }: TriedDocument,
  { select, omit }: Pick<Source, 'select' | 'omit'>,
  { media, omitFor }: { media: Pick<MediaReader, 'converts' | 'read'>; omitFor(url: string): OmitRules | null },
): Promise<TriedContent> {
  const notes = isCut ? ['It is long: only its beginning was read.'] : []
  const text = await media.read({ body, contentType, url })
  if (text.kind === 'failed') notes.push(`Its text can't be read: ${failureWords[text.reason]}.`)
  const readable = text.kind === 'converted' ? text : { body, contentType }
  const read = createPartReader()({ ...readable, omit: omitFor(url) }, { select, omit }, createWorkBudget(WORK))
  if (read.kind === 'nothing') notes.push('The selectors match nothing in it.')
  if (read.kind === 'too-expensive') notes.push('The selectors take too much work; use simpler ones.')
  const blocks = read.kind === 'blocks' ? read.blocks : null
  if (read.kind === 'blocks' && blocks === null && text.kind !== 'failed')
    notes.push(`There is no text in it that could be compared (${contentType ?? 'no media type'}).`)
  const entries = blocks?.kind === 'feed' ? blocks.blocks.filter(({ kind }) => kind === 'entry') : []
  const feeds = blocks?.kind === 'html' && text.kind === 'none' ? offeredFeeds({ body, contentType, url }) : []
  const common = { title: (blocks?.title ?? '').slice(0, MAX_TITLE).toWellFormed(), left: notes.join(' '), feeds }
  if (blocks?.kind === 'feed') {
    const items = entries.slice(0, MAX_ITEMS).map((entry) => entryItem(entry, url))
    return { ...common, kind: 'feed', items, count: entries.length, more: entries.length > items.length, text: '' }
  }
  const shown = blocks === null ? '' : textOfBlocks(blocks).slice(0, MAX_TEXT).toWellFormed()
  return { ...common, kind: 'page', items: [], count: 0, more: false, text: shown }
}

const MAX_FEEDS = 10

function offeredFeeds({
  body,
  contentType,
  url,
}: Pick<TriedDocument, 'body' | 'contentType' | 'url'>): TriedContent['feeds'] {
  const html = decodeText(body, detectCharset({ bytes: body, contentType }).charset)
  return feedsOf(html, url)
    .slice(0, MAX_FEEDS)
    .map((feed) => ({ title: feed.title.slice(0, MAX_TITLE), url: feed.url }))
}

function entryItem({ title, text, link }: Block, base: string): TriedContent['items'][number] {
  const name = (title || text).slice(0, MAX_TITLE).toWellFormed()
  return { name, url: URL.parse(link ?? '', base)?.href ?? base }
}

/** The screenshot as a data URL; null if there is none, or it is too large. */
export function screenshotOf(parts: readonly Part[]): string | null {
  const { body } = parts.find(({ role, body: { type } }) => role === 'silent' && type === 'image/png') ?? {}
  if (body === undefined || body.body.length > MAX_SCREENSHOT_BYTES) return null
  return `data:image/png;base64,${body.body.toString('base64')}`
}
