import type { Connected } from './connector.ts'

/** Callbacks of an exchange for the bytes on its connection. */
export type WireWatcher = {
  /** True until the head of its response has been read. */
  readonly awaitsHead: boolean
  /** Counts bytes; false if they exceed a limit and the exchange has been ended. */
  onWire(bytes: number): boolean
  /** The head of the response in tidy lines, without the empty line at its end; one character per byte. */
  onHead(head: string): void
  /** The head of an interim response, such as 103 Early Hints; one character per byte. */
  onInterim(head: string): void
  /** The bytes can't be a response: the exchange has been ended. */
  onMalformed(message: string): void
  /** The connection broke: what the parser takes for the end of a body isn't one. */
  onBroken(): void
}

const headEnd = Buffer.from('\r\n\r\n')
const opening = Buffer.from('HTTP/')
const interim = /^HTTP\/\d\.\d 1(?!01)\d\d(?: |\r)/
const minorVersion = /^HTTP\/1\.[2-9](?= )/
const noStatus = /^HTTP\/\d\.\d 0\d\d(?: |\r)/
const lengthTwice = /\r\ncontent-length:[^\r]*(?:,|(?=\r)[\s\S]*\r\ncontent-length:)/i
/** White space at either end of a line, and a CR or LF without the other. Most heads have none of them. */
const untidy = /[ \t]\r|\r\n[ \t]|\r(?!\n)/
const bareLineFeed = /(?<!\r)\n/

const space = 0x20
const tab = 0x09

/**
 * Sees each read of a socket before the HTTP parser does. It collects the head of a response, however it was split, and
 * passes it on in one piece, fixing what a client must understand but the parser refuses:
 * - interim responses (100, 102, 103 and any other below 200 except 101) are removed, in any order and number;
 * - a folded line continues the line before with a space (RFC 9112, 5.2);
 * - spaces and tabs at the end of a line aren't part of its value;
 * - a length stated several times counts if it is always the same (RFC 9112, 6.3);
 * - a later minor version of HTTP/1 is read like the last one known (RFC 9110, 2.5).
 * A line end of CR or LF alone is malformed. The parser counts neither status lines nor chunk framing, so an origin
 * could send those without end: here every byte counts.
 */
export function watchReads({ socket, reads }: Connected, watcher: () => WireWatcher | null): void {
  const read = socket.read
  const head = createHeadReader()
  let reading: WireWatcher | null = null
  let arrived: Buffer | null = null
  // Runs before the parser's own listener, which takes a reset for the end of a body without a length.
  socket.on('error', () => reading?.onBroken())
  reads.take = (chunk) => {
    arrived = chunk
    // The parser reads synchronously, and takes all of it or has ended.
    socket.emit('readable')
    arrived = null
  }
  socket.read = (size?: number): Buffer | null => {
    // A read without bytes is about the state of the stream, such as its end.
    if (arrived === null) return read.call(socket, size)
    const chunk = arrived
    arrived = null
    const current = watcher()
    if (current === null) return chunk
    reading = current
    if (!current.onWire(chunk.length)) return null
    return current.awaitsHead ? head(chunk, current) : chunk
  }
}

/** Takes the received bytes and returns what the parser should see; null while the head is incomplete. */
function createHeadReader(): (chunk: Buffer, watcher: WireWatcher) => Buffer | null {
  const held = createHeldBytes()

  return (chunk, watcher) => {
    const searched = held.size()
    const bytes = searched === 0 ? chunk : held.add(chunk)
    let start = 0
    let from = Math.max(0, searched - headEnd.length)
    for (;;) {
      while (bytes[start] === 0x0d && bytes[start + 1] === 0x0a) start += 2
      const end = bytes.indexOf(headEnd, Math.max(start, from))
      const isLikely = beginsAsHttp(bytes, start)
      if (end < 0 || !isLikely) {
        const fault = isLikely || isHalfLineEnd(bytes, start) ? faultOfPart(bytes, from) : 'the response is not HTTP'
        if (fault !== null) watcher.onMalformed(fault)
        else held.keep(bytes, start)
        return null
      }
      const text = bytes.toString('latin1', start, end + 2)
      const after = end + headEnd.length
      if (bareLineFeed.test(text)) {
        watcher.onMalformed('a line of the response header ends in LF alone')
        return null
      }
      const tidy = untidy.test(text) ? tidied(text) : text
      if (typeof tidy !== 'string') {
        watcher.onMalformed(tidy.fault)
        return null
      }
      if (!interim.test(tidy)) {
        const known = asKnown(tidy)
        if (typeof known !== 'string') {
          watcher.onMalformed(known.fault)
          return null
        }
        held.clear()
        watcher.onHead(tidy)
        if (known !== text) return Buffer.concat([Buffer.from(`${known}\r\n`, 'latin1'), bytes.subarray(after)])
        return start === 0 ? bytes : bytes.subarray(start)
      }
      watcher.onInterim(tidy)
      start = after
      from = after
    }
  }
}

