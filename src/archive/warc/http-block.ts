import { parseFields, WarcHeaders } from '../../core/warc/record-head.ts'

/** An HTTP message in the block of a record. */
export type HttpBlock = {
  /** Status line of a response, request line of a request. */
  statusLine: string
  /** Null for a request. */
  status: number | null
  headers: WarcHeaders
  /** As stored: with its content coding, and with chunks if the writer left them in. */
  body: Buffer
}

const maxHeaderBytes = 1024 * 1024
const requestLine =
  /^(?:[!-~]+ +\S.* [Hh][Tt][Tt][Pp]\/[\d.]{1,5}|(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT) +\S+) *$/

/** Null if the block isn't an HTTP message. Bare line feeds are accepted as line ends; a header without an end has no body. */
export function parseHttpBlock(block: Buffer): HttpBlock | null {
  const head = headerEnd(block)
  const lines = block.toString('latin1', 0, head.length).split(/\r?\n/)
  const statusLine = lines[0]!
  // Early servers sent no version, and some crawlers write none into their requests.
  const status = /^HTTP(?:\/[\d.x]{1,5})? +(\d{3})(?!\d)/i.exec(statusLine)?.[1]
  if (status === undefined && !requestLine.test(statusLine)) return null
  const headers = new WarcHeaders(parseFields(fieldLines(lines), 0) ?? [])
  return { statusLine, status: status === undefined ? null : Number(status), headers, body: block.subarray(head.taken) }
}

/** Leaves out lines that are no fields, with the lines that continue them. */
function fieldLines(lines: readonly string[]): string[] {
  const kept: string[] = []
  let isField = false
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]!
    if (line[0] !== ' ' && line[0] !== '\t') isField = line.indexOf(':') > 0
    if (isField) kept.push(line)
  }
  return kept
}

/** The body without chunks. Null if it is declared as chunked but the chunks are damaged. */
export function withoutChunks({ headers, body }: HttpBlock): Buffer | null {
  const coding = headers.get('Transfer-Encoding')
  if (coding === null || !/\bchunked\s*$/i.test(coding)) return body
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf(0x0a, at)
    if (lineEnd < 0 || lineEnd - at > 1024) return null
    const size = /^0*([0-9a-f]{1,8})[ \t]*(?:;.*)?\r?$/i.exec(body.toString('latin1', at, lineEnd))?.[1]
    if (size === undefined) return null
    const length = Number.parseInt(size, 16)
    if (length === 0) return Buffer.concat(parts)
    if (lineEnd + 1 + length > body.length) return null
    parts.push(body.subarray(lineEnd + 1, lineEnd + 1 + length))
    at = lineEnd + 1 + length
    if (body[at] === 0x0d) at++
    if (body[at] === 0x0a) at++
  }
}

function headerEnd(block: Buffer): { length: number; taken: number } {
  const searched = block.subarray(0, maxHeaderBytes)
  for (let feed = searched.indexOf(0x0a); feed >= 0; feed = searched.indexOf(0x0a, feed + 1)) {
    const next = searched[feed + 1] === 0x0d ? feed + 2 : feed + 1
    if (searched[next] === 0x0a) return { length: searched[feed - 1] === 0x0d ? feed - 1 : feed, taken: next + 1 }
  }
  return { length: searched.length, taken: block.length }
}

/** HTTP header blocks for records. Values are untrusted and must not be able to end a line. */

const unsafeInValue = /[\r\n\0\u0100-\uffff]/
const unsafeInName = /[\r\n\0: \t\u0100-\uffff]/
const beyondOctets = /[^\0-\xff]/

export type StoredBody = { length: number }

/**
 * The block for a body stored without its transfer coding: fields that would contradict the bytes are renamed, and the true length is
 * stated. A null body leaves the lengths alone: a revisit describes bytes stored elsewhere.
 */
export function httpHeaderBlock(startLine: string, rawHeaders: readonly string[], body: StoredBody | null): string {
  let text = `${lineValue(startLine)}\r\n`
  let statedLength = false
  let dropped = false
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = fieldName(rawHeaders[i]!)
    const value = lineValue(rawHeaders[i + 1]!)
    // Lengths are compared first: lower-casing every name would cost more than writing it.
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      dropped = true
      text += `X-Archive-Orig-${name}: ${value}\r\n`
    } else if (body !== null && name.length === 14 && name.toLowerCase() === 'content-length') {
      if (!statedLength && value.trim() === String(body.length)) {
        statedLength = true
        text += `${name}: ${value}\r\n`
      } else {
        dropped = true
        text += `X-Archive-Orig-${name}: ${value}\r\n`
      }
    } else text += `${name}: ${value}\r\n`
  }
  if (body !== null && dropped && !statedLength) text += `Content-Length: ${body.length}\r\n`
  return `${text}\r\n`
}

/** One line of octets: line breaks become spaces, characters beyond octets become UTF-8. */
export function lineValue(text: string): string {
  if (!unsafeInValue.test(text)) return text
  const octets = beyondOctets.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
  return octets.replace(/[\r\n\0]/g, ' ')
}

function fieldName(text: string): string {
  return unsafeInName.test(text) ? lineValue(text).replace(/[: \t]/g, '_') : text
}
