import { codesOf } from '../../core/text/text-codes.ts'
import { findTokens, maxWords } from '../../core/text/word-tokens.ts'
import { type DiffBudget, diffNumbers, diffSequences, type Match } from './sequence-diff.ts'
import { sharedEnd, sharedStart } from './shared-ends.ts'
import { type TokenList, tokensOfTexts } from './token-list.ts'

/** Words `from` to `fromEnd` became words `to` to `toEnd`. */
export type WordEdit = { from: number; fromEnd: number; to: number; toEnd: number }
export type WordEdits = { old: TokenList; next: TokenList; edits: WordEdit[]; coarse: boolean }

/** Above this number, sentences are compared before words. */
const manyWords = 2_000
/** Text without an end mark is split after this many words. */
const maxSentence = 200

/** Prices and dates may contain spaces and must not be split: the common ends stop this many words before the difference. */
const maxSpaces = 5
/** The same in characters, for text without spaces. */
const maxUncut = 2_000

/** Edits of the words between `start` and the last `end` characters; null if there are too many words, or one side has none. */
export type TextEdits = { start: number; end: number; found: WordEdits | null }

/**
 * Words added and removed between two texts, as a person would describe it. Only the part between their common ends is compared: a
 * small change in a long text leaves few words.
 */
export function editsOfTexts(before: string, after: string, budget: DiffBudget): TextEdits {
  const [a, b] = [codesOf(before, 0), codesOf(after, 1)]
  const shorter = Math.min(before.length, after.length)
  let start = sharedStart(a, b, shorter)
  const least = Math.max(0, start - maxUncut)
  for (let spaces = 0; start > least || isHalf(a, start); start--) {
    if (start < before.length && isSpace(a[start]!) && ++spaces > maxSpaces) break
  }
  let end = sharedEnd(a, before.length, b, after.length, shorter - start)
  const leastEnd = Math.max(0, end - maxUncut)
  for (let spaces = 0; end > leastEnd || (end > 0 && isHalf(a, before.length - end)); end--) {
    if (end > 0 && isSpace(a[before.length - end]!) && ++spaces > maxSpaces) break
  }
  const [old, next] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const isOneSided = old === '' || next === ''
  return { start, end, found: isOneSided ? null : editsOfParts(old, a, next, b, start, budget) }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a
}

/** Whether a cut before it would split a surrogate pair. */
function isHalf(codes: Uint16Array, at: number): boolean {
  return at > 0 && codes[at]! >= 0xdc00 && codes[at]! < 0xe000
}

/** The texts start at `offset` of their codes. */
function editsOfParts(
  oldText: string,
  oldCodes: Uint16Array,
  newText: string,
  newCodes: Uint16Array,
  offset: number,
  budget: DiffBudget,
): WordEdits | null {
  const limit = Math.max(0, Math.min(maxWords, budget.work))
  const oldSpans = findTokens(oldText, oldCodes, offset, limit)
  const newSpans = oldSpans === null ? null : findTokens(newText, newCodes, offset, limit)
  budget.work -= (oldSpans?.starts.length ?? limit) + (newSpans?.starts.length ?? limit)
  if (oldSpans === null || newSpans === null) return null
  const { old, next, count } = tokensOfTexts(
    { text: oldText, codes: oldCodes, offset, spans: oldSpans },
    { text: newText, codes: newCodes, offset, spans: newSpans },
  )
  return editsOfTokens(old, next, count, budget)
}

/** The same for texts that are already split into words, with ids less than `end`. */
export function editsOfTokens(old: TokenList, next: TokenList, end: number, budget: DiffBudget): WordEdits {
  const isLong = old.ids.length + next.ids.length > 2 * manyWords
  const { matches, coarse } = isLong
    ? sentencesThenWords(old, next, end, budget)
    : diffNumbers(old.ids, next.ids, end, budget)
  const edits = editsBetween(matches, old.ids.length, next.ids.length)
  slideEdits(edits, old, next)
  return { old, next, edits: withoutIslands(edits, old, next), coarse }
}

function editsBetween(matches: readonly Match[], oldLength: number, newLength: number): WordEdit[] {
  const edits: WordEdit[] = []
  let from = 0
  let to = 0
  for (const match of matches) {
    if (match.from > from || match.to > to) edits.push({ from, fromEnd: match.from, to, toEnd: match.to })
    from = match.from + match.length
    to = match.to + match.length
  }
  if (oldLength > from || newLength > to) edits.push({ from, fromEnd: oldLength, to, toEnd: newLength })
  return edits
}

