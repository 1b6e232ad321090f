import { isUtf8 } from 'node:buffer'
import type { Address, Email, PostalMimeOptions } from 'postal-mime'
import { htmlBodyDeclaredEncoding } from '../http/charset.ts'
import { type BodyDecoder, createBytes, createPlainDecoder, createQuotedDecoder } from './body-decoders.ts'
import { unflowed } from './flowed-text.ts'
import { decodeUtf7, isUtf7, withoutUtf7Words } from './utf7.ts'

export type MimeReader = {
  parse(source: Buffer, options: PostalMimeOptions): Promise<Email>
  /** Decodes encoded words (RFC 2047). */
  decodeWords(text: string): string
  /** The addresses of a header field, with their encoded words decoded. */
  parseAddresses(field: string): Address[]
}

type StructuredField = { value: string; params: Record<string, string> }

/** The part of postal-mime's class that is changed here. */
type MimeNode = {
  state: 'header' | 'body' | 'finished'
  parentNode?: MimeNode
  childNodes: readonly MimeNode[]
  headerLines: readonly string[]
  contentType: { parsed: StructuredField; multipart: string | false }
  contentDisposition: { parsed: StructuredField }
  contentDecoder: (BodyDecoder & { chunks?: unknown }) | null
  content: ArrayBuffer | null
  setupContentDecoder(encoding: string): void
  feed(line: Uint8Array): void
  processHeaders(): void
  finalize(): Promise<void>
  getTextContent(): string
  decodeFlowedText(text: string, hasDeletedSpaces: boolean): string
}

/** The same of the class that parses a message, and those within it with parsers of their own. */
type MessageParser = { rfc822NestingDepth: number; parse(source: unknown): Promise<Email> }

let loaded: Promise<MimeReader> | undefined

/**
 * postal-mime with some fixes:
 *
 * - It keeps every line of a body as a separate object and joins them as the parts of a Blob, which takes minutes for a message of some
 *   megabytes of short lines, and anyone can send one. Here they are joined as they arrive.
 * - It changes the line endings of bodies and adds one at their end. Here attachments are what was sent.
 * - It drops the text of parts without header, of multiparts without parts and of those with an invalid type.
 * - It joins flowed lines of a quotation with their quotation marks.
 * - It reads other bytes than UTF-8 in the headers of parts as broken characters. Here they are Western European.
 * - It knows neither UTF-7 nor the encoding that an HTML part itself declares.
 * - It shows dates of forwarded messages in the time zone and the language of the machine. Here they are in UTC.
 */
export function loadMimeReader(): Promise<MimeReader> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<MimeReader> {
  const { default: PostalMime, decodeWords, addressParser } = await import('postal-mime')
  const { root } = new PostalMime() as unknown as { root: MimeNode }
  mend(Object.getPrototypeOf(root))
  mendDates(PostalMime.prototype as unknown as MessageParser)
  return { parse: (source, options) => PostalMime.parse(source, options), decodeWords, parseAddresses: addressParser }
}

function mendDates(parser: MessageParser): void {
  const { parse } = parser
  parser.parse = async function (source) {
    const email = await parse.call(this, source)
    if (this.rfc822NestingDepth > 0 && email.date !== undefined) email.date = shownDate(email.date)
    return email
  }
}

/** Not a date to the library, which leaves such texts as they are. */
const shownDate = (date: string): string => date.replace(/^([\d-]{10})T([\d:]{8})\.\d+Z$/, '$1 at $2 UTC')

function mend(node: MimeNode): void {
  const { setupContentDecoder, feed, processHeaders, finalize, getTextContent } = node

  node.setupContentDecoder = function (encoding) {
    if (/quoted-printable/i.test(encoding)) this.contentDecoder = createQuotedDecoder()
    else if (!/base64/i.test(encoding)) this.contentDecoder = createPlainDecoder()
    else {
      setupContentDecoder.call(this, encoding)
      if (this.contentDecoder !== null) this.contentDecoder.chunks = createJoinedChunks()
    }
  }

  node.feed = function (line) {
    const isFirst = this.state === 'header' && this.parentNode !== undefined && this.headerLines.length === 0
    if (isFirst && line.length > 0 && !isField(line)) {
      this.state = 'body'
      this.processHeaders()
    }
    feed.call(this, this.state === 'header' ? readable(line) : line)
  }

  node.processHeaders = function () {
    processHeaders.call(this)
    const { parsed } = this.contentType
    const { params } = this.contentDisposition.parsed
    if (params.filename !== undefined) params.filename = withoutUtf7Words(params.filename)
    if (parsed.params.name !== undefined) parsed.params.name = withoutUtf7Words(parsed.params.name)
    parsed.value = readType(parsed.value, parsed.params.name ?? params.filename)
  }

  node.finalize = async function () {
    await finalize.call(this)
    if (this.contentType.multipart === false || this.childNodes.length > 0) return
    this.contentType.multipart = false
    this.contentType.parsed.value = 'text/plain'
  }

  node.decodeFlowedText = unflowed

  node.getTextContent = function () {
    const { value, params } = this.contentType.parsed
    const bytes = Buffer.from(this.content ?? new ArrayBuffer(0))
    if (isUtf7(params.charset)) {
      this.content = new TextEncoder().encode(decodeUtf7(bytes.toString('latin1'))).buffer
      params.charset = 'utf-8'
    } else if (value === 'text/html' && !params.charset && !isUtf8(bytes)) {
      params.charset = htmlBodyDeclaredEncoding(bytes) ?? ''
    }
    return getTextContent.call(this)
  }
}

const westernEuropean = new TextDecoder('windows-1252')

/** A line of a header, in UTF-8. */
const readable = (line: Uint8Array): Uint8Array =>
  isUtf8(line) ? line : new TextEncoder().encode(westernEuropean.decode(line))

const field = /^[ \t]*[!-9;-~]+[ \t]*:/

const isField = (line: Uint8Array): boolean =>
  field.test(Buffer.from(line.buffer, line.byteOffset, Math.min(line.length, 200)).toString('latin1'))

/** Comments and white space may be around the slash. What is no type is text (RFC 2045, 5.2), unless it is a file. */
function readType(value: string, fileName: string | undefined): string {
  const [, type, subtype] = /^\s*([\w!#$&^.+-]+)\s*\/\s*([\w!#$&^.+-]+)/.exec(value) ?? []
  if (type !== undefined) return `${type}/${subtype}`
  return fileName === undefined ? 'text/plain' : 'application/octet-stream'
}

/** The part of the array interface that decoders use: chunks are pushed, and a Blob is made from the iterator, which yields one piece. */
function createJoinedChunks() {
  const bytes = createBytes()
  return {
    push(chunk: ArrayBuffer): void {
      bytes.push(new Uint8Array(chunk))
    },
    *[Symbol.iterator](): Generator<Uint8Array> {
      yield bytes.view()
    },
  }
}
