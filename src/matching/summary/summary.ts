import type { Place } from '../match/leaf-search.ts'

/** Something that was found, what it is worth, and where it is. */
export type Passage = { readonly weight: number; readonly places: readonly Place[] }

/** Passages of a text behind each other, `…` where something was left out, and what was found in them as ranges. */
export type Summary = { readonly text: string; readonly marks: readonly (readonly [from: number, to: number])[] }

export type SummaryLimits = { maxLength?: number; maxPassages?: number }

type Hit = { start: number; end: number; source: number }
type Window = { first: number; last: number; value: number }

const MAX_LENGTH = 400
const MAX_PASSAGES = 3
const MAX_HITS = 5_000
const GAP = ' … '
/** What a passage shows a second time is worth less. */
const SHOWN_BEFORE = 0.1
/** So much of a passage may lie before its first hit. */
const LEAD_SHARE = 0.4

/**
 * Shows the best passages of a text: those with the most valuable findings, each counted once. Without any findings the
 * text's beginning is shown. Linear in the findings; of the text only the passages themselves are read.
 */
export function summarise(
  text: string,
  found: readonly Passage[],
  { maxLength = MAX_LENGTH, maxPassages = MAX_PASSAGES }: SummaryLimits = {},
  from = 0,
): Summary {
  const hits = hitsInOrder(found)
  if (hits.length === 0) return joined(text, [{ start: from, end: lastFit(text, from, maxLength - 1) }], [], from)
  const windows = bestWindows(hits, found, Math.floor(maxLength / maxPassages), maxPassages)
  const room = Math.floor((maxLength - GAP.length * (windows.length + 1)) / windows.length)
  const pieces = windows.map(({ first, last }) => around(text, hits[first]!.start, hits[last]!.end, room, from))
  return joined(text, merged(pieces), hits, from)
}

function hitsInOrder(found: readonly Passage[]): Hit[] {
  const hits: Hit[] = []
  for (const [source, { places }] of found.entries()) {
    for (const { where, start, end } of places) {
      if (hits.length >= MAX_HITS) break
      if (where === 'body') hits.push({ start, end, source })
    }
  }
  return hits.sort((a, b) => a.start - b.start || b.end - a.end)
}

/** One after the other, each the best of those that are apart from the ones before. */
function bestWindows(hits: readonly Hit[], found: readonly Passage[], length: number, count: number): Window[] {
  const worth = found.map(({ weight }) => weight)
  const windows: Window[] = []
  while (windows.length < count) {
    const best = bestWindow(hits, worth, length, windows)
    if (best === null) break
    // Passages that show nothing new are not worth the room.
    if (windows.length > 0 && best.value <= SHOWN_BEFORE * Math.max(...found.map(({ weight }) => weight)) * 2) break
    windows.push(best)
    for (let at = best.first; at <= best.last; at++)
      worth[hits[at]!.source] = found[hits[at]!.source]!.weight * SHOWN_BEFORE
  }
  return windows
}

function bestWindow(
  hits: readonly Hit[],
  worth: readonly number[],
  length: number,
  taken: readonly Window[],
): Window | null {
  const inside = new Uint32Array(worth.length)
  let best: Window | null = null
  let value = 0
  let last = -1
  for (let first = 0; first < hits.length; first++) {
    while (last + 1 < hits.length && (last < first || hits[last + 1]!.end - hits[first]!.start <= length)) {
      const { source } = hits[++last]!
      if (inside[source]!++ === 0) value += worth[source]!
    }
    const isApart = taken.every((window) => last < window.first || first > window.last)
    if (isApart && (best === null || value > best.value * (1 + 1e-9))) best = { first, last, value }
    const { source } = hits[first]!
    if (--inside[source]! === 0) value -= worth[source]!
  }
  return best
}

type Piece = { start: number; end: number }

/** The piece of at most `room` characters that holds the findings, from the beginning of a sentence where one is near. */
function around(text: string, start: number, end: number, room: number, least: number): Piece {
  const lead = Math.max(0, Math.min(room * LEAD_SHARE, room - (end - start)))
  const earliest = Math.max(least, start - Math.floor(lead))
  const begin = sentenceStart(text, earliest, start)
  return { start: begin, end: Math.max(begin + 1, lastFit(text, begin, room)) }
}

/** Where to end so that at most `room` characters are shown and no word is cut. */
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

function joined(text: string, pieces: readonly Piece[], hits: readonly Hit[], from: number): Summary {
  let shown = ''
  const marks: [number, number][] = []
  let next = 0
  for (const { start, end } of pieces) {
    if (shown !== '') shown += GAP
    else if (start > from) shown = '… '
    const shift = shown.length - start
    for (; next < hits.length && hits[next]!.start < end; next++) {
      const hit = hits[next]!
      if (hit.start < start) continue
      addMark(marks, hit.start + shift, Math.min(hit.end, end) + shift)
    }
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

/** The end of the last whole word before `end`; `end` where there is no end of a word in the last half. */
function cutBack(text: string, from: number, end: number): number {
  if (white.test(text[end] ?? ' ')) return end
  const middle = from + ((end - from) >> 1)
  for (let at = end; at > middle; at--) if (white.test(text[at - 1]!)) return at - 1
  return wholeCharacter(text, end)
}

/** Not between the two units of one character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at
}