function sentencesThenWords(old: TokenList, next: TokenList, end: number, budget: DiffBudget) {
  const [oldStarts, newStarts] = [sentenceStarts(old), sentenceStarts(next)]
  const sentencesOf = ({ ids }: TokenList, starts: readonly number[]) =>
    starts.slice(1).map((stop, i) => ids.subarray(starts[i], stop).join(' '))
  const whole = diffSequences(sentencesOf(old, oldStarts), sentencesOf(next, newStarts), budget)
  const matches: Match[] = []
  let { coarse } = whole
  for (const edit of editsBetween(whole.matches, oldStarts.length - 1, newStarts.length - 1)) {
    const [from, to] = [oldStarts[edit.from]!, newStarts[edit.to]!]
    const [oldIds, newIds] = [
      old.ids.subarray(from, oldStarts[edit.fromEnd]),
      next.ids.subarray(to, newStarts[edit.toEnd]),
    ]
    const inner = diffWithin(oldIds, newIds, end, budget)
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

/** Renumbers a few words, as a table for all ids would be too large for them. */
function diffWithin(old: Int32Array, next: Int32Array, end: number, budget: DiffBudget) {
  if (old.length + next.length > end / 8) return diffNumbers(old, next, end, budget)
  const places = new Map<number, number>()
  const renumbered = (id: number): number => {
    const known = places.get(id) ?? places.size
    if (known === places.size) places.set(id, known)
    return known
  }
  const [a, b] = [old.map(renumbered), next.map(renumbered)]
  return diffNumbers(a, b, places.size, budget)
}

const endsSentence = /^[.!?。！？।؟]$/u

/** Includes the end of the last sentence. */
function sentenceStarts(tokens: TokenList): number[] {
  const starts = [0]
  const count = tokens.ids.length
  for (let i = 0; i < count; i++) {
    const isEnd = i + 1 === count || endsSentence.test(tokens.word(i)) || i + 1 - starts.at(-1)! >= maxSentence
    if (isEnd) starts.push(i + 1)
  }
  return starts
}

const isMark = /^[^\p{L}\p{N}\p{Sc}]/u

/** A few steps cover what people would notice. */
const maxSlide = 12

/**
 * If one side of an edit is empty, several positions are equally correct: of `A. [B.] C.` and `A[. B]. C.` people mean the first. Moves
 * the edit so that it ends with a sentence if possible, and begins with a word.
 */
function slideEdits(edits: WordEdit[], old: TokenList, next: TokenList): void {
  for (const [i, edit] of edits.entries()) {
    const isRemoval = edit.to === edit.toEnd
    if (!isRemoval && edit.from !== edit.fromEnd) continue
    const tokens = isRemoval ? old : next
    const [start, end] = isRemoval ? [edit.from, edit.fromEnd] : [edit.to, edit.toEnd]
    const back = Math.min(maxSlide, edit.to - (edits[i - 1]?.toEnd ?? 0))
    const ahead = Math.min(maxSlide, (edits[i + 1]?.to ?? next.ids.length) - edit.toEnd)
    const by = bestSlide(tokens, { start, end, back, ahead })
    edits[i] = { from: edit.from + by, fromEnd: edit.fromEnd + by, to: edit.to + by, toEnd: edit.toEnd + by }
  }
}

type Slide = { start: number; end: number; back: number; ahead: number }

function bestSlide({ ids, word }: TokenList, { start, end, back, ahead }: Slide): number {
  const rank = (by: number): number => {
    if (endsSentence.test(word(end + by - 1)))
      return start + by === 0 || endsSentence.test(word(start + by - 1)) ? 3 : 2
    return isMark.test(word(start + by)) ? 0 : 1
  }
  let best = 0
  for (let by = -1; by >= -back && ids[start + by] === ids[end + by]; by--) if (rank(by) > rank(best)) best = by
  for (let by = 1; by <= ahead && ids[start + by - 1] === ids[end + by - 1]; by++) {
    if (rank(by) > rank(best)) best = by
  }
  return best
}

/** A word that carries meaning by itself: a number, a character of a script without spaces, or four letters. */
const isTelling = /[\p{N}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|\p{L}.{2}\p{L}/u

/**
 * Merges edits that are separated by a few words equal by chance: one replacement reads better than two halves.
 */
function withoutIslands(edits: readonly WordEdit[], old: TokenList, next: TokenList): WordEdit[] {
  const result: WordEdit[] = []
  for (const edit of edits) {
    const last = result.at(-1)
    if (last !== undefined && isIsland(last, edit, old, next)) {
      last.fromEnd = edit.fromEnd
      last.toEnd = edit.toEnd
    } else result.push(edit)
  }
  return result
}

const maxIsland = 3

function isIsland(left: WordEdit, right: WordEdit, old: TokenList, next: TokenList): boolean {
  const count = right.to - left.toEnd
  if (count > maxIsland) return false
  const isRemoval = left.to === left.toEnd && right.to === right.toEnd
  const isAddition = left.from === left.fromEnd && right.from === right.fromEnd
  if (isRemoval || isAddition) return false
  // Separators of cells or lines are not islands.
  for (let i = left.toEnd; i <= right.to && i < next.ids.length; i++) {
    const glue = next.glue(i)
    if (glue !== ' ' && /[\t\n]/.test(glue)) return false
  }
  const words = Array.from({ length: count }, (_, i) => next.word(left.toEnd + i))
  const telling = words.filter((word) => isTelling.test(word)).length
  if (telling === 0) return true
  const isReplaced = ({ from, fromEnd, to, toEnd }: WordEdit): boolean => from < fromEnd && to < toEnd
  if (telling > 1 || !isReplaced(left) || !isReplaced(right)) return false
  const length = words.join('').length
  const sizeOf = ({ from, fromEnd, to, toEnd }: WordEdit): number =>
    Math.max(old.between(from, fromEnd).length, next.between(to, toEnd).length)
  return length <= sizeOf(left) && length <= sizeOf(right)
}
