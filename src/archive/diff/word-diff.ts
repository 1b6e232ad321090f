import type { DiffPiece } from '../../core/reports/history-report.ts'
import type { DiffBudget } from './sequence-diff.ts'
import type { TokenList } from './token-list.ts'
import { editsOfTexts, type WordEdits } from './word-edits.ts'

/** Words added and removed between two texts. White space alone is not a change; that of the new text is shown. */
export type WordDiff = { pieces: DiffPiece[]; removed: number; added: number; coarse: boolean }

const anyWord = /[\p{L}\p{N}_]{1,200}/gu
const holdsWord = /[\p{L}\p{N}_]/u

export function diffWords(oldText: string, newText: string, budget: DiffBudget): WordDiff {
  const { start, end, found } = editsOfTexts(oldText, newText, budget)
  const pieces: DiffPiece[] = []
  put(pieces, 'same', newText.slice(0, start))
  const [old, next] = [oldText.slice(start, oldText.length - end), newText.slice(start, newText.length - end)]
  const inner = found === null ? replaced(old, next) : diffInner(found)
  for (const { kind, text } of inner.pieces) put(pieces, kind, text)
  put(pieces, 'same', newText.slice(newText.length - end))
  return { ...inner, pieces }
}

function diffInner({ old, next, edits, coarse }: WordEdits): WordDiff {
  const diff: WordDiff = { pieces: [], removed: 0, added: 0, coarse }
  let told = 0
  for (const { from, fromEnd, to, toEnd } of edits) {
    if (to > told) put(diff.pieces, 'same', next.glue(told) + next.between(told, to))
    // Replaced words are next to their replacement, so the white space before them is shown once.
    put(diff.pieces, 'same', toEnd > to ? next.glue(to) : old.glue(from))
    put(diff.pieces, 'removed', old.between(from, fromEnd))
    put(diff.pieces, 'added', next.between(to, toEnd))
    diff.removed += countWords(old, from, fromEnd)
    diff.added += countWords(next, to, toEnd)
    told = toEnd
  }
  const count = next.ids.length
  if (told < count) put(diff.pieces, 'same', next.glue(told) + next.between(told, count))
  return diff
}

/** Adds a piece, or extends the last one if it is of the same kind. */
export function put(pieces: DiffPiece[], kind: DiffPiece['kind'], text: string): void {
  if (text === '') return
  const last = pieces.at(-1)
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

/** A price or a date counts all its words; punctuation doesn't count. */
function countWords({ word: wordAt }: TokenList, from: number, end: number): number {
  let count = 0
  for (let i = from; i < end; i++) {
    const word = wordAt(i)
    if (holdsWord.test(word)) count += word.includes(' ') ? wordCount(word) : 1
  }
  return count
}

function replaced(oldText: string, newText: string): WordDiff {
  const [old, next] = [oldText.trim(), newText.trim()]
  const pieces: DiffPiece[] = []
  put(pieces, 'same', /^\s?/.exec(next === '' && old !== '' ? oldText : newText)![0])
  put(pieces, 'removed', old)
  put(pieces, 'added', next)
  return { pieces, removed: wordCount(old), added: wordCount(next), coarse: old !== '' && next !== '' }
}

function wordCount(text: string): number {
  return text.match(anyWord)?.length ?? 0
}
