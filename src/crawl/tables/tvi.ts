import { createHash } from 'node:crypto'
import { documentDigest, readDigest, readTable, writeTable } from './table-text.ts'

/**
 * PARCAHYD's table of volatile information: the parts of a document that change often, in a small file next to it. In HTML these are
 * `<span class="vol" id="…">`, in XML elements named `Vol1`, `Vol2`, …; the tags stay in the document, the part is what is between them. A
 * client that has the rest of the document completes it from the table, and the digest shows whether the result is right.
 */
export type VolatileTable = {
  /** SHA-256 of the document that it was made from. */
  document: Buffer
  /** SHA-256 of the document without the content of its parts. */
  stable: Buffer
  parts: readonly { id: string; content: Buffer }[]
}

/** Byte range of a part in a document: what is between its tags. */
export type VolatilePart = { id: string; start: number; end: number }

/** Maximum size of a table. */
export const MAX_TVI_BYTES = 1 << 20
const MAX_PARTS = 1000
const idForm = /^[!-~]{1,200}$/

/** Whether volatile parts are XML elements; XHTML uses spans. */
export function isXmlType(contentType: string | undefined): boolean {
  return /^\s*(?:application|text)\/(?:[\w.-]+\+)?xml\b/i.test(contentType ?? '') && !/xhtml/i.test(contentType ?? '')
}

/** Maximum length of a tag. The search continues after its end, or after this many characters, so each is read only once. */
const MAX_TAG = 4096

