/** What the parser feeds with the lines of a body, each a view of the message without its line ending. */
export type BodyDecoder = { update(line: Uint8Array<ArrayBuffer>): void; finalize(): Promise<ArrayBuffer> }

const LF = 0x0a
const CR = 0x0d
const EQUALS = 0x3d

/** Where the next line starts: behind the line ending. */
function nextLine({ buffer, byteOffset, length }: Uint8Array): number {
  const all = new Uint8Array(buffer)
  let at = byteOffset + length
  while (all[at] === CR) at++
  return all[at] === LF ? at + 1 : at
}

/** Where the content ends if this is its last line: the line ending before a boundary belongs to the boundary (RFC 2046, 5.1.1). */
function endOfBody(line: Uint8Array): number {
  const next = nextLine(line)
  return next === line.buffer.byteLength ? next : line.byteOffset + line.length
}

/** A body without encoding, byte by byte as it was sent. */
export function createPlainDecoder(): BodyDecoder {
  const bytes = createBytes()
  let start = 0
  let last: Uint8Array<ArrayBuffer> | null = null

  return {
    update(line) {
      // Other parts can be between two lines of a multipart, before and after its parts.
      if (last === null) start = line.byteOffset
      else if (nextLine(last) !== line.byteOffset) {
        bytes.push(new Uint8Array(last.buffer, start, nextLine(last) - start))
        start = line.byteOffset
      }
      last = line
    },
    async finalize() {
      if (last !== null) bytes.push(new Uint8Array(last.buffer, start, endOfBody(last) - start))
      return bytes.taken()
    },
  }
}

/** Quoted-printable (RFC 2045, 6.7). White space at the end of a line was added on the way. */
export function createQuotedDecoder(): BodyDecoder {
  const bytes = createBytes()
  let last: Uint8Array<ArrayBuffer> | null = null
  let isSoft = false

  function endLine(line: Uint8Array<ArrayBuffer>, end: number): void {
    const from = line.byteOffset + line.length
    if (!isSoft && end > from) bytes.push(new Uint8Array(line.buffer, from, end - from))
  }

  return {
    update(line) {
      if (last !== null) endLine(last, nextLine(last))
      last = line
      let length = line.length
      while (length > 0 && (line[length - 1] === 0x20 || line[length - 1] === 0x09)) length--
      isSoft = length > 0 && line[length - 1] === EQUALS
      bytes.push(unquoted(line.subarray(0, isSoft ? length - 1 : length)))
    },
    async finalize() {
      if (last !== null) endLine(last, endOfBody(last))
      return bytes.taken()
    },
  }
}

/** An equals sign without two hexadecimal digits stays as it is. */
function unquoted(line: Uint8Array): Uint8Array {
  if (!line.includes(EQUALS)) return line
  const bytes = new Uint8Array(line.length)
  let length = 0
  for (let i = 0; i < line.length; i++) {
    const value = line[i] === EQUALS ? 16 * digit(line[i + 1]) + digit(line[i + 2]) : Number.NaN
    if (Number.isNaN(value)) bytes[length++] = line[i]!
    else {
      bytes[length++] = value
      i += 2
    }
  }
  return bytes.subarray(0, length)
}

function digit(code: number | undefined): number {
  if (code === undefined) return Number.NaN
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

export type Bytes = { push(added: Uint8Array): void; view(): Uint8Array<ArrayBuffer>; taken(): ArrayBuffer }

/** Pieces joined as they arrive. */
export function createBytes(): Bytes {
  let bytes = new Uint8Array(1024)
  let length = 0
  return {
    push(added) {
      if (length + added.length > bytes.length) {
        const longer = new Uint8Array(2 * (length + added.length))
        longer.set(bytes.subarray(0, length))
        bytes = longer
      }
      bytes.set(added, length)
      length += added.length
    },
    view: () => bytes.subarray(0, length),
    taken: () => bytes.buffer.slice(0, length),
  }
}