/** Compares only as many bytes as are there. */
function beginsAsHttp(bytes: Buffer, start: number): boolean {
  const length = Math.min(opening.length, bytes.length - start)
  for (let i = 0; i < length; i++) if (bytes[start + i] !== opening[i]) return false
  return true
}

export function statusLineOf(head: string): string {
  return head.slice(0, head.indexOf('\r'))
}

/** name, value, … of a head that the parser has accepted: every line has a colon, and no space at either end. */
export function fieldsOf(head: string): string[] {
  const fields: string[] = []
  for (let at = head.indexOf('\n') + 1; at < head.length; ) {
    const end = head.indexOf('\r', at)
    const colon = head.indexOf(':', at)
    let value = colon + 1
    while (isWhite(head.charCodeAt(value))) value++
    fields.push(head.slice(at, colon), head.slice(value, end))
    at = end + 2
  }
  return fields
}

function isHalfLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x0d && bytes.length === at + 1
}

/** Checks line ends in an incomplete head: with others than CRLF, its end would never be found. */
function faultOfPart(bytes: Buffer, from: number): string | null {
  for (let at = bytes.indexOf('\n', from); at >= 0; at = bytes.indexOf('\n', at + 1)) {
    if (at === 0 || bytes[at - 1] !== 0x0d) return 'a line of the response header ends in LF alone'
  }
  return null
}

/** The lines without folds and without white space at either end. */
function tidied(text: string): string | { fault: string } {
  const lines: string[] = []
  for (const line of text.split('\r\n')) {
    if (line.includes('\r')) return { fault: 'the response header has a CR without LF' }
    const part = trimmed(line)
    const isFold = line !== '' && isWhite(line.charCodeAt(0))
    if (!isFold) lines.push(part)
    else if (lines.length < 2) return { fault: 'white space stands before the first field of the response header' }
    else if (part !== '') lines.push(`${lines.pop()} ${part}`)
  }
  return lines.join('\r\n')
}

/** The head as the parser knows it. */
function asKnown(head: string): string | { fault: string } {
  // The parser accepts it and fails later.
  if (noStatus.test(head)) return { fault: 'a status is between 100 and 999' }
  const known = minorVersion.test(head) ? head.replace(minorVersion, 'HTTP/1.1') : head
  return lengthTwice.test(known) ? withOneLength(known) : known
}

/** Unless the lengths differ, which the parser refuses. */
function withOneLength(head: string): string {
  const isLength = (line: string): boolean => /^content-length:/i.test(line)
  const lines = head.split('\r\n')
  const stated = new Set(lines.filter(isLength).flatMap((line) => line.slice(15).split(',').map(trimmed)))
  if (stated.size !== 1) return head
  const first = lines.findIndex(isLength)
  const [length] = stated
  return lines
    .flatMap((line, at) => (at === first ? `Content-Length: ${length}` : isLength(line) ? [] : line))
    .join('\r\n')
}

/** Trims only spaces and tabs: octet 0xA0 may be part of a multi-byte character. */
function trimmed(line: string): string {
  let from = 0
  let to = line.length
  while (from < to && isWhite(line.charCodeAt(from))) from++
  while (to > from && isWhite(line.charCodeAt(to - 1))) to--
  return line.slice(from, to)
}

function isWhite(code: number): boolean {
  return code === space || code === tab
}

const none = Buffer.alloc(0)

/** Buffers an incomplete head. Bytes may come one by one: the buffer doubles, so that copying is amortised. */
function createHeldBytes() {
  let room = none
  let size = 0

  const held = {
    size: () => size,
    clear(): void {
      room = none
      size = 0
    },
    /** Appends the chunk and returns all bytes so far. */
    add(chunk: Buffer): Buffer {
      if (size + chunk.length > room.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(1024, 2 * room.length, size + chunk.length))
        room.copy(larger, 0, 0, size)
        room = larger
      }
      size += chunk.copy(room, size)
      return room.subarray(0, size)
    },
    /** Keeps the bytes from `start` on, and drops those before. */
    keep(bytes: Buffer, start: number): void {
      if (size > 0 && start === 0) return
      const rest = Buffer.from(bytes.subarray(start))
      held.clear()
      held.add(rest)
    },
  }
  return held
}
