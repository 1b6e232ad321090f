import type { ErrorCode, Retry } from '../../core/errors.ts'

export type FetchRequest = {
  url: string
  /** Of a POST; without one it is a GET. Its type is a header; its length is written by the client. It is sent once, whatever happens. */
  body?: Buffer
  /** Asks a server whether pages of another origin may send a request (CORS): an OPTIONS request, instead of a GET. */
  isPreflight?: true
  /** Conditional headers, Accept and the like. Those that frame a message (Host, Connection, …) are refused. */
  headers?: Record<string, string>
  /** Read the body of any media type, as for robots.txt. */
  anyType?: boolean
  /** Called with the `Link` fields of 103 Early Hints, one character for each byte, while the response is on its way. */
  onEarlyHints?(links: string[]): void
  /** Lowers or raises the fetcher's own limit for this request. */
  maxBodyBytes?: number
}

export type ResponseHead = {
  status: number
  /** The first line as it came, with the version of the protocol, one character for each byte. */
  statusLine: string
  /** name, value, name, value, … as sent, one character for each byte. */
  rawHeaders: string[]
  /** The address that answered. */
  address: string
  /** Wall-clock milliseconds. */
  startedAt: number
  /** From the start, name and connection included, to the first byte of the response. */
  firstByteMs: number
  totalMs: number
  /** Header, framing and body as they came. */
  wireBytes: number
}

export type FetchResponse = ResponseHead & {
  kind: 'response'
  /** Without transfer encoding, still in its content encoding. */
  body: Buffer
  /** Why the body ends before its end: the limit on its length, or on the time for the whole exchange. */
  truncated: 'length' | 'time' | null
}

/** The media type is not collected: the body was not read. */
export type FetchSkipped = ResponseHead & { kind: 'skipped'; reason: 'type' }

export type FetchFailure = {
  kind: 'failed'
  code: ErrorCode
  message: string
  retry: Retry
  /** The address that was tried last, if it came to that. */
  address: string | null
  totalMs: number
}

export type FetchResult = FetchResponse | FetchSkipped | FetchFailure

/**
 * Whether a response holds all that was asked for. A part (206) was not, and "accepted" (202) without a body says that
 * there is nothing yet. Any other success is as good as 200: a client treats what it does not know as the first of its
 * class (RFC 9110, 15).
 */
export function isWholeAnswer(status: number, bodyBytes: number): boolean {
  return status >= 200 && status < 300 && status !== 206 && (status !== 202 || bodyBytes > 0)
}

/** Where a redirect leads, as text: servers that write more than ASCII there mean UTF-8. */
export function locationOf(rawHeaders: readonly string[]): string | undefined {
  const octets = headerValue(rawHeaders, 'location')
  return octets !== undefined && /[\x80-\xff]/.test(octets) ? Buffer.from(octets, 'latin1').toString('utf8') : octets
}

/** The first value under that name, which is given in lower case. */
export function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (isHeader(rawHeaders[i]!, name)) return rawHeaders[i + 1]
  }
  return undefined
}

/** Each value under that name, one per field line. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHeader(rawHeaders[i]!, name)) values.push(rawHeaders[i + 1]!)
  return values
}

/** All values under that name as one list, the way RFC 9110 joins repeated fields. */
export function headerList(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!isHeader(rawHeaders[i]!, name)) continue
    joined = joined === undefined ? rawHeaders[i + 1] : `${joined}, ${rawHeaders[i + 1]}`
  }
  return joined
}

/** A server has few values of this header, and is asked for thousands of pages. */
const mediaTypes = new Map<string, string>()
const maxMediaTypes = 64
const maxKeptChars = 128

/** The media type in lower case without its parameters; `''` where the server sent none. */
export function mediaTypeOf(rawHeaders: readonly string[]): string {
  const sent = headerValue(rawHeaders, 'content-type') ?? ''
  const known = mediaTypes.get(sent)
  if (known !== undefined) return known
  // A copy, so that what is kept for long does not hold the whole header that it was cut from.
  const type = Buffer.from(sent, 'latin1').toString('latin1')
  const end = type.indexOf(';')
  const mediaType = (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
  if (type.length <= maxKeptChars) {
    if (mediaTypes.size >= maxMediaTypes) mediaTypes.clear()
    mediaTypes.set(type, mediaType)
  }
  return mediaType
}

/** Compared letter by letter: nearly all fields differ in the first one, and none is copied. */
function isHeader(field: string, name: string): boolean {
  if (field.length !== name.length) return false
  for (let i = 0; i < name.length; i++) if ((field.charCodeAt(i) | 0x20) !== name.charCodeAt(i)) return false
  return true
}
