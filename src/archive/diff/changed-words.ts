import type { Piece, PieceKind } from '../../core/change/change.ts'
import { type DiffBudget, diffSequences } from './sequence-diff.ts'
import { editsOfTexts, type WordEdits } from './word-edits.ts'

/**
 * How one text became another. `same` and `added` together are the newer text, `same` and `removed` the older one except for its
 * white space.
 */
export type ChangedWords = { pieces: Piece[]; coarse: boolean }

export function changedWords(before: string, after: string, budget: DiffBudget): ChangedWords {
  const { start, end, found } = editsOfTexts(before, after, budget)
  const writer = createPieces()
  writer.put('same', after.slice(0, start))
  const [old, next] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  if (found === null) {
    writer.put('removed', old)
    writer.put('added', next)
  } else putEdits(writer, found)
  writer.put('same', after.slice(after.length - end))
  return { pieces: writer.pieces, coarse: found === null ? old !== '' && next !== '' : found.coarse }
}

function putEdits({ put }: PieceWriter, { old, next, edits }: WordEdits): void {
  let told = 0
  for (const { from, fromEnd, to, toEnd } of edits) {
    if (to > told) put('same', next.glue(told) + next.between(told, to))
    const removed = old.between(from, fromEnd)
    if (to < toEnd) {
      put('same', next.glue(to))
      put('removed', removed)
      put('added', next.between(to, toEnd))
    } else if (from > 0) put('removed', old.glue(from) + removed)
    else put('removed', removed + old.glue(fromEnd))
    told = toEnd
  }
  const count = next.ids.length
  if (told < count) put('same', next.glue(told) + next.between(told, count))
  put('same', next.glue(count))
}

/** Compares cell by cell: a change never spans two cells. */
export function changedCells(before: string, after: string, budget: DiffBudget): ChangedWords {
  const [old, next] = [before.split('\t'), after.split('\t')]
  const { put, pieces } = createPieces()
  let coarse = false
  const putPair = (one: string, other: string): void => {
    const inner = changedWords(one, other, budget)
    coarse ||= inner.coarse
    for (const { kind, text } of inner.pieces) put(kind, text)
  }
  if (old.length === next.length) {
    for (const [i, cell] of next.entries()) {
      if (i > 0) put('same', '\t')
      putPair(old[i]!, cell)
    }
    return { pieces, coarse }
  }
  const { matches, coarse: isCoarse } = diffSequences(old, next, budget)
  coarse = isCoarse
  let from = 0
  let to = 0
  const parted = (place: number, cell: string): string => (place === 0 ? cell : `\t${cell}`)
  for (const match of [...matches, { from: old.length, to: next.length, length: 0 }]) {
    for (; from < match.from && to < match.to; from++, to++) {
      if (to > 0) put('same', '\t')
      putPair(old[from]!, next[to]!)
    }
    for (; from < match.from; from++) put('removed', parted(from, old[from]!))
    for (; to < match.to; to++) put('added', parted(to, next[to]!))
    for (const end = match.to + match.length; to < end; from++, to++) put('same', parted(to, next[to]!))
  }
  return { pieces, coarse }
}

type PieceWriter = { pieces: Piece[]; put(kind: PieceKind, text: string): void }

/** Merges adjacent pieces of one kind. */
function createPieces(): PieceWriter {
  const pieces: { kind: PieceKind; text: string }[] = []
  return {
    pieces,
    put(kind, text) {
      if (text === '') return
      const last = pieces.at(-1)
      if (last?.kind === kind) last.text += text
      else pieces.push({ kind, text })
    },
  }
}
