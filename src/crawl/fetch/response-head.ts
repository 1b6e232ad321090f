export type HeadSink = {
  /** The head of a response before the response, such as 103 Early Hints, one character for each byte. */
  onInterim(head: string): void
}

/** Its lines, each with its CR and LF, one character for each byte; and what came behind it. */
export type WholeHead = { text: string; rest: Buffer }

const headEnd = '\r\n\r\n'
const opening = 'HTTP/'
const interim = /^HTTP\/\d\.\d 1(?!01)\d\d(?: |\r)/
/** White space at either end of a line, and a CR or LF without the other. Most heads have none of them. */
const untidy = /[ \t]\r|\r\n[ \t]|\r(?!\n)/
const bareLineFeed = /(?<!\r)\n/

const space = 0x20
const tab = 0x09

/**
 * Collects the head of a response, however it was cut into pieces, with what a client has to understand put right:
 * - interim responses (100, 102, 103 and any other below 200 but 101) are taken out, in any order and number;
 * - a folded line continues the line before with a space (RFC 9112, 5.2);
 * - spaces and tabs at the end of a line are no part of its value.
 * A line end of CR or LF alone is malformed. Returns null while the head is not whole, and what is wrong with it, if so.
 */
export function createHeadReader(): (chunk: Buffer, sink: HeadSink) => WholeHead | string | null {
  const held = createHeldBytes()

  return (chunk, sink) => {
    const searched = held.size()
    const bytes = searched === 0 ? chunk : held.add(chunk)
    let start = 0
    let from = Math.max(0, searched - headEnd.length)
    for (;;) {
      while (bytes[start] === 0x0d && bytes[start + 1] === 0x0a) start += 2
      const end = bytes.indexOf(headEnd, Math.max(start, from))
      const isLikely = opening.startsWith(
        bytes.toString('latin1', start, Math.min(bytes.length, start + opening.length)),
      )
      if (end < 0 || !isLikely) {
        const fault = isLikely || isHalfLineEnd(bytes, start) ? faultOfPart(bytes, from) : 'the response is not HTTP'
        if (fault === null) held.keep(bytes, start)
        return fault
      }
      const text = bytes.toString('latin1', start, end + 2)
      const after = end + headEnd.length
      if (bareLineFeed.test(text)) return 'a line of the response header ends in LF alone'
      const tidy = untidy.test(text) ? tidied(text) : text
      if (typeof tidy !== 'string') return tidy.fault
      if (!interim.test(tidy)) {
        held.clear()
        return { text: tidy, rest: bytes.subarray(after) }
      }
      sink.onInterim(tidy)
      start = after
      from = after
    }
  }
}

function isHalfLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x0d && bytes.length === at + 1
}

/** A head with other line ends never gets to the end that is looked for. */
function faultOfPart(bytes: Buffer, from: number): string | null {
  for (let at = bytes.indexOf('\n', from); at >= 0; at = bytes.indexOf('\n', at + 1)) {
    if (at === 0 || bytes[at - 1] !== 0x0d) return 'a line of the response header ends in LF alone'
  }
  return null
}

/** The same lines without folds and without white space at their ends. */
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

/** Without spaces and tabs, and nothing else: octet 0xA0 may be half of a letter. */
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

/** Bytes that wait for more. They may come one by one: the room for them doubles, so that none is copied often. */
function createHeldBytes() {
  let room = Buffer.alloc(0)
  let size = 0

  const held = {
    size: () => size,
    clear(): void {
      room = Buffer.alloc(0)
      size = 0
    },
    /** All bytes so far, with these. */
    add(chunk: Buffer): Buffer {
      if (size + chunk.length > room.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(1024, 2 * room.length, size + chunk.length))
        room.copy(larger, 0, 0, size)
        room = larger
      }
      size += chunk.copy(room, size)
      return room.subarray(0, size)
    },
    /** From `start` on; what stands before is done with. */
    keep(bytes: Buffer, start: number): void {
      if (size > 0 && start === 0) return
      const rest = Buffer.from(bytes.subarray(start))
      held.clear()
      held.add(rest)
    },
  }
  return held
}
