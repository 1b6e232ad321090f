import { createHash } from 'node:crypto'

/** Of longer lists the beginning is kept. */
const MAX_LIST_CHARS = 1 << 20

/** The links of a page, one a line; those within its own origin, as most are, begin with their path. */
export function joinLinks(links: readonly string[], pageUrl: string): string {
  if (links.length === 0) return ''
  const own = `\n${originOf(pageUrl)}/`
  const list = `\n${links.join('\n')}`.replaceAll(own, '\n/').slice(1)
  if (list.length <= MAX_LIST_CHARS) return list
  return list.slice(0, Math.max(0, list.lastIndexOf('\n', MAX_LIST_CHARS)))
}

export function splitLinks(list: string, pageUrl: string): string[] {
  if (list === '') return []
  const origin = originOf(pageUrl)
  return list.split('\n').map((link) => (link.startsWith('/') ? `${origin}${link}` : link))
}

/** Tells whether two lists are the same without either of them travelling. */
export function linkHash(list: string, naming: number): Buffer {
  return createHash('sha256').update(`${naming}\n${list}`).digest().subarray(0, 16)
}

function originOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? url : url.slice(0, path)
}
