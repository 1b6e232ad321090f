import { Parser } from 'htmlparser2'
import { escapeHtml } from '../html/escape.ts'
import { maxDepth, parseBounded } from '../text/page-tree.ts'
import { type CssReach, inertCss } from './inert-css.ts'
import { fieldTypes, isInertAttribute, replaced, shownName, swallowed, voids } from './inert-tags.ts'
import { inertDataUrl, leavingHref } from './inert-url.ts'

/** Maximum characters read and written (links grow). A longer page is cut, with a notice. */
const maxSource = 5_000_000
const maxWritten = 20_000_000
/** Maximum characters of imported style sheets: each may be imported several times, and by itself. */
const maxImported = 2_000_000
const maxImportDepth = 5
/** Maximum characters of pictures and fonts: each is written wherever it is used. */
const maxInlined = 20_000_000

/**
 * What a page may reach if more of its site is archived: replacements for its links, style sheets, pictures and fonts. Addresses are absolute;
 * null for none.
 */
export type Reach = {
  link(href: string): string | null
  /** The source of a style sheet; it is made inert here. */
  sheet(href: string): string | null
  /** An inline picture or font. */
  picture(href: string): string | null
}

type OpenElement = {
  name: string
  /** The name it was written with; null if its tags were dropped. */
  written: string | null
  isSwallowed: boolean
}

/**
 * Makes a fetched page inert, in any browser and under any policy: frames, media, external pictures, forms, scripts and everything else
 * that can load, send or navigate are dropped, and links lead to our own page that shows their target. Layout and inline pictures are kept.
 * The page is written anew from allow lists, with every text and value escaped, so that a browser that parses the source differently finds
 * no more than what was written here. With `reach`, archived parts of its site are included.
 */
