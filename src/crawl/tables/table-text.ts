import { hash } from 'node:crypto'
import { bodyDigest } from '../../core/url/fingerprint.ts'

/**
 * The format that both tables share: lines of UTF-8, each a keyword and its value. The first line has kind and version, the second the
 * document that the table was made from, and the last the number of entries and a digest of everything before it. This detects tables
 * that were cut off or edited, and files that aren't tables.
 */
export type TableKind = 'TOL' | 'TVI'

export type TableLines = {
  /** SHA-256 of the document. */
  document: Buffer
  /** All lines between the first two and the last. */
  entries: readonly string[]
}

const VERSION = 1
const digestForm = /^sha256:([0-9a-f]{64})$/
const lastForm = /^end (\d{1,7}) (sha256:[0-9a-f]{64})$/

/** How tables write a digest. */
export const digestName = (digest: Uint8Array): string => `sha256:${Buffer.from(digest).toString('hex')}`

export function writeTable(kind: TableKind, document: Uint8Array, entries: readonly string[]): string {
  const lines = [`eRACE-${kind} ${VERSION}`, `document ${digestName(document)}`, ...entries]
  const text = `${lines.join('\n')}\n`
  return `${text}end ${entries.length} sha256:${hash('sha256', text)}\n`
}

/** Null for anything that is not a whole table of this kind and version. */
export function readTable(kind: TableKind, bytes: Buffer): TableLines | null {
  const head = `eRACE-${kind} ${VERSION}\n`
  // Check the start first, so that an error page of some megabytes costs nothing.
  if (bytes.toString('latin1', 0, head.length) !== head) return null
  const text = bytes.toString('utf8')
  const lastAt = text.lastIndexOf('\n', text.length - 2) + 1
  const last = lastForm.exec(text.slice(lastAt).trimEnd())
  if (last === null) return null
  const before = text.slice(0, lastAt)
  if (`sha256:${hash('sha256', before)}` !== last[2]) return null
  const [, second = '', ...entries] = before.slice(0, -1).split('\n')
  const document = second.startsWith('document ') ? readDigest(second.slice(9)) : null
  return document === null || entries.length !== Number(last[1]) ? null : { document, entries }
}

/** Whether it claims to be a table of this kind, of any version, complete or not. */
export function isTable(kind: TableKind, bytes: Buffer): boolean {
  const head = `eRACE-${kind} `
  return bytes.toString('latin1', 0, head.length) === head
}

/** Null if the text isn't a digest. */
export function readDigest(text: string): Buffer | null {
  const hex = digestForm.exec(text)?.[1]
  return hex === undefined ? null : Buffer.from(hex, 'hex')
}

export const documentDigest = (body: Uint8Array): Buffer => bodyDigest(body)

/** File name for a URL that names none: what servers show for a folder. */
const INDEX = 'index.html'

/**
 * The URL of a page's table: next to the document, under its name with the suffix. Null for a URL with a query, which isn't served from
 * a file.
 */
export function tableUrl(kind: TableKind, pageUrl: string): string | null {
  const end = pageUrl.indexOf('#')
  const url = end < 0 ? pageUrl : pageUrl.slice(0, end)
  if (url.includes('?')) return null
  return `${url}${url.endsWith('/') ? INDEX : ''}.${kind}`
}
