import type { Block } from '../../core/change/change.ts'
import { escapeHtml } from '../../core/html/escape.ts'
import type { Words } from '../../core/text/word-tokens.ts'
import { pairBlocks } from './block-pairs.ts'
import { type PageWords, readPageWords, type TextRun, textOfPage } from './page-words.ts'
import { createDiffBudget } from './sequence-diff.ts'
import { type TokenIds, tokensOfWords } from './token-list.ts'
import { editsOfTokens, type WordEdit } from './word-edits.ts'

/** Finds the parts of a text that are not compared. */
export type IgnoredParts = (text: string) => readonly { start: number; end: number }[]

/** Id of the first change, so that a frame can be opened there. */
export const firstChangeId = 'erace-first-change'

/**
 * A later version of a page with its changes marked in place: additions, what they replaced, and moves. The page is the later one byte
 * for byte, except for the changed texts; only words are taken from the earlier one. Null if either can't be read: see `readPageWords`.
 */
export function mergePages(oldSource: string, newSource: string, ignored: IgnoredParts = () => []): string | null {
  const old = readPageWords(oldSource)
  const next = readPageWords(newSource)
  if (old === null || next === null) return null
  return written(next, changesOf(old, next, ignored))
}

type Changes = {
  /** By word of the later page: 1 if added, 2 if moved. */
  isAdded: Uint8Array
  /** First words of moved lines. */
  movedStarts: Set<number>
  /** Text removed before a word, and after one. */
  before: Map<number, string>
  after: Map<number, { removed: string; isApart: boolean }>
  /** Text removed from a page that has no words left. */
  rest: string
}

function changesOf(old: PageWords, next: PageWords, ignored: IgnoredParts): Changes {
  const [oldPlaces, newPlaces] = [comparedPlaces(old, ignored), comparedPlaces(next, ignored)]
  const runsByWord = new Map(old.runs.map((run) => [run.first, run]))
  const changes: Changes = {
    isAdded: new Uint8Array(next.words.length),
    movedStarts: new Set(),
    before: new Map(),
    after: new Map(),
    rest: '',
  }
  const { edits, moves } = editsOf({ page: old, places: oldPlaces }, { page: next, places: newPlaces })
  const hasLeft = new Set<number>()
  for (const { from, fromEnd, to, toEnd } of moves) {
    for (let at = from; at < fromEnd; at++) hasLeft.add(at)
    for (let at = to; at < toEnd; at++) changes.isAdded[newPlaces[at]!] = 2
    changes.movedStarts.add(newPlaces[to]!)
  }
  for (const { from, fromEnd, to, toEnd } of edits) {
    for (let at = to; at < toEnd; at++) changes.isAdded[newPlaces[at]!] ||= 1
    // Moved words are shown once, at their new place.
    const gone: number[] = []
    for (let at = from; at < fromEnd; at++) if (!hasLeft.has(at)) gone.push(oldPlaces[at]!)
    if (gone.length === 0) continue
    const removed = removedText(old, gone, runsByWord)
    const isApart = old.glue[gone[0]!] !== '' || runsByWord.has(gone[0]!)
    // Replaced words come before their replacement, removed words after the word they followed.
    if (toEnd > to) changes.before.set(newPlaces[to]!, removed)
    else if (to > 0) changes.after.set(newPlaces[to - 1]!, { removed, isApart })
    else if (newPlaces.length > 0) changes.before.set(newPlaces[0]!, removed)
    else changes.rest = removed
  }
  return changes
}

/** A page, and the indexes of its compared words. */
type Side = { page: PageWords; places: readonly number[] }

/** Pairs lines as blocks are paired elsewhere, and compares words within a pair. Moved lines are part of the edits, and also listed. */
function editsOf(old: Side, next: Side): { edits: WordEdit[]; moves: WordEdit[] } {
  const budget = createDiffBudget()
  const [oldLines, newLines] = [linesOf(old), linesOf(next)]
  const pairs = pairBlocks(oldLines.blocks, newLines.blocks, budget)
  const rejoined = new Map(pairs.rejoined.map((group) => [group.to, group]))
  const edits: WordEdit[] = []
  const moves: WordEdit[] = []
  let from = 0
  let to = 0
  const put = (edit: WordEdit): void => {
    const last = edits.at(-1)
    // Adjacent removals at one place are merged.
    if (last !== undefined && last.to === edit.to && last.fromEnd === edit.from) {
      last.fromEnd = edit.fromEnd
      last.toEnd = edit.toEnd
    } else if (edit.from < edit.fromEnd || edit.to < edit.toEnd) edits.push(edit)
  }
  for (let line = 0; line < newLines.blocks.length; line++) {
    const partner = pairs.from[line]!
    if (partner === -1) continue
    const [start, newStart] = [oldLines.starts[partner]!, newLines.starts[line]!]
    if (pairs.isMoved[line] === 1) {
      const [fromEnd, toEnd] = [oldLines.starts[partner + 1]!, newLines.starts[line + 1]!]
      moves.push({ from: start, fromEnd, to: newStart, toEnd })
      continue
    }
    // Out of order.
    if (start < from) continue
    put({ from, fromEnd: start, to, toEnd: newStart })
    const group = rejoined.get(line)
    from = oldLines.starts[group?.fromEnd ?? partner + 1]!
    to = newLines.starts[group?.toEnd ?? line + 1]!
    if (group !== undefined) continue
    if (oldLines.blocks[partner]!.text === newLines.blocks[line]!.text) continue
    const ids: TokenIds = new Map()
    const [one, other] = [wordsBetween(old, start, from), wordsBetween(next, newStart, to)]
    const tokens = [tokensOfWords(one, ids), tokensOfWords(other, ids)] as const
    const inner = editsOfTokens(...tokens, ids.size, budget)
    for (const edit of inner.edits)
      put({
        from: start + edit.from,
        fromEnd: start + edit.fromEnd,
        to: newStart + edit.to,
        toEnd: newStart + edit.toEnd,
      })
  }
  put({ from, fromEnd: old.places.length, to, toEnd: next.places.length })
  return { edits, moves }
}