export function inertPage(source: string, url: string, reach?: Reach): string {
  const parts: string[] = []
  const open: OpenElement[] = []
  let base = url
  let isBased = false
  let isTitled = false
  let style: string | null = null
  let hidden = 0
  let drawings = 0
  let written = 0
  let importedLength = 0
  let inlinedLength = 0
  let isCut = source.length > maxSource

  function write(part: string): void {
    parts.push(part)
    written += part.length
  }

  function attributesOf(name: string, given: ReadonlyMap<string, string>): string {
    let text = ''
    const add = (key: string, value: string) => {
      text += ` ${key}="${escapeHtml(value)}"`
    }
    for (const [key, value] of given) {
      if (key === 'style') add(key, inertCss(value, attributeReach()))
      else if (isInertAttribute(key, value)) add(key, value)
    }
    if (name === 'style') {
      const media = given.get('media')
      if (media !== undefined) add('media', media)
    }
    if (name === 'img') {
      const picture = inertDataUrl(given.get('src') ?? '') ?? pictureOf(base)?.(given.get('src') ?? '') ?? null
      if (picture !== null) add('src', picture)
      const map = given.get('usemap')
      if (map?.startsWith('#') === true) add('usemap', map)
    }
    if (name === 'a' || name === 'area') text += linkOf(given.get('href') ?? given.get('xlink:href'))
    return text
  }

  function linkOf(href: string | undefined): string {
    if (href === undefined) return ''
    const place = href.trim()
    if (place.startsWith('#')) return ` href="${escapeHtml(place)}"`
    const leaving = leavingHref(place, base)
    if (leaving === null) return ''
    const whole = URL.parse(place, base)?.href ?? ''
    const kept = reach?.link(whole) ?? null
    if (kept !== null) return ` href="${escapeHtml(kept)}" target="_top" rel="noopener noreferrer"`
    return ` href="${escapeHtml(leaving)}" target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"`
  }

  /** Looks up pictures by addresses relative to a page or a sheet. */
  function pictureOf(from: string): ((address: string) => string | null) | undefined {
    if (reach === undefined) return undefined
    return (address) => {
      const whole = address.trim() === '' ? null : URL.parse(address, from)
      const picture = whole === null || !/^https?:$/.test(whole.protocol) ? null : reach.picture(withoutHash(whole))
      if (picture === null || inlinedLength + picture.length > maxInlined) return null
      inlinedLength += picture.length
      return picture
    }
  }

  /** What a sheet at this address may use. `depth`: by how many imports it is reached. */
  function cssReach(from: string, depth = 0): CssReach | undefined {
    const picture = pictureOf(from)
    return picture === undefined ? undefined : { picture, sheet: (address) => imported(address, from, depth + 1) }
  }

  /** An attribute can't import. */
  function attributeReach(): CssReach | undefined {
    const picture = pictureOf(base)
    return picture === undefined ? undefined : { picture, sheet: () => null }
  }

  function imported(address: string, from: string, depth: number): string | null {
    const whole = URL.parse(address, from)
    if (whole === null || !/^https?:$/.test(whole.protocol) || depth > maxImportDepth) return null
    const sheet = reach?.sheet(withoutHash(whole)) ?? null
    if (sheet === null || importedLength + sheet.length > maxImported) return null
    importedLength += sheet.length + 1
    return inertCss(sheet, cssReach(whole.href, depth))
  }

  /** Inserts an archived style sheet where it was linked. */
  function keepSheet(given: ReadonlyMap<string, string>): void {
    const names = (given.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (!names.includes('stylesheet') || names.includes('alternate') || given.has('disabled')) return
    const whole = URL.parse(given.get('href') ?? '', base)
    if (whole === null || !/^https?:$/.test(whole.protocol)) return
    const sheet = reach?.sheet(withoutHash(whole)) ?? null
    const media = given.has('media') ? ` media="${escapeHtml(given.get('media')!)}"` : ''
    if (sheet !== null) write(`<style${media}>${inertCss(sheet, cssReach(whole.href))}</style>`)
  }

  /** Writes a placeholder for something that isn't shown. Frames that were invisible anyway leave nothing. */
  function place(words: string, given: ReadonlyMap<string, string>): void {
    if (isUnseen(given)) return
    const address = (given.get('src') ?? given.get('data') ?? '').trim()
    const leaving = address === '' ? null : leavingHref(address, base)
    const link = leaving === null ? '' : `: <a${linkOf(address)}>${escapeHtml(shortened(address, base))}</a>`
    write(`<span class="erace-not-shown" style="${placeStyle}">${words}${link}</span>`)
  }

  function openElement(name: string, given: ReadonlyMap<string, string>): string | null {
    const words = replaced.get(name)
    if (words !== undefined) place(words, given)
    if (name === 'meta') keepViewport(given)
    if (name === 'link' && reach !== undefined) keepSheet(given)
    const shown = shownName(name)
    if (shown === null || isDropped(shown, given)) return null
    if (shown === 'svg') drawings++
    write(`<${shown}${attributesOf(shown, given)}>`)
    if (shown === 'style') style = ''
    return shown
  }

  /** Whether an element that could be shown is dropped because of its attributes or position. */
  function isDropped(name: string, given: ReadonlyMap<string, string>): boolean {
    const type = given.get('type')?.trim().toLowerCase() ?? ''
    if (name === 'style') return type !== '' && type !== 'text/css'
    if (name === 'input') return type !== '' && !fieldTypes.has(type)
    if (name !== 'title') return false
    const isFirst = !isTitled && drawings === 0
    isTitled ||= isFirst
    return !isFirst
  }

  function keepViewport(given: ReadonlyMap<string, string>): void {
    const name = given.get('name')?.trim().toLowerCase()
    if (name === 'viewport' || name === 'color-scheme')
      write(`<meta name="${name}" content="${escapeHtml(given.get('content') ?? '')}">`)
  }

  function noteBase(given: ReadonlyMap<string, string>): void {
    const href = given.get('href')
    if (isBased || href === undefined) return
    isBased = true
    const next = URL.parse(href, url)
    if (next !== null && /^https?:$/.test(next.protocol)) base = next.href
  }

  /**
   * In HTML, elements that hold only text end before a tag. The parser may see a tag in one while it still takes the page for a drawing,
   * which browsers ended long before: everything that follows would be hidden.
   */
  function releaseText(): void {
    const outer = open.at(-1)
    if (outer === undefined) return
    if (outer.written === 'style' || outer.written === 'title') {
      close(outer.written)
      outer.written = null
    }
    if (!outer.isSwallowed || outer.name === 'template') return
    outer.isSwallowed = false
    hidden--
  }

  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      const given = new Map(Object.entries(attributes))
      releaseText()
      if (name === 'base') noteBase(given)
      const shown = hidden > 0 || isTooMuch() ? null : openElement(name, given)
      const isSwallowed = swallowed.has(name) || ((name === 'title' || name === 'style') && shown === null)
      if (isSwallowed) hidden++
      open.push({ name, written: shown, isSwallowed })
      isCut ||= open.length > maxDepth
    },
    onclosetag() {
      const closed = open.pop()
      if (closed === undefined) return
      if (closed.isSwallowed) hidden--
      if (closed.written !== null) close(closed.written)
    },
    ontext(text) {
      if (hidden > 0) return
      if (style === null) write(escapeHtml(text))
      else style += text
    },
    onprocessinginstruction(name) {
      if (name.toLowerCase() === '!doctype' && parts.length === 0) write('<!DOCTYPE html>')
    },
  })

  function close(name: string): void {
    if (name === 'style') {
      write(inertCss(style ?? '', cssReach(base)))
      style = null
    }
    if (name === 'svg') drawings--
    if (!voids.has(name)) write(`</${name}>`)
  }

  const isTooMuch = () => written > maxWritten || open.length > maxDepth

  if (!parseBounded(parser, source.slice(0, maxSource), isTooMuch)) {
    isCut = true
    for (const { written } of open.toReversed()) if (written !== null) close(written)
  }
  if (isCut) write(cutNotice)
  return parts.join('')
}

function withoutHash(url: URL): string {
  return url.href.slice(0, url.href.length - url.hash.length)
}

function isUnseen(given: ReadonlyMap<string, string>): boolean {
  const isTiny = (size: string | undefined) => size !== undefined && /^\s*0*[01](?:px)?\s*$/.test(size)
  return (
    given.has('hidden') ||
    isTiny(given.get('width')) ||
    isTiny(given.get('height')) ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(given.get('style') ?? '')
  )
}

const MAX_SHOWN = 100

function shortened(address: string, base: string): string {
  const href = URL.parse(address, base)?.href ?? address
  return href.length > MAX_SHOWN ? `${href.slice(0, MAX_SHOWN)}…` : href
}

const placeStyle =
  'display:inline-block;box-sizing:border-box;max-width:100%;margin:2px 0;padding:4px 8px;border:1px dashed #767676;' +
  'border-radius:4px;background:#fff;color:#333;font:14px/1.4 sans-serif;overflow-wrap:anywhere'

const cutNotice = `<p class="erace-cut" style="${placeStyle}">The page is too long or too deeply nested to be shown in full. The text and the original bytes are complete.</p>`
