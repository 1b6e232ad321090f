import type { Piece } from '../../core/change/change.ts'
import type { LinePart } from '../../core/change/change-line.ts'
import { isolated, isRightToLeft } from '../../core/change/shown-text.ts'
import { pieceOf } from './lines.ts'
import type { ShownChange } from './message.ts'

const arrow: LinePart = { kind: 'sign', text: ' → ' }

/** A change in parts: added, removed, and the unchanged text around them. */
export function partsOf(change: ShownChange): LinePart[] {
  const { kind, before = '', after = '', pieces = [] } = change
  switch (kind) {
    case 'added':
      return [{ kind: 'sign', text: '+ ' }, part('added', after)]
    case 'removed':
      return [{ kind: 'sign', text: '− ' }, part('removed', before)]
    case 'moved':
      return [{ kind: 'sign', text: 'moved: ' }, part('same', after || before)]
    case 'changed':
      return pieces.some((piece) => piece.kind !== 'same') ? withArrows(pieces) : sidesOf(change)
  }
}

function sidesOf({ before = '', after = '' }: ShownChange): LinePart[] {
  return [part('removed', before), arrow, part('added', after)]
}

function withArrows(pieces: readonly Piece[]): LinePart[] {
  return pieces.flatMap(({ kind, text }, i) => {
    const isBeforeNew = kind === 'removed' && pieces[i + 1]?.kind === 'added'
    const isAfterOld = kind === 'added' && pieces[i - 1]?.kind === 'removed'
    if (isBeforeNew) return [part(kind, text.trimEnd()), arrow]
    return [part(kind, isAfterOld ? text.trimStart() : text)]
  })
}

/** Replaces tabs, which separate the cells of a row. */
function part(kind: LinePart['kind'], text: string): LinePart {
  return { kind, text: text.replaceAll('\t', ' | ') }
}

/** Whether the text around the changed words runs from right to left. */
export function isTurned({ kind, pieces = [] }: ShownChange): boolean {
  const around = pieces.map((piece) => (piece.kind === 'same' ? piece.text : '')).join('')
  return kind === 'changed' && isRightToLeft(around)
}

/** For forms in which a line always runs from left to right: right-to-left text is shown whole, old and new. */
export function lineParts(change: ShownChange): LinePart[] {
  return isTurned(change) ? sidesOf(change) : partsOf(change)
}

/** The words of a part, cleaned and bidi-isolated from their neighbours; spaces at their ends stay outside the marks. */
export function markedPart({ text }: Pick<LinePart, 'text'>, mark: (words: string) => string): string {
  const [, start, words, end] = /^( ?)(.*?)( ?)$/su.exec(isolated(pieceOf(text)))!
  return words === '' ? start! : `${start}${mark(words!)}${end}`
}

/** More edits in one line are hard to read without colours. */
const MAX_EDITS = 3

/** A change in one line of text: `€ 39.90 → € 34.50`, `The bridge is [open → closed] to traffic`. */
export function changeText(change: ShownChange): string {
  const parts = lineParts(change)
  const hasContext = parts.some(({ kind, text }) => kind === 'same' && text.trim() !== '')
  if (change.kind !== 'changed' || !hasContext) return joined(parts)
  const edits = parts.filter(({ kind }, i) => kind !== 'same' && (i === 0 || parts[i - 1]!.kind === 'same'))
  return edits.length > MAX_EDITS ? joined(sidesOf(change)) : joined(parts, bracketed)
}

function bracketed(words: string, parts: readonly LinePart[], i: number): string {
  const { kind } = parts[i]!
  if (kind === 'same' || kind === 'sign') return words
  const isPaired = parts[kind === 'removed' ? i + 1 : i - 1]?.kind === 'sign'
  if (!isPaired) return `[${kind === 'removed' ? '−' : '+'} ${words}]`
  return kind === 'removed' ? `[${words}` : `${words}]`
}

function joined(parts: readonly LinePart[], mark: typeof bracketed = (words) => words): string {
  return parts
    .map((each, i) => markedPart(each, (words) => mark(words, parts, i)))
    .join('')
    .trim()
}
