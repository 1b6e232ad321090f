import type { DiffPiece } from '../../core/reports/history-report.ts'
import { type DiffBudget, diffSequences } from './sequence-diff.ts'

/** What came and went between two texts, word by word. White space alone is no change; the new text's is shown. */
export type WordDiff = { pieces: DiffPiece[]; removed: number; added: number; coarse: boolean }

/** `glue[i]` is the white space before `words[i]`, `tail` that behind the last. */
export type Words = { words: string[]; glue: string[]; tail: string }

/**
 * A run of letters and digits, or one character of a script that puts no spaces between words, or one sign. Marks belong to
 * the letter before them. What is longer is no word and comes in parts: without an end the expression could exhaust the stack.
 */
const word =
  /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])[\p{L}\p{N}_](?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}\p{M}_]|['’](?=\p{L})){0,200}|\S\p{M}{0,20}/gu
const startsWord = /^[\p{L}\p{N}_]/u

/** More tokens than this are not looked at one by one: they would need hundreds of megabytes. */
export const maxWords = 200_000

export function diffWords(oldText: string, newText: string, budget: DiffBudget): WordDiff {
  const start = commonStart(oldText, newText)
  const end = commonEnd(oldText, newText, start)
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

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a

/** Up to the end of a word. A small change in a long text leaves few words to look at one by one. */
function commonStart(a: string, b: string): number {
  const max = Math.min(a.length, b.length)
  let at = 0
  while (at < max && a.charCodeAt(at) === b.charCodeAt(at)) at++
  while (at > 0 && !(isSpace(a.charCodeAt(at)) && isSpace(b.charCodeAt(at)))) at--
  return at
}

function commonEnd(a: string, b: string, start: number): number {
  const max = Math.min(a.length, b.length) - start
  let length = 0
  while (length < max && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++
  while (length > 0 && !isSpace(a.charCodeAt(a.length - length))) length--
  return length
}

function diffInner(oldText: string, newText: string, budget: DiffBudget): WordDiff {
  if (oldText === '' || newText === '') return { ...replaced(oldText, newText), coarse: false }
  const old = wordsOf(oldText)
  const next = wordsOf(newText)
  if (old === null || next === null) return replaced(oldText, newText)
  const { matches, coarse } = diffSequences(old.words, next.words, budget)
  const diff: WordDiff = { pieces: [], removed: 0, added: 0, coarse }
  let from = 0
  let to = 0
  for (const match of [...matches, { from: old.words.length, to: next.words.length, length: 0 }]) {
    if (match.from > from) {
      // Replaced words stand side by side: what parts them from the text before is said once.
      put(diff.pieces, 'same', (match.to > to ? next.glue[to] : old.glue[from])!)
      put(diff.pieces, 'removed', textOf(old, from, match.from))
      diff.removed += countWords(old, from, match.from)
    } else if (match.to > to) put(diff.pieces, 'same', next.glue[to]!)
    if (match.to > to) {
      put(diff.pieces, 'added', textOf(next, to, match.to))
      diff.added += countWords(next, to, match.to)
    }
    from = match.from + match.length
    to = match.to + match.length
    if (match.length > 0) put(diff.pieces, 'same', next.glue[match.to]! + textOf(next, match.to, to))
  }
  return diff
}

/** Adds text to the last piece where that is of the same kind. */
export function put(pieces: DiffPiece[], kind: DiffPiece['kind'], text: string): void {
  if (text === '') return
  const last = pieces.at(-1)
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

/** Null where there are too many. */
export function wordsOf(text: string): Words | null {
  const words: string[] = []
  const glue: string[] = []
  let end = 0
  word.lastIndex = 0
  for (let match = word.exec(text); match !== null; match = word.exec(text)) {
    if (words.length === maxWords) return null
    words.push(match[0])
    glue.push(text.slice(end, match.index))
    end = word.lastIndex
  }
  return { words, glue, tail: text.slice(end) }
}

function textOf({ words, glue }: Words, from: number, end: number): string {
  let text = words[from]!
  for (let i = from + 1; i < end; i++) text += glue[i]! + words[i]!
  return text
}

function countWords({ words }: Words, from: number, end: number): number {
  let count = 0
  for (let i = from; i < end; i++) if (startsWord.test(words[i]!)) count++
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
  let count = 0
  word.lastIndex = 0
  for (let match = word.exec(text); match !== null; match = word.exec(text)) if (startsWord.test(match[0])) count++
  return count
}
