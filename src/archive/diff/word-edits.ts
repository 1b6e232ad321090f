import { maxWords, type Words, wordsOf } from '../../core/text/word-tokens.ts'
import { type DiffBudget, diffSequences, type Match } from './sequence-diff.ts'
import { sharedEnd, sharedStart } from './shared-ends.ts'

/** Words `from` to `fromEnd` became words `to` to `toEnd`. */
export type WordEdit = { from: number; fromEnd: number; to: number; toEnd: number }
export type WordEdits = { old: Words; next: Words; edits: WordEdit[]; coarse: boolean }

/** Beyond this, sentences are compared before their words. */
const manyWords = 2_000
/** What has no end mark is cut after so many words. */
const maxSentence = 200

/** A price or a date can have spaces in it, and must not be cut: the common ends stop a few words before the difference. */
const maxSpaces = 5
/** Where words have no end. */
const maxUncut = 2_000

/** Of characters. A small change in a long text leaves few words to look at one by one. */
export function commonEnds(a: string, b: string): { start: number; end: number } {
  let start = sharedStart(a, b)
  const least = Math.max(0, start - maxUncut)
  for (let spaces = 0; start > least || isHalf(a, start); start--) {
    if (isSpace(a.charCodeAt(start)) && ++spaces > maxSpaces) break
  }
  let end = sharedEnd(a, b, Math.min(a.length, b.length) - start)
  const leastEnd = Math.max(0, end - maxUncut)
  for (let spaces = 0; end > leastEnd || isHalf(a, a.length - end); end--) {
    if (isSpace(a.charCodeAt(a.length - end)) && ++spaces > maxSpaces) break
  }
  return { start, end }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a
}

/** Whether a cut before it would part a surrogate pair. */
function isHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code < 0xe000
}

/** What came and went between two texts, word by word, as a person would tell it; null where there are too many words. */
export function editsOfWords(oldText: string, newText: string, budget: DiffBudget): WordEdits | null {
  const limit = Math.max(0, Math.min(maxWords, budget.work))
  const old = wordsOf(oldText, limit)
  const next = old === null ? null : wordsOf(newText, limit)
  budget.work -= (old === null ? limit : old.words.length) + (next?.words.length ?? limit)
  return old === null || next === null ? null : editsOfTokens(old, next, budget)
}

/** The same for texts whose words are known. */
export function editsOfTokens(old: Words, next: Words, budget: DiffBudget): WordEdits {
  const isLong = old.words.length + next.words.length > 2 * manyWords
  const { matches, coarse } = isLong
    ? sentencesThenWords(old.words, next.words, budget)
    : diffSequences(old.words, next.words, budget)
  const edits = editsBetween(matches, old.words.length, next.words.length)
  slideEdits(edits, old.words, next.words)
  return { old, next, edits: withoutIslands(edits, old, next), coarse }
}

function editsBetween(matches: readonly Match[], oldLength: number, newLength: number): WordEdit[] {
  const edits: WordEdit[] = []
  let from = 0
  let to = 0
  for (const match of [...matches, { from: oldLength, to: newLength, length: 0 }]) {
    if (match.from > from || match.to > to) edits.push({ from, fromEnd: match.from, to, toEnd: match.to })
    from = match.from + match.length
    to = match.to + match.length
  }
  return edits
}

function sentencesThenWords(old: readonly string[], next: readonly string[], budget: DiffBudget) {
  const [oldStarts, newStarts] = [sentenceStarts(old), sentenceStarts(next)]
  const sentencesOf = (words: readonly string[], starts: readonly number[]) =>
    starts.slice(1).map((end, i) => words.slice(starts[i], end).join(' '))
  const whole = diffSequences(sentencesOf(old, oldStarts), sentencesOf(next, newStarts), budget)
  const matches: Match[] = []
  let { coarse } = whole
  for (const edit of editsBetween(whole.matches, oldStarts.length - 1, newStarts.length - 1)) {
    const [from, to] = [oldStarts[edit.from]!, newStarts[edit.to]!]
    const inner = diffSequences(old.slice(from, oldStarts[edit.fromEnd]), next.slice(to, newStarts[edit.toEnd]), budget)
    coarse ||= inner.coarse
    for (const match of inner.matches) matches.push({ ...match, from: from + match.from, to: to + match.to })
  }
  for (const { from, to, length } of whole.matches) {
    const start = oldStarts[from]!
    matches.push({ from: start, to: newStarts[to]!, length: oldStarts[from + length]! - start })
  }
  matches.sort((one, other) => one.from - other.from)
  return { matches, coarse }
}

