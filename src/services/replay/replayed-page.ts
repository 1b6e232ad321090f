import { inertPage, type Reach } from '../../core/inert/inert-page.ts'
import { inertDataUrl, leavingHref } from '../../core/inert/inert-url.ts'
import { textTypeOf } from '../../core/text/text-type.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import { contentFormOf, inUtf8 } from '../archive/content-form.ts'
import { replayPath } from './replay-path.ts'

export type Resource = { body: Buffer; contentType: string | undefined }

export type ReplayedPageOptions = {
  url: string
  /** When the page was captured: its links lead to that time. */
  at: number
  /** The stored resource of an address; null if there is none. */
  resource(url: string): Promise<Resource | null>
}

const maxSheets = 20
/** Sheets, and those that they import, and those that these import. */
const maxSheetRounds = 3
const maxPictures = 60
/** Maximum size of all style sheets, images and fonts of a page. */
const maxBytes = 8 * 1024 * 1024
const maxSheetBytes = 1024 * 1024
const atOnce = 4

/**
 * A stored page as it was: inert, with its stored style sheets, images and fonts inlined, and links that lead to the same time of other pages.
 * It makes no requests: a page without an origin sends no cookies, so everything it uses must be inlined.
 *
 * The page is rendered several times: to find its style sheets, then those that they import, then all pictures and fonts, and then with all of them.
 */
export async function replayPage(source: string, { url, at, resource }: ReplayedPageOptions): Promise<string> {
  const sheets = new Map<string, string | null>()
  const pictures = new Map<string, string | null>()
  let left = maxBytes

  const reach: Reach = {
    link: (href) => (/^https?:/.test(href) ? replayPath(at, href) : leavingHref(href, url)),
    sheet: (href) => known(sheets, href, maxSheets),
    picture: (href) => known(pictures, href, maxPictures),
  }

  async function load(wanted: Map<string, string | null>, read: (found: Resource) => string | null): Promise<boolean> {
    const asked = [...wanted].filter(([, value]) => value === null).map(([href]) => href)
    const found = await mapConcurrent(asked, atOnce, resource)
    for (const [n, href] of asked.entries()) {
      const each = found[n]!
      const isTaken = each !== null && each.body.length <= left
      if (isTaken) left -= each.body.length
      wanted.set(href, (isTaken ? read(each) : null) ?? '')
    }
    return asked.length > 0
  }

  let page = inertPage(source, url, reach)
  for (let round = 0; round < maxSheetRounds && (await load(sheets, sheetText)); round++)
    page = inertPage(source, url, reach)
  if (await load(pictures, inlineUrl)) page = inertPage(source, url, reach)
  return page
}

/** Looks up a resource ('' is unavailable, null not loaded yet), and queues an unknown one unless there are too many. */
function known(found: Map<string, string | null>, href: string, max: number): string | null {
  const value = found.get(href)
  if (value === undefined && found.size < max) found.set(href, null)
  return value === undefined || value === '' ? null : value
}

function sheetText({ body, contentType }: Resource): string | null {
  if (body.length > maxSheetBytes || !/^(?:text\/css)?$/.test(textTypeOf(contentType).media)) return null
  return inUtf8(body, contentType)
}

/** A picture or font as an address that contains it; null for anything else. */
function inlineUrl({ body, contentType }: Resource): string | null {
  const type = fontTypes.get(body.toString('latin1', 0, 4)) ?? pictureType(body, contentType)
  return type === null ? null : inertDataUrl(`data:${type};base64,${body.toString('base64')}`)
}

/** By the first bytes: fonts are served under many types, and under none. */
const fontTypes: ReadonlyMap<string, string> = new Map([
  ['wOF2', 'font/woff2'],
  ['wOFF', 'font/woff'],
  ['OTTO', 'font/otf'],
  ['\0\x01\0\0', 'font/ttf'],
  ['true', 'font/ttf'],
])

function pictureType(body: Buffer, contentType: string | undefined): string | null {
  const form = contentFormOf(contentType, body)
  if (form.kind === 'image') return form.type
  const type = textTypeOf(contentType).media
  return type === 'image/svg+xml' ? type : null
}
