/** The head of a response, read as strictly as a client can that must not be led to see another message than the next reader. */
export type ParsedHead = {
  status: number
  statusLine: string
  /** Name, value, …, one character for each byte. */
  rawHeaders: string[]
  /** Of the body: its bytes, NaN where the header doesn't say. */
  length: number
  isChunked: boolean
  /** How long the server keeps the connection: NaN where it doesn't say, 0 where it closes it. */
  keptMs: number
}

const opening = /^HTTP\/(?:0\.9|1\.[01]|2\.0) ([2-9]\d\d)(?: |$)/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const illegal = /[^\t\r\n\x20-\x7e\x80-\xff]/
const closing = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const keeping = /(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i

const space = 0x20
const tab = 0x09

/** `text`: all lines, each with its CR and LF, without folds and without white space at their ends. Returns what is wrong with it, if so. */
export function parseHead(text: string): ParsedHead | string {
  const lineEnd = text.indexOf('\r\n')
  const statusLine = text.slice(0, lineEnd)
  const status = opening.exec(statusLine)
  // Interim responses were taken out before; nobody asked to switch to another protocol.
  if (status === null) return 'the response does not begin with a status that was asked for'
  if (illegal.test(text)) return 'the response header holds control characters'
  const rawHeaders: string[] = []
  let length = Number.NaN
  let coding: string | null = null
  let connection = ''
  let keptMs = Number.NaN
  for (let at = lineEnd + 2, end = 0; at < text.length; at = end + 2) {
    end = text.indexOf('\r\n', at)
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon > end) return 'a line of the response header has no colon'
    const name = text.slice(at, colon)
    if (!token.test(name)) return 'a field of the response header has no proper name'
    let from = colon + 1
    while (isWhite(text.charCodeAt(from))) from++
    const value = text.slice(from, end)
    rawHeaders.push(name, value)
    if (isName(name, 'content-length')) {
      if (!Number.isNaN(length)) return 'the response header has two lengths'
      length = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (!Number.isSafeInteger(length)) return 'the length in the response header is no number'
    } else if (isName(name, 'transfer-encoding')) coding = coding === null ? value : `${coding}, ${value}`
    else if (isName(name, 'connection')) connection = `${connection},${value}`
    else if (isName(name, 'keep-alive')) keptMs = keptMsOf(value)
  }
  if (coding !== null && !Number.isNaN(length)) return 'the response header has a length and a transfer coding'
  // Before HTTP/1.1 a connection is kept only where the server says so.
  const isKept = statusLine.startsWith('HTTP/1.1') ? !closing.test(connection) : keeping.test(connection)
  return {
    status: Number(status[1]),
    statusLine,
    rawHeaders,
    length,
    isChunked: coding?.toLowerCase() === 'chunked',
    keptMs: isKept ? keptMs : 0,
  }
}

function isName(name: string, lower: string): boolean {
  return name.length === lower.length && name.toLowerCase() === lower
}

function isWhite(code: number): boolean {
  return code === space || code === tab
}

/** `timeout=5, max=100` */
function keptMsOf(value: string): number {
  const seconds = /(?:^|[\s,])timeout=(\d{1,6})/i.exec(value)
  return seconds === null ? Number.NaN : Number(seconds[1]) * 1000
}
