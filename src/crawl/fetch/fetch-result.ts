import { isUtf8 } from 'node:buffer'
import type { ErrorCode, Retry } from '../../core/errors.ts'
import { essenceOf } from '../../core/http/media-type.ts'

export type FetchRequest = {
  url: string
  /** Body of a POST; without it, the request is a GET. Its type is a header; the client writes its length. A POST is never retried. */
  body?: Buffer
  /** A CORS preflight: an OPTIONS request that asks whether pages of another origin may send a request. */
  isPreflight?: true
  /** Conditional headers, Accept and the like. Headers that frame a message (Host, Connection, …) are refused. */
  headers?: Record<string, string>
  /** Reads the body of any media type, as for robots.txt. */
  anyType?: boolean
  /** Called with the `Link` fields of 103 Early Hints (one character per byte) before the response arrives. */
  onEarlyHints?(links: string[]): void
  /**
   * Asked right before the request is written: long after the call, if it needs a connection or the process is suspended in between. If it
   * may not, the result is `lease-lost`.
   */
  mayBegin?(): boolean
  /** Overrides the fetcher's limit for this request. */
  maxBodyBytes?: number
}

export type ResponseHead = {
  status: number
  /** The status line as received, including the protocol version; one character per byte. */
  statusLine: string
  /** name, value, name, value, … as sent; one character per byte. */
  rawHeaders: string[]
  /** The address that answered. */
  address: string
  /** Wall-clock milliseconds. */
  startedAt: number
  /** From the start, including DNS and connecting, to the first byte of the response. */
  firstByteMs: number
  totalMs: number
  /** Header, framing and body as received. */
  wireBytes: number
}

export type FetchResponse = ResponseHead & {
  kind: 'response'
  /** Without transfer encoding, still in its content encoding. */
  body: Buffer
  /** Why the body is incomplete: the limit on its length, or on the time for the whole exchange. */
  truncated: 'length' | 'time' | null
}

/** All are made here, with their properties in one order, for the same reason as queued requests (`core/request.ts`). */
export function fetchResponse(
  head: ResponseHead,
  { body, truncated }: Pick<FetchResponse, 'body' | 'truncated'>,
): FetchResponse {
  return {
    kind: 'response',
    status: head.status,
    statusLine: head.statusLine,
    rawHeaders: head.rawHeaders,
    address: head.address,
    startedAt: head.startedAt,
    firstByteMs: head.firstByteMs,
    totalMs: head.totalMs,
    wireBytes: head.wireBytes,
    body,
    truncated,
  }
}

/** The media type is not collected: the body was not read. */
export type FetchSkipped = ResponseHead & { kind: 'skipped'; reason: 'type' }

export type FetchFailure = {
  kind: 'failed'
  code: ErrorCode
  message: string
  retry: Retry
  /** The address tried last, if any. */
  address: string | null
  totalMs: number
}

export type FetchResult = FetchResponse | FetchSkipped | FetchFailure

/**
 * Whether a response is complete. Partial content (206) was not requested, and "accepted" (202) without a body means that
 * there is nothing yet. Any other success is as good as 200: a client treats an unknown status as the first of its
 * class (RFC 9110, 15).
 */
export function isWholeAnswer(status: number, bodyBytes: number): boolean {
  return status >= 200 && status < 300 && status !== 206 && (status !== 202 || bodyBytes > 0)
}

/**
 * The target of a redirect, as text: servers that send non-ASCII bytes there mean UTF-8. Bytes that aren't UTF-8 are percent-encoded, so that
 * the server gets back what it sent.
 */
export function locationOf(rawHeaders: readonly string[]): string | undefined {
  const octets = headerValue(rawHeaders, 'location')
  if (octets === undefined || !/[\x80-\xff]/.test(octets)) return octets
  const bytes = Buffer.from(octets, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return octets.replace(/[\x80-\xff]/g, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The first value of a header; `name` is in lower case. */
export function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (isHeader(rawHeaders[i]!, name)) return rawHeaders[i + 1]
  }
  return undefined
}

/** All values of a header, one per field line. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHeader(rawHeaders[i]!, name)) values.push(rawHeaders[i + 1]!)
  return values
}

/** All values of a header as one list, the way RFC 9110 joins repeated fields. */
export function headerList(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!isHeader(rawHeaders[i]!, name)) continue
    joined = joined === undefined ? rawHeaders[i + 1] : `${joined}, ${rawHeaders[i + 1]}`
  }
  return joined
}

/** Cached: a server has few values of this header, and is asked for thousands of pages. */
const mediaTypes = new Map<string, string>()
const maxMediaTypes = 64
const maxKeptChars = 128

/** The media type in lower case without its parameters; `''` if the server named none. */
export function mediaTypeOf(rawHeaders: readonly string[]): string {
  const sent = headerList(rawHeaders, 'content-type') ?? ''
  const known = mediaTypes.get(sent)
  if (known !== undefined) return known
  // A copy, so that the cache does not retain the whole header that it was sliced from.
  const type = Buffer.from(sent, 'latin1').toString('latin1')
  const mediaType = essenceOf(type)
  if (type.length <= maxKeptChars) {
    if (mediaTypes.size >= maxMediaTypes) mediaTypes.clear()
    mediaTypes.set(type, mediaType)
  }
  return mediaType
}

/** Compares letter by letter: nearly all fields differ in the first one, and nothing is copied. */
function isHeader(field: string, name: string): boolean {
  if (field.length !== name.length) return false
  for (let i = 0; i < name.length; i++) if ((field.charCodeAt(i) | 0x20) !== name.charCodeAt(i)) return false
  return true
}