/** `starts` also has the end of the last line. */
function linesOf({ page, places }: Side): { blocks: Block[]; starts: number[] } {
  const isStart = new Set(page.runs.filter(({ isLine }) => isLine).map(({ first }) => first))
  const starts: number[] = []
  const blocks: Block[] = []
  let text = ''
  const endLine = (): void => {
    if (text !== '') blocks.push({ kind: 'paragraph', text, trail: [], key: '', place: '', level: 0 })
    text = ''
  }
  let last = 0
  for (const [at, place] of places.entries()) {
    let isNew = at === 0
    // The first word of a line may be excluded from the comparison.
    for (; last <= place; last++) isNew ||= isStart.has(last)
    if (isNew) {
      endLine()
      starts.push(at)
    }
    text += text === '' ? page.words[place]! : ` ${page.words[place]!}`
  }
  endLine()
  return { blocks, starts: [...starts, places.length] }
}

function wordsBetween({ page, places }: Side, from: number, end: number): Words {
  const within = places.slice(from, end)
  return { words: within.map((place) => page.words[place]!), glue: within.map((place) => page.glue[place]!), tail: '' }
}

/** Indexes of the compared words. */
function comparedPlaces(page: PageWords, ignored: IgnoredParts): number[] {
  const { text, starts } = textOfPage(page)
  const parts = [...ignored(text)].sort((one, other) => one.start - other.start)
  const places: number[] = []
  let part = 0
  for (const [place, start] of starts.entries()) {
    while (part < parts.length && parts[part]!.end <= start) part++
    const next = parts[part]
    if (next === undefined || next.start >= start + page.words[place]!.length) places.push(place)
  }
  return places
}

/** HTML of words of an earlier page, with line breaks between blocks. */
function removedText(page: PageWords, places: readonly number[], runs: ReadonlyMap<number, TextRun>): string {
  let html = ''
  for (const place of places) {
    const run = runs.get(place)
    if (html !== '') {
      if (run?.isLine === true) html += '<br>'
      else if (page.glue[place] !== '' || run !== undefined) html += ' '
    }
    html += escapeHtml(page.words[place]!)
  }
  return html
}

/** Each rule is self-contained, so that changes are visible under any style of the page. */
const style = `<style>
ins.erace-added, ins.erace-moved, del.erace-removed { all: revert !important; display: inline !important; visibility: visible !important; opacity: 1 !important; border-radius: 2px !important }
ins.erace-added { background: #c8f0d0 !important; color: #0a3d17 !important; text-decoration: underline !important }
ins.erace-moved { background: #dbe7fb !important; color: #10305f !important; text-decoration: underline dotted !important }
del.erace-removed { background: #fbd9d9 !important; color: #6b1212 !important; text-decoration: line-through !important }
</style>`

const tags = { added: 'ins', moved: 'ins', removed: 'del' } as const
const movedLabel = 'moved: '

function written(page: PageWords, changes: Changes): string {
  const { source, runs } = page
  let isFirst = true
  const mark = (kind: keyof typeof tags, content: string): string => {
    const tag = tags[kind]
    const name = `erace-${kind}`
    const id = isFirst ? ` id="${firstChangeId}"` : ''
    const before = isFirst ? style : ''
    isFirst = false
    return `${before}<${tag} class="${name}"${id}>${content}</${tag}>`
  }
  const parts: string[] = []
  let at = 0
  for (const run of runs) {
    if (!isTouched(run, changes)) continue
    parts.push(source.slice(at, run.start), runHtml(page, run, changes, mark))
    at = run.end
  }
  parts.push(source.slice(at))
  if (changes.rest !== '') parts.push(mark('removed', changes.rest))
  return parts.join('')
}

function isTouched({ first, last }: TextRun, { isAdded, before, after }: Changes): boolean {
  for (let at = first; at < last; at++) if (isAdded[at] !== 0 || before.has(at) || after.has(at)) return true
  return false
}

function runHtml(
  { words, glue }: PageWords,
  { first, last, tail }: TextRun,
  { isAdded, movedStarts, before, after }: Changes,
  mark: (kind: keyof typeof tags, content: string) => string,
): string {
  let html = ''
  for (let at = first; at < last; ) {
    html += escapeHtml(glue[at]!)
    const removed = before.get(at)
    if (removed !== undefined) html += `${mark('removed', removed)} `
    let text = (movedStarts.has(at) ? movedLabel : '') + escapeHtml(words[at]!)
    let end = at + 1
    // Consecutive words of one kind are one change.
    while (
      end < last &&
      isAdded[end] === isAdded[at] &&
      !before.has(end) &&
      !after.has(end - 1) &&
      !movedStarts.has(end)
    ) {
      text += escapeHtml(glue[end]! + words[end]!)
      end++
    }
    html += isAdded[at] === 0 ? text : mark(isAdded[at] === 2 ? 'moved' : 'added', text)
    const gone = after.get(end - 1)
    if (gone !== undefined) html += (gone.isApart ? ' ' : '') + mark('removed', gone.removed)
    at = end
  }
  return html + escapeHtml(tail)
}
