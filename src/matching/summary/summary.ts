import type { Place } from '../match/leaf-search.ts'

/** Something found, its weight and its places. */
export type Passage = { readonly weight: number; readonly places: readonly Place[] }

/** Passages of a text, separated by `…` where something was left out, and the ranges of the hits in them. */
export type Summary = { readonly text: string; readonly marks: readonly (readonly [from: number, to: number])[] }

export type SummaryLimits = { maxLength?: number; maxPassages?: number }

/** Hits in the body, in order: their ranges and the index of their passage. At the same start, longer ones come first. */
type Hits = { readonly count: number; starts: Uint32Array; ends: Uint32Array; sources: Uint32Array }
type Window = { first: number; last: number; value: number }

const MAX_LENGTH = 400
const MAX_PASSAGES = 3
const MAX_HITS = 5_000
/** Greater than the number of hits; places are below 2^32, so both fit into one number. */
const ORDER = 8_192
const GAP = ' … '
/** Factor for hits that an earlier passage has already shown. */
const SHOWN_BEFORE = 0.1
/** Maximum share of a passage before its first hit. */
const LEAD_SHARE = 0.4

/**
 * Shows the best passages of a text: those with the most valuable hits, each counted once. Without hits, the beginning of the text.
 * Linear in the hits; of the text only the passages themselves are read.
 */
export function summarise(
  text: string,
  found: readonly Passage[],
  { maxLength = MAX_LENGTH, maxPassages = MAX_PASSAGES }: SummaryLimits = {},
  from = 0,
): Summary {
  const hits = hitsInOrder(found)
  if (hits.count === 0) return joined(text, [{ start: from, end: lastFit(text, from, maxLength - 1) }], hits, from)
  const windows = bestWindows(hits, found, Math.floor(maxLength / maxPassages), maxPassages)
  const room = Math.floor((maxLength - GAP.length * (windows.length + 1)) / windows.length)
  const pieces = windows.map(({ first, last }) => around(text, hits.starts[first]!, hits.ends[last]!, room, from))
  return joined(text, merged(pieces), hits, from)
}

function hitsInOrder(found: readonly Passage[]): Hits {
  let most = 0
  for (const { places } of found) most += places.length
  most = Math.min(most, MAX_HITS)
  // One number per hit: its start, and its index in the order of the passages. Numbers sort much faster than objects.
  const order = new Float64Array(most)
  const ends = new Uint32Array(most)
  const sources = new Uint32Array(most)
  let count = 0
  for (let source = 0; source < found.length; source++) {
    for (const { where, start, end } of found[source]!.places) {
      if (count >= MAX_HITS) break
      if (where !== 'body') continue
      order[count] = start * ORDER + count
      ends[count] = end
      sources[count++] = source
    }
  }
  order.subarray(0, count).sort()
  const hits = { count, starts: new Uint32Array(count), ends: new Uint32Array(count), sources: new Uint32Array(count) }
  for (let at = 0; at < count; at++) {
    const start = Math.floor(order[at]! / ORDER)
    const index = order[at]! - start * ORDER
    let to = at
    for (; to > 0 && hits.starts[to - 1] === start && hits.ends[to - 1]! < ends[index]!; to--) {
      hits.ends[to] = hits.ends[to - 1]!
      hits.sources[to] = hits.sources[to - 1]!
    }
    hits.starts[at] = start
    hits.ends[to] = ends[index]!
    hits.sources[to] = sources[index]!
  }
  return hits
}

/** Greedy: each window is the best of those that don't overlap the ones before. */
function bestWindows(hits: Hits, found: readonly Passage[], length: number, count: number): Window[] {
  const worth = Float64Array.from(found, ({ weight }) => weight)
  const most = worth.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const windows: Window[] = []
  while (windows.length < count) {
    const best = bestWindow(hits, worth, length, windows)
    if (best === null) break
    // Passages that show nothing new don't deserve the room.
    if (windows.length > 0 && best.value <= SHOWN_BEFORE * most * 2) break
    windows.push(best)
    for (let at = best.first; at <= best.last; at++)
      worth[hits.sources[at]!] = found[hits.sources[at]!]!.weight * SHOWN_BEFORE
  }
  return windows
}

