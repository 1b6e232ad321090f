import type { DiffPiece } from '../../core/reports/history-report.ts'
import type { Words } from '../../core/text/word-tokens.ts'
import type { DiffBudget } from './sequence-diff.ts'
import { commonEnds, editsOfWords, textBetween } from './word-edits.ts'

/** What came and went between two texts, word by word. White space alone is no change; the new text's is shown. */
export type WordDiff = { pieces: DiffPiece[]; removed: number; added: number; coarse: boolean }

const anyWord = /[\p{L}\p{N}_]{1,200}/gu
const holdsWord = /[\p{L}\p{N}_]/u

export function diffWords(oldText: string, newText: string, budget: DiffBudget): WordDiff {
  const { start, end } = commonEnds(oldText, newText)
  const pieces: DiffPiece[] = []
  put(pieces, 'same', newText.slice(0, start))
  const inner = diffInner(
    oldText.slice(start, oldText.length - end),
    newText.slice(start, newText.length - end),
    budget,
  )
  for (const { kind, text } of inner.pieces) put(pieces, kind, text)
  put(pieces, 'same', newText.slice(newText.length - end))
  return { ...inner, pieces }
}

function diffInner(oldText: string, newText: string, budget: DiffBudget): WordDiff {
  if (oldText === '' || newText === '') return { ...replaced(oldText, newText), coarse: false }
  const found = editsOfWords(oldText, newText, budget)
  if (found === null) return replaced(oldText, newText)
  const { old, next, edits, coarse } = found
  const diff: WordDiff = { pieces: [], removed: 0, added: 0, coarse }
  let told = 0
  for (const { from, fromEnd, to, toEnd } of edits) {
    if (to > told) put(diff.pieces, 'same', next.glue[told]! + textBetween(next, told, to))
    // Replaced words stand side by side: what parts them from the text before is said once.
    put(diff.pieces, 'same', (toEnd > to ? next.glue[to] : old.glue[from])!)
    put(diff.pieces, 'removed', textBetween(old, from, fromEnd))
    put(diff.pieces, 'added', textBetween(next, to, toEnd))
    diff.removed += countWords(old, from, fromEnd)
    diff.added += countWords(next, to, toEnd)
    told = toEnd
  }
  if (told < next.words.length) put(diff.pieces, 'same', next.glue[told]! + textBetween(next, told, next.words.length))
  return diff
}

/** Adds text to the last piece where that is of the same kind. */
export function put(pieces: DiffPiece[], kind: DiffPiece['kind'], text: string): void {
  if (text === '') return
  const last = pieces.at(-1)
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

/** A price or a date counts with all of its words, and marks not at all. */
function countWords({ words }: Words, from: number, end: number): number {
  let count = 0
  for (let i = from; i < end; i++) {
    const word = words[i]!
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
  return { pieces, removed: wordCount(old), added: wordCount(next), coarse: true }
}

function wordCount(text: string): number {
  return text.match(anyWord)?.length ?? 0
}
