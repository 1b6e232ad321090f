import { sharedMedia } from '../../archive/body-reader.ts'
import { documentText } from '../../core/text/document-text.ts'
import { readItemFacts } from '../worker/visit/item-facts.ts'

export type Readable = { body: Buffer; contentType: string; url: string }

export type PageFacts = { text(): string; title: string; links: readonly string[] }

const MAX_LINKS = 10_000

/** Text, title and links of a page. A document such as PDF is converted to a page first. */
export async function readPageFacts(document: Readable): Promise<PageFacts> {
  const media = sharedMedia()
  const converted = media.converts(document) ? await media.read(document) : null
  const { body, contentType, url } = converted?.kind === 'converted' ? { ...document, ...converted } : document
  const { title, links } = readItemFacts(body, contentType, { url, maxLinks: MAX_LINKS })
  return { text: () => documentText(body, { contentType, lines: true }) ?? '', title, links }
}