function bestWindow(
  { count, starts, ends, sources }: Hits,
  worth: Float64Array,
  length: number,
  taken: readonly Window[],
): Window | null {
  const inside = new Uint32Array(worth.length)
  let best: Window | null = null
  let least = Number.NEGATIVE_INFINITY
  let value = 0
  let last = -1
  for (let first = 0; first < count; first++) {
    while (last + 1 < count && (last < first || ends[last + 1]! - starts[first]! <= length)) {
      const source = sources[++last]!
      if (inside[source]!++ === 0) value += worth[source]!
    }
    if ((best === null || value > least) && isApart(first, last, taken)) {
      best = { first, last, value }
      least = value * (1 + 1e-9)
    }
    const source = sources[first]!
    if (--inside[source]! === 0) value -= worth[source]!
  }
  return best
}

function isApart(first: number, last: number, taken: readonly Window[]): boolean {
  for (const window of taken) if (last >= window.first && first <= window.last) return false
  return true
}

type Piece = { start: number; end: number }

/** The piece of at most `room` characters around the hits, from the start of a sentence if one is near. */
function around(text: string, start: number, end: number, room: number, least: number): Piece {
  const lead = Math.max(0, Math.min(room * LEAD_SHARE, room - (end - start)))
  const earliest = Math.max(least, start - Math.floor(lead))
  const begin = sentenceStart(text, earliest, start)
  return { start: begin, end: Math.max(begin + 1, lastFit(text, begin, room)) }
}

/** The end for showing at most `room` characters without cutting a word. */
function lastFit(text: string, from: number, room: number): number {
  return text.length <= from + room ? text.length : cutBack(text, from, from + room)
}

function merged(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = []
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    const before = result.at(-1)
    if (before !== undefined && piece.start <= before.end + 1) before.end = Math.max(before.end, piece.end)
    else result.push({ ...piece })
  }
  return result
}

function joined(text: string, pieces: readonly Piece[], { count, starts, ends }: Hits, from: number): Summary {
  let shown = ''
  const marks: [number, number][] = []
  let next = 0
  for (const { start, end } of pieces) {
    if (shown !== '') shown += GAP
    else if (start > from) shown = '… '
    const shift = shown.length - start
    for (; next < count && starts[next]! < end; next++)
      if (starts[next]! >= start) addMark(marks, starts[next]! + shift, Math.min(ends[next]!, end) + shift)
    shown += text.slice(start, end).replaceAll(/\s/g, ' ')
  }
  const isOpen = (pieces.at(-1)?.end ?? 0) < text.length
  return { text: isOpen && !isWordBreak(shown.at(-1) ?? ' ') ? `${shown} …` : shown, marks }
}

/** Hits may overlap; marks do not. */
function addMark(marks: [number, number][], start: number, end: number): void {
  const before = marks.at(-1)
  if (before === undefined || start >= before[1]) marks.push([start, end])
  else if (end > before[1]) before[1] = end
}

const sentenceEnd = /[.!?。！？\n]/
const white = /\s/

function isWordBreak(character: string): boolean {
  return white.test(character)
}

/** The start of the sentence that contains `place`, or of a word, but not before `earliest`. */
function sentenceStart(text: string, earliest: number, place: number): number {
  let word = place
  for (let at = place; at > earliest; at--) {
    const before = text[at - 1]!
    if (sentenceEnd.test(before) && (white.test(text[at] ?? ' ') || before > '\x7f' || before === '\n'))
      return white.test(text[at] ?? '') && at < place ? at + 1 : at
    if (white.test(before)) word = at
  }
  if (earliest === 0 || white.test(text[earliest - 1]!)) return wholeCharacter(text, earliest)
  return wholeCharacter(text, word)
}

/** The end of the last whole word before `end`; `end` itself if no word ends in the last half. */
function cutBack(text: string, from: number, end: number): number {
  if (white.test(text[end] ?? ' ')) return end
  const middle = from + ((end - from) >> 1)
  for (let at = end; at > middle; at--) if (white.test(text[at - 1]!)) return at - 1
  return wholeCharacter(text, end)
}

/** Never between the two units of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at
}