/** Relevant markup in HTML: spans, and sections in which a span isn't one. */
const htmlMark = /<!--|<(script|style|textarea|title)(?=[\s/>])|<(\/?)span(?=[\s/>])/gi
/** Relevant markup in XML. */
const xmlMark = /<!--|<!\[CDATA\[|<(\/?)(vol\d{1,9})(?=[\s/>])/gi
const tagEnd = /^(?:"[^"]*"|'[^']*'|[^"'>])*>/
const attribute = /[\s"'](class|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const volatileClass = /(?:^|\s)vol(?:\s|$)/

/**
 * Finds parts in document order; a part inside another belongs to it. Reads byte by byte, so positions are byte offsets in any
 * ASCII-compatible encoding. It need not agree with browsers on broken pages, only with itself, which the digests prove. Empty if there
 * are too many.
 */
export function findVolatileParts(body: Buffer, isXml: boolean): VolatilePart[] {
  const text = body.toString('latin1')
  if (!/\bvol(?:\b|\d)/i.test(text)) return []
  const parts = isXml ? findElements(text) : findSpans(text)
  return parts.length > MAX_PARTS ? [] : parts
}

function findSpans(text: string): VolatilePart[] {
  const parts: VolatilePart[] = []
  let open: { id: string; start: number; depth: number } | null = null
  htmlMark.lastIndex = 0
  for (let mark = htmlMark.exec(text); mark !== null; mark = htmlMark.exec(text)) {
    const [found, raw, slash] = mark
    if (found === '<!--') htmlMark.lastIndex = after(text, '-->', htmlMark.lastIndex)
    else if (raw !== undefined) htmlMark.lastIndex = afterRaw(text, raw, htmlMark.lastIndex)
    else if (slash === '/') {
      if (open === null || --open.depth > 0) continue
      parts.push({ id: open.id, start: open.start, end: mark.index })
      open = null
    } else if (open !== null) open.depth++
    else {
      const tag = tagEnd.exec(text.slice(mark.index, mark.index + MAX_TAG))?.[0]
      htmlMark.lastIndex = mark.index + (tag?.length ?? MAX_TAG)
      const id = tag === undefined ? '' : spanId(tag)
      if (idForm.test(id)) open = { id, start: mark.index + tag!.length, depth: 1 }
    }
  }
  return parts
}

/** Elements of the same name don't nest; the name is the id. */
function findElements(text: string): VolatilePart[] {
  const parts: VolatilePart[] = []
  let open: { id: string; start: number } | null = null
  xmlMark.lastIndex = 0
  for (let mark = xmlMark.exec(text); mark !== null; mark = xmlMark.exec(text)) {
    const [found, slash, name] = mark
    if (name === undefined) {
      xmlMark.lastIndex = after(text, found === '<!--' ? '-->' : ']]>', xmlMark.lastIndex)
    } else if (open === null && slash === '') {
      const tag = tagEnd.exec(text.slice(mark.index, mark.index + MAX_TAG))?.[0]
      xmlMark.lastIndex = mark.index + (tag?.length ?? MAX_TAG)
      if (tag !== undefined && !tag.endsWith('/>')) open = { id: name, start: mark.index + tag.length }
    } else if (open !== null && slash === '/' && name === open.id) {
      parts.push({ ...open, end: mark.index })
      open = null
    }
  }
  return parts
}

/** The index after the next `end`, or the length of the text. */
function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + end.length
}

function afterRaw(text: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(text)?.index ?? text.length
}

/** The id of a volatile span; empty for any other. */
function spanId(tag: string): string {
  const found = new Map<string, string>()
  for (const [, name = '', ...values] of tag.matchAll(attribute)) {
    const lower = name.toLowerCase()
    if (!found.has(lower)) found.set(lower, values.find((value) => value !== undefined) ?? '')
  }
  return volatileClass.test(found.get('class') ?? '') ? (found.get('id') ?? '') : ''
}

export function writeVolatileTable(body: Buffer, parts: readonly VolatilePart[]): string {
  const lines = parts.map(
    ({ id, start, end }) => `part ${octetText(id, ' ')} ${octetText(body.toString('latin1', start, end))}`,
  )
  const stable = stableDigest(body, parts).toString('hex')
  return writeTable('TVI', documentDigest(body), [`stable sha256:${stable}`, ...lines])
}

/** Null if it isn't a table of volatile parts. */
export function readVolatileTable(bytes: Buffer): VolatileTable | null {
  const table = readTable('TVI', bytes)
  const [first = '', ...lines] = table?.entries ?? []
  const stable = first.startsWith('stable ') ? readDigest(first.slice(7)) : null
  if (table === null || stable === null || lines.length > MAX_PARTS) return null
  const parts: { id: string; content: Buffer }[] = []
  for (const line of lines) {
    const [, id, content] = partForm.exec(line) ?? []
    if (id === undefined || content === undefined) return null
    parts.push({ id: octetsOf(id).toString('latin1'), content: octetsOf(content) })
  }
  return { document: table.document, stable, parts }
}

const partForm = /^part ([!-~]{1,600}) ([ -~]*)$/

/** `changed`: more than the parts has changed. `wrong`: the table contradicts itself. */
export type Completion = { kind: 'completed'; body: Buffer } | { kind: 'changed' | 'wrong' }

/** Reconstructs the document that the table was made from, given an earlier version. */
export function completeDocument(body: Buffer, parts: readonly VolatilePart[], table: VolatileTable): Completion {
  if (!stableDigest(body, parts).equals(table.stable)) return { kind: 'changed' }
  if (parts.length !== table.parts.length) return { kind: 'wrong' }
  if (parts.some(({ id }, at) => id !== table.parts[at]!.id)) return { kind: 'wrong' }
  const pieces: Buffer[] = []
  let from = 0
  for (const [at, { start, end }] of parts.entries()) {
    pieces.push(body.subarray(from, start), table.parts[at]!.content)
    from = end
  }
  const completed = Buffer.concat([...pieces, body.subarray(from)])
  return documentDigest(completed).equals(table.document) ? { kind: 'completed', body: completed } : { kind: 'wrong' }
}

/** Ids of the parts that differ between the table and the body. */
export function changedParts(body: Buffer, parts: readonly VolatilePart[], table: VolatileTable): string[] {
  return parts.flatMap(({ id, start, end }, at) =>
    body.subarray(start, end).equals(table.parts[at]!.content) ? [] : [id],
  )
}

function stableDigest(body: Buffer, parts: readonly VolatilePart[]): Buffer {
  const digest = createHash('sha256')
  let from = 0
  for (const { start, end } of parts) {
    digest.update(body.subarray(from, start))
    from = end
  }
  return digest.update(body.subarray(from)).digest()
}

/** Encodes octets as one line of text: everything but printable ASCII is percent-encoded, and so is `more`. */
function octetText(octets: string, more = ''): string {
  return octets.replaceAll(/[^ -$&-~]/g, encoded).replaceAll(more === '' ? /(?!)/g : more, encoded)
}

const encoded = (octet: string): string => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

function octetsOf(text: string): Buffer {
  const octets = text.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(octets, 'latin1')
}
