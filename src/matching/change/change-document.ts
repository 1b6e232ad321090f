import type { Change } from '../../core/change/change.ts'

/**
 * The text that interests are matched against if they ask for the change: for each added or changed block its headings (each heading
 * once in the document) and its new text. Removed and moved text doesn't count. In long blocks only the sentences around the changed
 * words count.
 */
export type ChangeDocument = {
  readonly text: string
  /** Origins of the text, in order. */
  readonly parts: readonly ChangePart[]
}

export type ChangePart = {
  /** Index of the change. */
  readonly change: number
  readonly of: 'path' | 'after'
  readonly start: number
  readonly end: number
  /** Start offset in the path, or in the new text of the block. */
  readonly from: number
}

/** Blocks longer than this count only in part. */
const LONG = 400
/** How far a sentence is followed from the changed words, in characters. */
const REACH = 200
const TRAIL_SIGN = ' › '

/** The title is context too, and counts once: a heading equal to it is left out. */
export function changeDocument(changes: readonly Change[], title = ''): ChangeDocument {
  const headings = new Set([title])
  const parts: ChangePart[] = []
  const lines: string[] = []
  let length = 0

  function add(part: Pick<ChangePart, 'change' | 'of' | 'from'>, text: string): void {
    parts.push({ ...part, start: length, end: length + text.length })
    lines.push(text)
    length += text.length + 1
  }

  for (const [change, each] of changes.entries()) {
    const { kind, path, after } = each
    if ((kind !== 'added' && kind !== 'changed') || after === undefined) continue
    let from = 0
    for (const heading of path.split(TRAIL_SIGN)) {
      // The block may be the heading itself.
      if (heading !== '' && heading !== after && !headings.has(heading)) add({ change, of: 'path', from }, heading)
      headings.add(heading)
      from += heading.length + TRAIL_SIGN.length
    }
    if (each.block === 'heading') headings.add(after)
    for (const { start, end } of countedIn(each, after))
      add({ change, of: 'after', from: start }, after.slice(start, end))
  }
  return { text: lines.join('\n'), parts }
}

/** The part that an offset of the document's text is in; null between parts. Binary search: parts are in order. */
export function partAt({ parts }: ChangeDocument, offset: number): ChangePart | null {
  let low = 0
  let high = parts.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const part = parts[middle]!
    if (offset < part.start) high = middle - 1
    else if (offset >= part.end) low = middle + 1
    else return part
  }
  return null
}

type Range = { start: number; end: number }

function countedIn({ kind, pieces }: Change, after: string): Range[] {
  if (kind !== 'changed' || pieces === undefined || after.length <= LONG) return [{ start: 0, end: after.length }]
  const ranges: Range[] = []
  let at = 0
  for (const { kind: piece, text } of pieces) {
    const end = piece === 'removed' ? at : at + text.length
    if (piece !== 'same') {
      const start = sentenceStart(after, at)
      const before = ranges.at(-1)
      if (before !== undefined && start <= before.end) before.end = Math.max(before.end, sentenceEnd(after, end))
      else ranges.push({ start, end: sentenceEnd(after, end) })
    }
    at = end
  }
  return ranges
}

const isEnd = /[.!?。！？\n]/
const isSpace = /\s/

/** At most `REACH` back, and then at the start of a word. */
function sentenceStart(text: string, place: number): number {
  const least = Math.max(0, place - REACH)
  let word = place
  for (let at = place; at > least; at--) {
    const before = text[at - 1]!
    if (isSpace.test(before)) word = at
    if (isEnd.test(before) && (at === text.length || isSpace.test(text[at]!) || before > '\x7f')) {
      // After the space, unless the place is before it.
      return Math.min(place, before > '\x7f' ? at : at + 1)
    }
  }
  return least === 0 ? 0 : word
}

function sentenceEnd(text: string, place: number): number {
  const most = Math.min(text.length, place + REACH)
  let word = place
  for (let at = place; at < most; at++) {
    if (isSpace.test(text[at]!)) word = at
    const isLast =
      isEnd.test(text[at]!) && (at + 1 === text.length || isSpace.test(text[at + 1]!) || text[at]! > '\x7f')
    if (isLast) return at + 1
  }
  return most === text.length ? most : Math.max(word, place)
}
