import { textTypeOf } from '../../core/text/text-type.ts'

/** Kinds of documents that have to be converted to text. */
export type MediaKind = 'pdf' | 'docx' | 'odt' | 'epub' | 'markdown' | 'csv' | 'message'

export type MediaDocument = { body: Uint8Array; contentType: string | undefined; url: string }

const kinds: ReadonlyMap<string, MediaKind> = new Map([
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.template', 'docx'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.text-template', 'odt'],
  ['application/epub+zip', 'epub'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/csv', 'csv'],
  ['application/csv', 'csv'],
  ['text/comma-separated-values', 'csv'],
  ['text/tab-separated-values', 'csv'],
  ['message/rfc822', 'message'],
  ['message/global', 'message'],
  ['message/news', 'message'],
])

/** Generic types that only say that it is a file. */
const vague = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/zip',
  'application/x-zip-compressed',
])

/** How the document is converted; null for texts, which need no conversion, and for types without text. */
export function mediaKindOf({ body, contentType, url }: MediaDocument): MediaKind | null {
  const { kind, media, isUntold } = textTypeOf(contentType)
  if (kind === 'html' || kind === 'xhtml' || kind === 'xml') return null
  const known = kinds.get(media)
  if (known !== undefined) return known
  if (isUntold || vague.has(media)) return sniffed(body)
  return media === 'text/plain' ? namedKind(url) : null
}

/** Whether documents of this type may be convertible, judged by the type alone. */
export function mayConvert(contentType: string): boolean {
  const { media, isUntold } = textTypeOf(contentType)
  return isUntold || kinds.has(media) || vague.has(media)
}

const namedKinds: ReadonlyMap<string, MediaKind> = new Map([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
])

/** Servers rarely know these types and send them as plain text. */
function namedKind(url: string): MediaKind | null {
  const suffix = /\.(\w{2,8})(?:[?#]|$)/.exec(url)?.[1]
  return suffix === undefined ? null : (namedKinds.get(suffix.toLowerCase()) ?? null)
}

const pdfMark = Buffer.from('%PDF-')
const zipMark = Buffer.from('PK\x03\x04', 'latin1')
const nameStart = 30

function sniffed(body: Uint8Array): MediaKind | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes.subarray(0, pdfMark.length).equals(pdfMark)) return 'pdf'
  if (!bytes.subarray(0, zipMark.length).equals(zipMark)) return null
  // ODF and EPUB begin with a file that names their type, uncompressed for this very purpose.
  const start = bytes.toString('latin1', nameStart, nameStart + 128)
  if (start.startsWith('mimetypeapplication/epub+zip')) return 'epub'
  if (start.startsWith('mimetypeapplication/vnd.oasis.opendocument.text')) return 'odt'
  if (bytes.includes('word/document.xml')) return 'docx'
  return bytes.includes('META-INF/container.xml') ? 'epub' : null
}
