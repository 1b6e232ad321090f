import type { Change, Piece } from '../../core/change/change.ts'
import type { AnnotationChange, AnnotationChanges } from '../../store/contracts/annotations.ts'

const MAX_CHANGES = 20
const MAX_TEXT = 500
const MAX_PATH = 200
const MAX_LINK = 2_000
/** Maximum unchanged text kept between two changes. */
const MAX_SAME = 160
const GAP = ' … '

/** The changes as stored with an annotation, shortened. */
export type KeptChanges = {
  readonly changes: AnnotationChanges
  /** Maps a range of a change's new text or path to the kept changes; null if that part was cut. */
  placeOf(change: number, of: 'path' | 'after', start: number, end: number): KeptPlace | null
}

export type KeptPlace = { readonly change: number; readonly start: number; readonly end: number }

/** A range of the new text, and its offset in the kept text. */
type KeptRange = { from: number; to: number; at: number }

/** Keeps the changes in order. If there are too many, `wanted` ones take precedence. */
export function keepChanges(told: readonly Change[], wanted: ReadonlySet<number> = new Set()): KeptChanges {
  const chosen = choose(told.length, wanted)
  const kept = chosen.map((n) => keepChange(told[n]!))
  const indexOf = new Map(chosen.map((n, index) => [n, index]))
  return {
    changes: { list: kept.map(({ change }) => change), more: told.length - kept.length },
    placeOf(n, of, start, end) {
      const index = indexOf.get(n)
      if (index === undefined) return null
      if (of === 'path') return end <= kept[index]!.change.path.length ? { change: index, start, end } : null
      const range = kept[index]!.ranges.find(({ from, to }) => start >= from && end <= to)
      if (range === undefined) return null
      const shift = range.at - range.from
      return { change: index, start: start + shift, end: end + shift }
    },
  }
}

function choose(count: number, wanted: ReadonlySet<number>): number[] {
  const all = Array.from({ length: count }, (_, n) => n)
  if (count <= MAX_CHANGES) return all
  const first = all.filter((n) => wanted.has(n)).slice(0, MAX_CHANGES)
  const others = all.filter((n) => !wanted.has(n)).slice(0, MAX_CHANGES - first.length)
  return [...first, ...others].sort((a, b) => a - b)
}

function keepChange({ kind, path, before, after, pieces, title, link }: Change): {
  change: AnnotationChange
  ranges: KeptRange[]
} {
  const known = {
    kind,
    path: clean(cutTo(path, MAX_PATH)),
    ...(title === undefined ? {} : { title: clean(cutTo(title, MAX_PATH)) }),
    ...(link === undefined || webLink(link) === '' ? {} : { link: webLink(link) }),
  }
  const isShort = (before?.length ?? 0) <= MAX_TEXT && (after?.length ?? 0) <= MAX_TEXT
  if (kind === 'changed' && pieces !== undefined && !isShort) {
    const cut = cutPieces(pieces)
    const textOf = (left: Piece['kind']): string =>
      cut.pieces.map((piece) => (piece.kind === left ? '' : piece.text)).join('')
    const texts = { before: textOf('added'), after: textOf('removed') }
    return { change: { ...known, ...texts, pieces: cut.pieces }, ranges: cut.ranges }
  }
  const change = {
    ...known,
    ...(before === undefined ? {} : { before: clean(cutTo(before, MAX_TEXT)) }),
    ...(after === undefined ? {} : { after: clean(cutTo(after, MAX_TEXT)) }),
    ...(pieces === undefined || !isShort
      ? {}
      : { pieces: pieces.map((piece) => ({ ...piece, text: clean(piece.text) })) }),
  }
  const length = after === undefined ? 0 : after.length <= MAX_TEXT ? after.length : MAX_TEXT - 1
  return { change, ranges: length === 0 ? [] : [{ from: 0, to: length, at: 0 }] }
}

/** The changed words with some context, until one of the two texts is full. */
function cutPieces(pieces: readonly Piece[]): { pieces: Piece[]; ranges: KeptRange[] } {
  const cut: Piece[] = []
  const ranges: KeptRange[] = []
  const length = { before: 0, after: 0 }
  let from = 0
  const add = (kind: Piece['kind'], text: string): void => {
    cut.push({ kind, text: clean(text) })
    if (kind !== 'added') length.before += text.length
    if (kind !== 'removed') length.after += text.length
  }
  const keep = (kind: Piece['kind'], text: string, start: number): void => {
    if (kind !== 'removed' && text !== '') ranges.push({ from: start, to: start + text.length, at: length.after })
    add(kind, text)
  }
  for (const [n, { kind, text }] of pieces.entries()) {
    const used =
      kind === 'removed' ? length.before : kind === 'added' ? length.after : Math.max(length.before, length.after)
    const room = MAX_TEXT - used - GAP.length
    if (room <= 0) break
    if (kind === 'same' && text.length > MAX_SAME) {
      const half = Math.min(MAX_SAME, room) >> 1
      if (n > 0) keep('same', text.slice(0, half), from)
      add('same', n === 0 ? '… ' : n === pieces.length - 1 ? ' …' : GAP)
      if (n < pieces.length - 1 && room > MAX_SAME) keep('same', text.slice(-half), from + text.length - half)
    } else if (text.length > room) {
      keep(kind, text.slice(0, room), from)
      add(kind, '…')
    } else keep(kind, text, from)
    if (kind !== 'removed') from += text.length
  }
  return { pieces: cut, ranges }
}

/** Entry links are untrusted: returns only http and https URLs, empty for all others. */
export function webLink(link: string, base?: string): string {
  const url = link.length <= MAX_LINK ? URL.parse(link, base) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : ''
}

function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

/** Replaces surrogate pairs cut in half. */
function clean(text: string): string {
  return text.toWellFormed()
}
