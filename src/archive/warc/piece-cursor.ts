import type { ArchivePiece } from './archive-pieces.ts'

/** A place in an archive, as a reader of records needs it. */
export type Place = {
  offset: number
  /** In a gzip member, and not at its first byte: the record cannot be read without what stands before it. */
  inside: boolean
}

/**
 * Walks over the content of an archive. A failure of the source is kept until somebody needs bytes beyond it, so that everything
 * before it can still be handed out.
 */
export type PieceCursor = {
  /** Null at the end. Passes over the ends of members. */
  place(): Promise<Place | null>
  /** The next byte, without taking it; null at the end. */
  ahead(): Promise<number | null>
  /** Takes line ends, `max` at most, but never steps into the next member. */
  skipLineEnds(max: number): Promise<void>
  /** Takes up to and with the empty line; without it. Null where the content ends first, `too-long` where there is none within `max`. */
  untilEmptyLine(max: number): Promise<Buffer | null | 'too-long'>
  /** Takes one line, without its end. */
  line(max: number): Promise<Buffer | null | 'too-long'>
  /** Takes exactly `length` bytes, in the pieces they came in; fewer only at the end of the content. */
  bytes(length: number): AsyncGenerator<Buffer>
  /** Where the file goes on: after the plain byte taken last, or after the member when that is used up; null inside a member. */
  end(): Promise<number | null>
}

export function createPieceCursor(pieces: AsyncGenerator<ArchivePiece>): PieceCursor {
  let piece: ArchivePiece | null = null
  let at = 0
  let atMemberStart = true
  let ended = false
  let failure: { error: unknown } | null = null

  /** Makes `piece` hold unread content or stand at a member's end. False at the end of everything. */
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

  /** Content until `cutIn` finds its end. Mostly it lies in one piece and nothing is copied. */
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
      // A member that turns out damaged at its very end takes the record that it held with it.
      if (!(await load()) && failure !== null) throw failure.error
      return piece?.within === 'member-end' ? piece.offset : null
    },
  }
}

/** Room is doubled, so that tiny pieces cost no more than large ones. */
function withRoom(held: Buffer, length: number, more: number): Buffer {
  const enough = held.length >= length + more
  return enough ? held : Buffer.concat([held.subarray(0, length)], 2 * (length + more))
}

type Cut = { length: number; taken: number }
/** Where the text ends, looked for from `from` on: before that there is no end. */
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
