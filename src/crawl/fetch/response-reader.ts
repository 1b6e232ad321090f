/**
 * Reads one response after another from the bytes of a connection. It collects the head, however it was split, removes interim
 * responses before it (100, 102, 103 and any other below 200 except 101, in any order and number), and reads the body by its
 * length, by its chunks, or until the connection ends.
 */
import { ChunkedBody } from './chunked-body.ts'
import { HeldBytes } from './held-bytes.ts'
import { malformed, type ReadOutcome, tooLarge } from './read-outcome.ts'
import { checkedHead, type ParsedHead, parseHead } from './response-head.ts'

/** Takes a response. */
export type ResponseSink = {
  /** The head of an interim response, such as 103 Early Hints; one character per byte. */
  onInterim(head: string): void
  /** Returns false to stop: the rest isn't wanted. */
  onHead(head: ParsedHead): boolean
  /** A piece of the body, which is overwritten by the next read. Returns false to stop. */
  onData(piece: Buffer): boolean
}

const headEnd = Buffer.from('\r\n\r\n')
const opening = Buffer.from('HTTP/')

const carriageReturn = 0x0d
const lineFeed = 0x0a

export class ResponseReader {
  /** Where the response ended in the bytes read last. */
  end = 0
  /** How long the server keeps the connection open after the response: 0 if it closes it, NaN if it doesn't say. */
  keepAliveMs = 0

  readonly #maxHeaderBytes: number
  readonly #held = new HeldBytes()
  #awaitsHead = true
  /** Bytes of the body still to come; Infinity until the connection ends. */
  #left = 0
  #chunks: ChunkedBody | null = null

  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes
  }

  /** Whether the response is complete when the connection is closed now. */
  get endsWithConnection(): boolean {
    return !this.#awaitsHead && this.#left === Number.POSITIVE_INFINITY
  }

  read(chunk: Buffer, sink: ResponseSink): ReadOutcome {
    const outcome = this.#awaitsHead ? this.#readHead(chunk, sink) : this.#readBody(chunk, 0, sink)
    if (outcome === 'complete') {
      this.#awaitsHead = true
      this.#chunks = null
    }
    return outcome
  }

  #readHead(chunk: Buffer, sink: ResponseSink): ReadOutcome {
    const held = this.#held
    const searched = held.size
    const bytes = searched === 0 ? chunk : held.add(chunk)
    let start = 0
    let from = Math.max(0, searched - headEnd.length)
    for (;;) {
      while (bytes[start] === carriageReturn && bytes[start + 1] === lineFeed) start += 2
      const isLikely = beginsAsHttp(bytes, start)
      const end = isLikely ? bytes.indexOf(headEnd, Math.max(start, from)) : -1
      if (end < 0) {
        if (!isLikely && !isHalfLineEnd(bytes, start)) return malformed('the response is not HTTP')
        if (hasBareLineFeed(bytes, from)) return malformed('a line of the response header ends in LF alone')
        held.keep(bytes, start)
        return 'more'
      }
      const head = checkedHead(bytes.toString('latin1', start, end + 2))
      if (head.kind === 'fault') return malformed(head.message)
      const after = end + headEnd.length
      if (head.kind === 'head') {
        const outcome = this.#takeHead(head.text, sink) ?? this.#readBody(bytes, after, sink)
        // Relative to the bytes read last, which those held before don't belong to.
        this.end -= searched
        held.clear()
        return outcome
      }
      sink.onInterim(head.text)
      start = after
      from = after
    }
  }

  /** Returns null if the body follows. */
  #takeHead(text: string, sink: ResponseSink): ReadOutcome | null {
    const head = parseHead(text)
    if (typeof head === 'string') return malformed(head)
    if (text.length >= this.#maxHeaderBytes && fieldBytes(head.rawHeaders) >= this.#maxHeaderBytes) {
      return tooLarge('header', this.#maxHeaderBytes)
    }
    this.#awaitsHead = false
    this.keepAliveMs = head.keepAliveMs
    if (head.status === 204 || head.status === 304) {
      this.#left = 0
      // It has no body, whatever it states, but some servers send one.
      if (head.length > 0) this.keepAliveMs = 0
    } else if (head.coding?.toLowerCase() === 'chunked') this.#chunks = new ChunkedBody(this.#maxHeaderBytes)
    else if (!Number.isNaN(head.length)) this.#left = head.length
    else {
      this.#left = Number.POSITIVE_INFINITY
      this.keepAliveMs = 0
    }
    return sink.onHead(head) ? null : 'stopped'
  }

  #readBody(bytes: Buffer, start: number, sink: ResponseSink): ReadOutcome {
    if (this.#chunks !== null) {
      const outcome = this.#chunks.read(bytes, start, sink)
      this.end = this.#chunks.end
      return outcome
    }
    const own = Math.min(this.#left, bytes.length - start)
    this.#left -= own
    this.end = start + own
    if (own > 0 && !sink.onData(bytes.subarray(start, this.end))) return 'stopped'
    return this.#left === 0 ? 'complete' : 'more'
  }
}

/** Compares only as many bytes as are there. */
function beginsAsHttp(bytes: Buffer, start: number): boolean {
  const length = Math.min(opening.length, bytes.length - start)
  for (let i = 0; i < length; i++) if (bytes[start + i] !== opening[i]) return false
  return true
}

function isHalfLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === carriageReturn && bytes.length === at + 1
}

/** Checked in an incomplete head: with line ends other than CR LF, its end would never be found. */
function hasBareLineFeed(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (at === 0 || bytes[at - 1] !== carriageReturn) return true
  }
  return false
}

function fieldBytes(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, 0)
}