const endsSentence = /^[.!?。！？।؟]$/u

/** With the end of the last. */
function sentenceStarts(words: readonly string[]): number[] {
  const starts = [0]
  for (let i = 0; i < words.length; i++) {
    const isEnd = i + 1 === words.length || endsSentence.test(words[i]!) || i + 1 - starts.at(-1)! >= maxSentence
    if (isEnd) starts.push(i + 1)
  }
  return starts
}

const isMark = /^[^\p{L}\p{N}\p{Sc}]/u

/** A few steps are enough for what people would see. */
const maxSlide = 12

/**
 * Where one side of an edit is empty, several places are equally true: of `A. [B.] C.` and `A[. B]. C.` people mean the first. The edit
 * ends with a sentence where it can, and begins with a word.
 */
function slideEdits(edits: WordEdit[], old: readonly string[], next: readonly string[]): void {
  for (const [i, edit] of edits.entries()) {
    const isRemoval = edit.to === edit.toEnd
    if (!isRemoval && edit.from !== edit.fromEnd) continue
    const words = isRemoval ? old : next
    const [start, end] = isRemoval ? [edit.from, edit.fromEnd] : [edit.to, edit.toEnd]
    const back = Math.min(maxSlide, edit.to - (edits[i - 1]?.toEnd ?? 0))
    const ahead = Math.min(maxSlide, (edits[i + 1]?.to ?? next.length) - edit.toEnd)
    const by = bestSlide(words, { start, end, back, ahead })
    edits[i] = { from: edit.from + by, fromEnd: edit.fromEnd + by, to: edit.to + by, toEnd: edit.toEnd + by }
  }
}

type Slide = { start: number; end: number; back: number; ahead: number }

function bestSlide(words: readonly string[], { start, end, back, ahead }: Slide): number {
  const rank = (by: number): number => {
    if (endsSentence.test(words[end + by - 1]!))
      return start + by === 0 || endsSentence.test(words[start + by - 1]!) ? 3 : 2
    return isMark.test(words[start + by]!) ? 0 : 1
  }
  let best = 0
  for (let by = -1; by >= -back && words[start + by] === words[end + by]; by--) if (rank(by) > rank(best)) best = by
  for (let by = 1; by <= ahead && words[start + by - 1] === words[end + by - 1]; by++) {
    if (rank(by) > rank(best)) best = by
  }
  return best
}

/** A word that carries meaning by itself: a number, a character of a script without spaces, or four letters. */
const isTelling = /[\p{N}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|\p{L}.{2}\p{L}/u

/**
 * A few words between two edits that are equal by chance belong to the edit: a replacement reads better than two halves of one.
 */
function withoutIslands(edits: readonly WordEdit[], old: Words, next: Words): WordEdit[] {
  const result: WordEdit[] = []
  for (const edit of edits) {
    const last = result.at(-1)
    if (last !== undefined && isIsland(last, edit, old, next)) {
      last.fromEnd = edit.fromEnd
      last.toEnd = edit.toEnd
    } else result.push({ ...edit })
  }
  return result
}

const maxIsland = 3

function isIsland(left: WordEdit, right: WordEdit, old: Words, next: Words): boolean {
  const count = right.to - left.toEnd
  if (count > maxIsland) return false
  const isRemoval = left.to === left.toEnd && right.to === right.toEnd
  const isAddition = left.from === left.fromEnd && right.from === right.fromEnd
  if (isRemoval || isAddition) return false
  // What parts the cells of a row, or lines, is no island.
  for (let i = left.toEnd; i <= right.to && i < next.words.length; i++) if (/[\t\n]/.test(next.glue[i]!)) return false
  const words = next.words.slice(left.toEnd, right.to)
  const telling = words.filter((word) => isTelling.test(word)).length
  if (telling === 0) return true
  const isReplaced = ({ from, fromEnd, to, toEnd }: WordEdit): boolean => from < fromEnd && to < toEnd
  if (telling > 1 || !isReplaced(left) || !isReplaced(right)) return false
  const length = words.join('').length
  const sizeOf = ({ from, fromEnd, to, toEnd }: WordEdit): number =>
    Math.max(old.words.slice(from, fromEnd).join('').length, next.words.slice(to, toEnd).join('').length)
  return length <= sizeOf(left) && length <= sizeOf(right)
}

/** As it is written, without the white space around it. */
export function textBetween({ words, glue }: Words, from: number, end: number): string {
  if (from >= end) return ''
  let text = words[from]!
  for (let i = from + 1; i < end; i++) text += glue[i]! + words[i]!
  return text
}
