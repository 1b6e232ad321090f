import type { Change, Piece } from '../../core/change/change.ts'
import type { Sink } from './io.ts'
import type { Paint, Painter } from './painter.ts'
import { documentLines } from './terminal-text.ts'

/**
 * Changes for a terminal, below the headings they belong to: `-` and `+` for old and new text, with the differing words highlighted, and
 * `~` for moved blocks.
 */
export function changeLines(changes: readonly Change[], sink: Sink, paint: Painter): string[] {
  const lines: string[] = []
  const shown = (text: string): string => documentLines(text.replaceAll('\t', ' | '), sink)
  let place = ''
  for (const change of changes) {
    const { kind, block, path, key, before = '', after = '' } = change
    const here = block === 'value' ? '' : path
    if (here !== place && here !== '') lines.push(paint('dim', shown(here)))
    place = here
    const label = block === 'value' ? `${shown(key)}: ` : ''
    if (kind === 'moved') lines.push(`${paint('cyan', '~ moved:')} ${label}${shown(after)}`)
    else if (kind === 'added') lines.push(paint('green', `+ ${label}${shown(after)}`))
    else if (kind === 'removed') lines.push(paint('red', `- ${label}${shown(before)}`))
    else lines.push(...pairLines(change, label, shown, paint))
  }
  return lines
}

function pairLines(change: Change, label: string, shown: (text: string) => string, paint: Painter): string[] {
  const { pieces = [], before = '', after = '' } = change
  if (pieces.length === 0)
    return [paint('red', `- ${label}${shown(before)}`), paint('green', `+ ${label}${shown(after)}`)]
  const side = (kind: 'removed' | 'added', plain: Paint, word: Paint): string => {
    const words = pieces.map((piece, i) => {
      if (piece.kind === kind) return paint(word, shown(piece.text))
      return piece.kind === 'same' ? paint(plain, shown(around(piece, i, pieces.length))) : ''
    })
    return paint(plain, `${kind === 'added' ? '+' : '-'} ${label}`) + words.join('')
  }
  return [side('removed', 'red', 'redWord'), side('added', 'green', 'greenWord')]
}

/** Longer unchanged text is shortened. */
const maxSame = 160
const maxKept = 60

function around({ text }: Piece, place: number, count: number): string {
  if (text.length <= maxSame) return text
  const start = place === 0 ? '' : text.slice(0, maxKept).toWellFormed().replace(/\S*$/u, '')
  const end = place === count - 1 ? '' : text.slice(-maxKept).toWellFormed().replace(/^\S*/u, '')
  return `${start}…${end}`
}
