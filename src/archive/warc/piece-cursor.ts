import type { ArchivePiece } from './archive-pieces.ts'

/** A position in an archive, for a reader of records. */
export type Place = {
  offset: number
  /** In a gzip member, after its first byte: the record can't be read without the part before it. */
  inside: boolean
}

/**
 * Walks over the content of an archive. A failure of the source is held back until bytes beyond it are needed, so that everything
 * before it can still be read.
 */
export type PieceCursor = {
  /** Null at the end. Skips the ends of members. */
  place(): Promise<Place | null>
  /** The next byte, without consuming it; null at the end. */
  ahead(): Promise<number | null>
  /** Skips at most `max` line end characters, without entering the next member. */
  skipLineEnds(max: number): Promise<void>
  /** Consumes up to and including the empty line, returns it without. Null if the content ends first, `too-long` if not within `max`. */
  untilEmptyLine(max: number): Promise<Buffer | null | 'too-long'>
  /** Consumes one line, and returns it without its end. */
  line(max: number): Promise<Buffer | null | 'too-long'>
  /** Consumes exactly `length` bytes, in the pieces they came in; fewer only at the end of the content. */
  bytes(length: number): AsyncGenerator<Buffer>
  /** File offset after the last plain byte consumed, or after the member once it is used up; null inside a member. */
  end(): Promise<number | null>
}

export function createPieceCursor(pieces: AsyncGenerator<ArchivePiece>): PieceCursor {
  let piece: ArchivePiece | null = null
  let at = 0
  let atMemberStart = true
  let ended = false
  let failure: { error: unknown } | null = null

  /** Makes `piece` hold unread content or a member's end. False at the end of everything. */
  async function load(): Promise<boolean> {
    while (!ended && failure === null && (piece === null || at >= piece.bytes.length)) {
      if (piece?.within === 'member-end') return true
      await advance()
    }
    return !ended && failure === null
  }

  async function advance(): Promise<void> {
    const before = piece?.within
    try {
      const { done, value } = await pieces.next()
      ended = done === true
      if (done) return
      piece = value
      at = 0
      atMemberStart = before !== 'member'
    } catch (error) {
      failure = { error }
    }
  }

  async function loadContent(): Promise<boolean> {
    while (await load()) {
      if (piece!.within !== 'member-end') return true
      await advance()
    }
    if (failure !== null) throw failure.error
    return false
  }

  /** Content up to the end found by `cutIn`. Usually it is in one piece and not copied. */
  async function gather(max: number, cutIn: CutFinder): Promise<Buffer | null | 'too-long'> {
    let held: Buffer = Buffer.alloc(0)
    let length = 0
    while (length < max && (await loadContent())) {
      const fresh = piece!.bytes.subarray(at, at + max - length)
      if (length > 0) {
        held = withRoom(held, length, fresh.length)
        fresh.copy(held, length)
      } else held = fresh
      const cut = cutIn(held.subarray(0, length + fresh.length), Math.max(0, length - 3))
      if (cut !== null) {
        at += cut.taken - length
        return held.subarray(0, cut.length)
      }
      at += fresh.length
      length += fresh.length
    }
    return length < max ? null : 'too-long'
  }

  return {
    async place() {
      if (!(await loadContent())) return null
      if (piece!.within === 'plain') return { offset: piece!.offset + at, inside: false }
      return { offset: piece!.offset, inside: !(atMemberStart && at === 0) }
    },
    async ahead() {
      return (await loadContent()) ? piece!.bytes[at]! : null
    },
    async skipLineEnds(max) {
      let left = max
      while (left > 0 && (await load()) && piece!.within !== 'member-end') {
        const { bytes } = piece!
        while (left > 0 && at < bytes.length) {
          if (bytes[at] !== 0x0a && bytes[at] !== 0x0d) return
          at++
          left--
        }
      }
    },
    untilEmptyLine: (max) => gather(max, cutAtEmptyLine),
    line: (max) => gather(max, cutAtLineFeed),
    async *bytes(length) {
      for (let left = length; left > 0 && (await loadContent()); ) {
        const taken = piece!.bytes.subarray(at, at + left)
        at += taken.length
        left -= taken.length
        yield taken
      }
    },
    async end() {
      if (piece?.within === 'plain') return piece.offset + at
      // If a member is damaged at its very end, the record in it is damaged, too.
      if (!(await load()) && failure !== null) throw failure.error
      return piece?.within === 'member-end' ? piece.offset : null
    },
  }
}

/** Doubles the capacity, so that tiny pieces cost no more than large ones (amortised). */
function withRoom(held: Buffer, length: number, more: number): Buffer {
  const enough = held.length >= length + more
  return enough ? held : Buffer.concat([held.subarray(0, length)], 2 * (length + more))
}

type Cut = { length: number; taken: number }
/** Finds the end of the text, starting at `from`: there is none before. */
type CutFinder = (bytes: Buffer, from: number) => Cut | null

function cutAtLineFeed(bytes: Buffer, from: number): Cut | null {
  const feed = bytes.indexOf(0x0a, from)
  if (feed < 0) return null
  return { length: feed > 0 && bytes[feed - 1] === 0x0d ? feed - 1 : feed, taken: feed + 1 }
}

function cutAtEmptyLine(bytes: Buffer, from: number): Cut | null {
  for (let feed = bytes.indexOf(0x0a, from); feed >= 0; feed = bytes.indexOf(0x0a, feed + 1)) {
    const next = bytes[feed + 1] === 0x0d ? feed + 2 : feed + 1
    if (bytes[next] === 0x0a) return { length: feed, taken: next + 1 }
  }
  return null
}
