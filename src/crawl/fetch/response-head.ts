/** The head of a response, read as strictly as a client must that can't be led to see another message than the next reader. */
export type ParsedHead = {
  status: number
  /** One character per byte, like all strings here. */
  statusLine: string
  /** name, value, … as sent. */
  rawHeaders: string[]
  /** Content-Length; NaN if there is none. */
  length: number
  /** All of Transfer-Encoding; null if there is none. */
  coding: string | null
  /** How long the server keeps the connection open: 0 if it closes it, NaN if it doesn't say. */
  keepAliveMs: number
}

/** All lines are sound, and it isn't an interim response. Most heads pass this at once. */
const sound =
  /^HTTP\/(?:1\.\d|0\.9|2\.0) [2-9]\d\d(?: [^\r\n]*)?\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/
const interim = /^HTTP\/\d\.\d 1(?!01)\d\d(?: |\r)/
const switching = /^HTTP\/\d\.\d 101(?: |\r)/
/** White space at either end of a line, and a CR without LF. */
const untidy = /[ \t]\r|\r\n[ \t]|\r(?!\n)/
const bareLineFeed = /(?<!\r)\n/
const closing = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const keeping = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i
const digits = /^\d+$/
/** Lengths from here on don't fit into 64 bits. */
const endOfLengths = 2 ** 64

const space = 0x20
const tab = 0x09

type FramingName = 'content-length' | 'transfer-encoding' | 'connection' | 'keep-alive'

export type HeadText = { kind: 'head' | 'interim'; text: string } | { kind: 'fault'; message: string }

/**
 * Checks the lines of a head, each with its CR LF. A client must understand these, too:
 * - a folded line continues the line before with a space (RFC 9112, 5.2);
 * - spaces and tabs at the end of a line aren't part of its value.
 * A line end of CR or LF alone is malformed.
 */
export function checkedHead(text: string): HeadText {
  if (sound.test(text)) return { kind: 'head', text }
  if (bareLineFeed.test(text)) return fault('a line of the response header ends in LF alone')
  const tidy = untidy.test(text) ? tidied(text) : text
  if (typeof tidy !== 'string') return tidy
  if (interim.test(tidy)) return { kind: 'interim', text: tidy }
  if (sound.test(tidy)) return { kind: 'head', text: tidy }
  return fault(
    switching.test(tidy) ? 'the server switched to a protocol not asked for' : 'the response header is not HTTP/1',
  )
}

/** Reads a checked head; returns what is wrong with it, if anything. */
export function parseHead(text: string): ParsedHead | string {
  const lineEnd = text.indexOf('\r')
  const rawHeaders: string[] = []
  let length: string | null = null
  let lengths = 0
  let coding: string | null = null
  let connection: string | null = null
  let keepAliveMs = Number.NaN
  for (let at = lineEnd + 2, end = 0; at < text.length; at = end + 2) {
    end = text.indexOf('\r', at)
    const colon = text.indexOf(':', at)
    const name = text.slice(at, colon)
    const value = trimmed(text, colon + 1, end)
    rawHeaders.push(name, value)
    switch (framingName(text, at, colon)) {
      case 'content-length':
        length = length === null ? value : `${length},${value}`
        lengths++
        break
      case 'transfer-encoding':
        coding = coding === null ? value : `${coding}, ${value}`
        break
      case 'connection':
        connection = connection === null ? value : `${connection},${value}`
        break
      case 'keep-alive':
        keepAliveMs = keepAliveMsOf(value)
    }
  }
  const bytes = length === null ? Number.NaN : lengthOf(length)
  if (length !== null && !(bytes < endOfLengths)) return 'the length in the response header is not a number'
  if (length !== null && coding !== null) return 'the response header has a length and a transfer coding'
  return {
    status: Number(text.slice(9, 12)),
    statusLine: trimmed(text, 0, lineEnd),
    rawHeaders: lengths > 1 ? withOneLength(rawHeaders, bytes) : rawHeaders,
    length: bytes,
    coding,
    keepAliveMs: isKept(text, connection) ? keepAliveMs : 0,
  }
}

/** Which of the fields about framing and the connection begins there; null for any other. */
function framingName(text: string, at: number, colon: number): FramingName | null {
  const length = colon - at
  if (length === 14) return isName(text, at, 'content-length')
  if (length === 17) return isName(text, at, 'transfer-encoding')
  return length === 10 ? (isName(text, at, 'connection') ?? isName(text, at, 'keep-alive')) : null
}

/** Compares letter by letter, in the text that they are all part of: nearly all fields differ in the first one. */
function isName<T extends FramingName>(text: string, at: number, name: T): T | null {
  for (let i = 0; i < name.length; i++) if ((text.charCodeAt(at + i) | 0x20) !== name.charCodeAt(i)) return null
  return name
}

/** A length stated several times counts if it is always the same (RFC 9112, 6.3). NaN if it isn't. */
function lengthOf(stated: string): number {
  if (digits.test(stated)) return Number(stated)
  const [first, ...others] = new Set(stated.split(',').map((part) => trimmed(part, 0, part.length)))
  return others.length === 0 && digits.test(first!) ? Number(first) : Number.NaN
}

function withOneLength(rawHeaders: readonly string[], bytes: number): string[] {
  let isFirst = true
  return rawHeaders.flatMap((name, at) => {
    if (at % 2 === 1) return []
    if (framingName(name, 0, name.length) !== 'content-length') return [name, rawHeaders[at + 1]!]
    const kept = isFirst ? ['Content-Length', String(bytes)] : []
    isFirst = false
    return kept
  })
}

/** Before HTTP/1.1, a connection is kept only if the server says so. */
function isKept(text: string, connection: string | null): boolean {
  if (text.startsWith('HTTP/1.') && text.charAt(7) !== '0') return connection === null || !closing.test(connection)
  return connection !== null && keeping.test(connection)
}

/** `timeout=5, max=100` */
function keepAliveMsOf(value: string): number {
  const seconds = /timeout=(\d+)/.exec(value)
  return seconds === null ? Number.NaN : Number(seconds[1]) * 1000
}

/** The lines without folds and without white space at either end. */
function tidied(text: string): string | HeadText {
  const lines: string[] = []
  for (const line of text.split('\r\n')) {
    if (line.includes('\r')) return fault('the response header has a CR without LF')
    const part = trimmed(line, 0, line.length)
    const isFold = line !== '' && isWhite(line.charCodeAt(0))
    if (!isFold) lines.push(part)
    else if (lines.length < 2) return fault('white space stands before the first field of the response header')
    else if (part !== '') lines.push(`${lines.pop()} ${part}`)
  }
  return lines.join('\r\n')
}

function fault(message: string): HeadText {
  return { kind: 'fault', message }
}

/** Trims only spaces and tabs: octet 0xA0 may be part of a multi-byte character. */
function trimmed(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isWhite(text.charCodeAt(from))) from++
  while (to > from && isWhite(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

function isWhite(code: number): boolean {
  return code === space || code === tab
}
