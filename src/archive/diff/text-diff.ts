import type { DiffHunk, DiffPiece, TextDiff } from '../../core/reports/history-report.ts'
import { blocksOfLines } from '../../core/text/line-blocks.ts'
import { alignGap } from './block-alignment.ts'
import { createDiffBudget, type DiffBudget, diffSequences } from './sequence-diff.ts'
import { diffWords, put, type WordDiff } from './word-diff.ts'

export type TextDiffOptions = {
  form: 'lines' | 'words'
  /** Equal lines shown around a change. */
  context: number
  budget?: DiffBudget
}

/** Lines `from` to `fromEnd` became lines `to` to `toEnd`. */
type Block = { from: number; fromEnd: number; to: number; toEnd: number; words: WordDiff }

/** Maximum number of lines; the last one holds the rest. */
const maxLines = 300_000

/** What changed between two texts: line by line first, and within the changed lines word by word. */
export function diffTexts(oldText: string, newText: string, options: TextDiffOptions): TextDiff {
  const old = linesOf(oldText)
  const next = linesOf(newText)
  const { blocks, coarse } = changedBlocks(old, next, options.budget ?? createDiffBudget())
  const sum = (of: (block: Block) => number): number => blocks.reduce((total, block) => total + of(block), 0)
  return {
    coarse,
    lines: { added: sum((block) => block.toEnd - block.to), removed: sum((block) => block.fromEnd - block.from) },
    words: { added: sum(({ words }) => words.added), removed: sum(({ words }) => words.removed) },
    hunks: hunksOf(blocks, old, next, options),
  }
}

function linesOf(text: string): string[] {
  if (text === '') return []
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && lines.length < maxLines; end = text.indexOf('\n', start)) {
    lines.push(text.charCodeAt(end - 1) === 0x0d ? text.slice(start, end - 1) : text.slice(start, end))
    start = end + 1
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

function changedBlocks(old: readonly string[], next: readonly string[], budget: DiffBudget) {
  const { matches, coarse } = diffSequences(old, next, budget)
  const blocks: Block[] = []
  let isCoarse = coarse
  let from = 0
  let to = 0
  for (const match of [...matches, { from: old.length, to: next.length, length: 0 }]) {
    if (match.from > from || match.to > to) {
      const words = diffLines(old.slice(from, match.from), next.slice(to, match.to), budget)
      blocks.push({ from, fromEnd: match.from, to, toEnd: match.to, words })
      isCoarse ||= words.coarse
    }
    from = match.from + match.length
    to = match.to + match.length
  }
  return { blocks, coarse: isCoarse }
}

/** Longer stretches are compared as one text. */
const maxPaired = 100

/** Compares line by line if each line became its counterpart, so that words of one line don't show up in another. */
function diffLines(old: readonly string[], next: readonly string[], budget: DiffBudget): WordDiff {
  if (old.length < 2 || old.length !== next.length || old.length > maxPaired || !areAcross(old, next, budget))
    return diffWords(old.join('\n'), next.join('\n'), budget)
  const whole: WordDiff = { pieces: [], removed: 0, added: 0, coarse: false }
  for (const [i, line] of next.entries()) {
    const { pieces, removed, added, coarse } = diffWords(old[i]!, line, budget)
    if (i > 0) put(whole.pieces, 'same', '\n')
    for (const { kind, text } of pieces) put(whole.pieces, kind, text)
    whole.removed += removed
    whole.added += added
    whole.coarse ||= coarse
  }
  return whole
}

function areAcross(old: readonly string[], next: readonly string[], budget: DiffBudget): boolean {
  const blocks = (lines: readonly string[]) => blocksOfLines(lines.map((line) => line || ' ').join('\n')).blocks
  const gap = { old: blocks(old), next: blocks(next), from: old.map((_, i) => i), to: next.map((_, i) => i) }
  if (gap.old.length !== old.length || gap.next.length !== next.length) return false
  let across = 0
  alignGap(gap, budget, (from, to) => {
    if (from === to) across++
  })
  return across === old.length
}

/** Blocks whose contexts touch share a hunk. */
function hunksOf(blocks: readonly Block[], old: readonly string[], next: readonly string[], options: TextDiffOptions) {
  const { context } = options
  const groups: Block[][] = []
  for (const block of blocks) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && block.from - last.fromEnd <= 2 * context) groups.at(-1)!.push(block)
    else groups.push([block])
  }
  return groups.map((group) => hunkOf(group, old, next, options))
}

function hunkOf(
  group: readonly Block[],
  old: readonly string[],
  next: readonly string[],
  { form, context }: TextDiffOptions,
): DiffHunk {
  const first = group[0]!
  const last = group.at(-1)!
  const before = Math.min(context, first.from, first.to)
  const after = Math.min(context, old.length - last.fromEnd, next.length - last.toEnd)
  const from = first.from - before
  const to = first.to - before
  const fromCount = last.fromEnd + after - from
  const toCount = last.toEnd + after - to
  const pieces: DiffPiece[] = []
  const tell = form === 'lines' ? tellLines : tellWords
  let told = to
  for (const block of group) {
    tellSame(pieces, next.slice(told, block.to), form)
    tell(pieces, block, old, next)
    told = block.toEnd
  }
  tellSame(pieces, next.slice(told, to + toCount), form)
  return { fromLine: lineNumber(from, fromCount), fromCount, toLine: lineNumber(to, toCount), toCount, pieces }
}

function lineNumber(start: number, count: number): number {
  return count === 0 ? start : start + 1
}

function tellSame(pieces: DiffPiece[], lines: readonly string[], form: TextDiffOptions['form']): void {
  if (form === 'words') put(pieces, 'same', lines.map((line) => `${line}\n`).join(''))
  else for (const text of lines) pieces.push({ kind: 'same', text })
}

function tellLines(pieces: DiffPiece[], block: Block, old: readonly string[], next: readonly string[]): void {
  for (let i = block.from; i < block.fromEnd; i++) pieces.push({ kind: 'removed', text: old[i]! })
  for (let i = block.to; i < block.toEnd; i++) pieces.push({ kind: 'added', text: next[i]! })
}

function tellWords(pieces: DiffPiece[], { words }: Block): void {
  for (const { kind, text } of words.pieces) put(pieces, kind, text)
  put(pieces, 'same', '\n')
}
