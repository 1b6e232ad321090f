import type { Block, BlockKind } from '../../change/change.ts'
import type { TextSink } from '../text-sink.ts'
import { BREAK, SPACE } from '../text-tags.ts'
import { seenText, unitsAsSeen } from './seen-text.ts'

/** A heading that applies to what follows, and the headings above it. Its text is known only at the end. */
export type Trail = {
  readonly above: Trail | null
  readonly level: number
  /** Index of its line. */
  readonly line: number
  texts: readonly string[] | null
}

/** The block that the text written next belongs to. */
export type BlockContext = {
  readonly kind: BlockKind
  readonly level: number
  readonly place: string
  /** Replaces the headings above. */
  readonly trail?: readonly string[]
}

/** Level of a term, below all headings: it applies to its descriptions. */
const termLevel = 7
/** Headings are shortened to this length in the trails of other blocks. */
const maxTrailCharacters = 200
const noTrail: readonly string[] = []

/**
 * Builds blocks. Text goes through a sink, in which each block is one line; a block's properties are recorded when it ends. All text is
 * decoded at once, at the end.
 */
export class BlockWriter {
  trail: Trail | null = null
  isCut = false
  /** The block may contain line breaks, as only preformatted text does. */
  hasLines = false
  readonly sink: TextSink
  private readonly out: Buffer
  private readonly maxBlocks: number
  /** Where the current block began. */
  private start = 0
  /** Where the cells of the current row end. */
  private cells: number[] = []
  /** End offset of each block's text. */
  private readonly ends: number[] = []
  private readonly kinds: BlockKind[] = []
  private readonly levels: number[] = []
  private readonly places: string[] = []
  private readonly trails: (Trail | readonly string[] | null)[] = []

  constructor(sink: TextSink, out: Buffer, maxBlocks: number) {
    this.sink = sink
    this.out = out
    this.maxBlocks = maxBlocks
  }

  /** Length of the current block so far. */
  get size(): number {
    return this.sink.length - this.start
  }

  space(): void {
    this.sink.open(SPACE)
  }

  /** Separates two cells of a row. */
  cell(): void {
    this.sink.open(SPACE)
    if (this.sink.length > this.start) this.cells.push(this.sink.length)
  }

  /** Ends the block; does nothing if it has no text. */
  end({ kind, level, place, trail }: BlockContext, isTerm: boolean): void {
    const { sink, start } = this
    const end = sink.length
    sink.open(BREAK)
    if (end === start) return
    if (this.cells.length > 0) this.separateCells(kind, end)
    this.start = end
    const trailLevel = isTerm ? termLevel : level
    if (trailLevel > 0) while (this.trail !== null && this.trail.level >= trailLevel) this.trail = this.trail.above
    if (this.hasLines) {
      for (let at = start + 1; at < end; at++)
        if (this.out[at] === 0x0a) this.note(at, kind, level, place, trail ?? this.trail)
      this.hasLines = sink.keepsLines
    }
    this.note(end, kind, level, place, trail ?? this.trail)
    if (trailLevel > 0) {
      this.trail = { above: this.trail, level: trailLevel, line: this.kinds.length - 1, texts: null }
    }
  }

  private note(
    end: number,
    kind: BlockKind,
    level: number,
    place: string,
    trail: Trail | readonly string[] | null,
  ): void {
    if (this.kinds.length >= this.maxBlocks) {
      this.isCut = true
      return
    }
    this.ends.push(end)
    this.kinds.push(kind)
    this.levels.push(level)
    this.places.push(place)
    this.trails.push(trail)
  }

  /** Replaces the spaces that the sink wrote between cells by tabs. */
  private separateCells(kind: BlockKind, end: number): void {
    if (kind === 'row') for (const at of this.cells) if (at < end) this.out[at] = 0x09
    this.cells = []
  }

  build(): Block[] {
    if (this.kinds.length === 0) return []
    const lines = this.linesAsSeen()
    const blocks: Block[] = []
    for (let i = 0; i < this.kinds.length; i++) {
      const line = lines[i]!
      if (line === '') continue
      blocks.push({
        kind: this.kinds[i]!,
        text: line,
        trail: trailTexts(this.trails[i]!, lines),
        key: '',
        place: this.places[i]!,
        level: this.levels[i]!,
      })
    }
    return blocks
  }

  /** The text of each block. */
  private linesAsSeen(): string[] {
    const { out, ends, sink } = this
    const text = out.toString('utf8', 0, sink.length)
    const view = new DataView(out.buffer, out.byteOffset, out.length)
    const lines: string[] = []
    let at = 0
    let start = 0
    for (let i = 0; i < ends.length; i++) {
      const end = ends[i]!
      const units = unitsAsSeen(out, view, start, end)
      if (units === -1) return seenText(text).split('\n')
      lines.push(text.slice(at, at + units))
      // Skip the line break.
      at += units + 1
      start = end + 1
    }
    return lines
  }
}

function trailTexts(trail: Trail | readonly string[] | null, lines: readonly string[]): readonly string[] {
  if (trail === null) return noTrail
  if (!('line' in trail)) return trail
  if (trail.texts === null) {
    const above = trailTexts(trail.above, lines)
    const own = lines[trail.line]!
    trail.texts = own === '' ? above : [...above, cutText(own, maxTrailCharacters)]
  }
  return trail.texts
}

function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}
