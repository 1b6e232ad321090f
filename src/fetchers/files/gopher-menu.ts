import { isUtf8 } from 'node:buffer'
import { type GopherUrl, gopherUrlOf, gopherUrlText } from './gopher-url.ts'

/** A line of a menu (RFC 1436, 3.4). */
export type MenuEntry = {
  type: string
  text: string
  /** Link target; '' for none. */
  url: string
}

export type Menu = { title: string; entries: readonly MenuEntry[] }

const maxEntries = 50_000

/** The entries up to the line with a single dot, without empty lines. */
export function readMenu(body: Buffer): Menu {
  const isText = isUtf8(body)
  const entries: MenuEntry[] = []
  let title = ''
  for (const line of body.toString('latin1').split('\n', maxEntries)) {
    const [head = '', selector = '', host = '', port = ''] = line.replace(/\r$/, '').split('\t')
    if (line.replace(/\r$/, '') === '.') break
    // Authors write comments as lines without tabs, and clients show them as text.
    const isEntry = line.includes('\t')
    const type = isEntry ? head.slice(0, 1) : 'i'
    const shown = textOf(isEntry ? head.slice(1) : head, isText)
    if (type === 'i' && selector === 'TITLE') title ||= shown
    if (isEntry || shown !== '') entries.push({ type, text: shown, url: linkOf({ type, selector, host, port }) })
  }
  return { title, entries }
}

function textOf(text: string, isText: boolean): string {
  const decoded = isText ? Buffer.from(text, 'latin1').toString('utf8') : text
  return decoded.replace(/\p{Cc}/gu, ' ')
}

type Address = { type: string; selector: string; host: string; port: string }

const foreignSchemes = /^(?:https?|ftps?|gopher|nntps?|news):\/\/[^\s/]/i

/** Links to other protocols have `URL:https://…` in place of a selector. */
function linkOf({ type, selector, host, port }: Address): string {
  const foreign = /^\/?URL:(.*)$/.exec(selector)?.[1]
  if (foreign !== undefined) return foreignSchemes.test(foreign) ? (URL.parse(foreign)?.href ?? '') : ''
  if (host === '' || !/^\d{1,5}$/.test(port.trim())) return ''
  const url: GopherUrl = { host: host.trim(), port: Number(port), type, selector: Buffer.from(selector, 'latin1') }
  try {
    return gopherUrlText(gopherUrlOf(gopherUrlText(url)))
  } catch {
    // Shown without a link.
    return ''
  }
}

/** A menu as an HTML page: text lines as they are, entries as links. */
export function menuPage({ title, entries }: Menu, otherwise: string): string {
  const parts: string[] = []
  let text: string[] = []
  let links: string[] = []
  const flush = (): void => {
    if (text.some((line) => line.trim() !== '')) parts.push(`<pre>${text.join('\n')}</pre>`)
    if (links.length > 0) parts.push(`<ul>\n${links.join('\n')}\n</ul>`)
    text = []
    links = []
  }
  for (const { type, text: shown, url } of entries) {
    if (type === 'i' || type === '3') {
      if (links.length > 0) flush()
      text.push(escaped(shown))
    } else {
      if (text.length > 0) flush()
      links.push(url === '' ? `<li>${escaped(shown)}</li>` : `<li><a href="${escaped(url)}">${escaped(shown)}</a></li>`)
    }
  }
  flush()
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>${escaped(title || otherwise)}</title></head><body>\n${parts.join('\n')}\n</body></html>\n`
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
