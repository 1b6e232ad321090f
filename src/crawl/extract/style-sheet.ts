import { cssAddresses } from '../../core/css/css-addresses.ts'
import { bomEncoding, decodeText, httpContentTypeEncoding, resolveEncoding } from '../../core/http/charset.ts'
import type { Found } from './link-collector.ts'
import { isNoPageLink, trimHtmlWhitespace } from './link-text.ts'

/** The rest of a longer sheet is not read. */
const MAX_SHEET_BYTES = 1024 * 1024
const maxLinkCharacters = 8192
const noText: Omit<Found<never>, 'links' | 'droppedLinks' | 'longLinks'> = { metas: [], title: '' }

/** Reads a style sheet as a page that links to what it loads: imported sheets, pictures and fonts. */
export function extractStyleSheet(
  body: Buffer,
  { contentType = '', maxLinks }: { contentType: string | undefined; maxLinks: number },
): Found<never> {
  const found: Found<never> = { ...noText, links: [], droppedLinks: 0, longLinks: 0 }
  for (const address of cssAddresses(decodeText(body.subarray(0, MAX_SHEET_BYTES), sheetEncoding(body, contentType)))) {
    const href = trimHtmlWhitespace(address)
    if (href === '' || isNoPageLink(href)) continue
    if (href.length > maxLinkCharacters) found.longLinks++
    if (href.length > maxLinkCharacters || found.links.length >= maxLinks) found.droppedLinks++
    else found.links.push({ href, tag: 'link', nofollow: false, known: null })
  }
  return found
}

/** As the CSS Syntax standard says, but UTF-8 instead of the encoding of a page that uses the sheet. */
function sheetEncoding(body: Buffer, contentType: string): string {
  const named = bomEncoding(body) ?? httpContentTypeEncoding(contentType)
  if (named !== undefined) return named
  const label = /^@charset "([^"]*)";/.exec(body.toString('latin1', 0, 1024))?.[1]
  const declared = label === undefined ? undefined : resolveEncoding(label)
  // The declaration could be read, so it can't be in UTF-16.
  return declared === undefined || declared.startsWith('utf-16') ? 'utf-8' : declared
}
