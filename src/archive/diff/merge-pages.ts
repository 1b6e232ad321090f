import { escapeHtml } from '../../core/html/escape.ts'
import { type PageWords, readPageWords, type TextRun, textOfPage } from './page-words.ts'
import { createDiffBudget, diffSequences } from './sequence-diff.ts'

/** Parts of a text that are not compared. */
export type IgnoredParts = (text: string) => readonly { start: number; end: number }[]

/** The first change has this name, so that a frame can be opened there. */
export const firstChangeId = 'erace-first-change'

/**
 * A later version of a page with the changes marked where they stand: what is new, and what was there in its place. The page is the later
 * one, byte for byte, but for the texts that have changed; of the earlier one nothing but words is taken. Null where one of the two can't
 * be read that way: see `readPageWords`.
 */
export function mergePages(oldSource: string, newSource: string, ignored: IgnoredParts = () => []): string | null {
  const old = readPageWords(oldSource)
  const next = readPageWords(newSource)
  if (old === null || next === null) return null
  return written(next, changesOf(old, next, ignored))
}

type Changes = {
  /** By word of the later page. */
  isAdded: Uint8Array
  /** What was removed before a word, and behind one. */
  before: Map<number, string>
  after: Map<number, { removed: string; isApart: boolean }>
  /** What was removed from a page that has no words left. */
  rest: string
}

function changesOf(old: PageWords, next: PageWords, ignored: IgnoredParts): Changes {
  const [oldPlaces, newPlaces] = [comparedPlaces(old, ignored), comparedPlaces(next, ignored)]
  const wordsAt = ({ words }: PageWords, places: readonly number[]) => places.map((place) => words[place]!)
  const budget = createDiffBudget()
  const { matches } = diffSequences(wordsAt(old, oldPlaces), wordsAt(next, newPlaces), budget)
  const runsByWord = new Map(old.runs.map((run) => [run.first, run]))
  const changes: Changes = {
    isAdded: new Uint8Array(next.words.length),
    before: new Map(),
    after: new Map(),
    rest: '',
  }
  let from = 0
  let to = 0
  for (const match of [...matches, { from: oldPlaces.length, to: newPlaces.length, length: 0 }]) {
    for (let at = to; at < match.to; at++) changes.isAdded[newPlaces[at]!] = 1
    if (match.from > from) {
      const removed = removedText(old, oldPlaces.slice(from, match.from), runsByWord)
      const isApart = old.glue[oldPlaces[from]!] !== '' || runsByWord.has(oldPlaces[from]!)
      // Replaced words stand before those that replace them; words that are just gone behind what stood before them.
      if (match.to > to) changes.before.set(newPlaces[to]!, removed)
      else if (to > 0) changes.after.set(newPlaces[to - 1]!, { removed, isApart })
      else if (newPlaces.length > 0) changes.before.set(newPlaces[0]!, removed)
      else changes.rest = removed
    }
    from = match.from + match.length
    to = match.to + match.length
  }
  return changes
}

/** The words that are compared. */
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

/** As HTML: the words of an earlier page, with line breaks where blocks were. */
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

/** Each has all that it needs with it: whatever styles the page has, changes are seen. */
const style = `<style>
ins.erace-added, del.erace-removed { all: revert !important; display: inline !important; visibility: visible !important; opacity: 1 !important; border-radius: 2px !important }
ins.erace-added { background: #c8f0d0 !important; color: #0a3d17 !important; text-decoration: underline !important }
del.erace-removed { background: #fbd9d9 !important; color: #6b1212 !important; text-decoration: line-through !important }
</style>`

function written(page: PageWords, changes: Changes): string {
  const { source, runs } = page
  let isFirst = true
  const mark = (tag: 'ins' | 'del', content: string): string => {
    const name = tag === 'ins' ? 'erace-added' : 'erace-removed'
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
  if (changes.rest !== '') parts.push(mark('del', changes.rest))
  return parts.join('')
}

function isTouched({ first, last }: TextRun, { isAdded, before, after }: Changes): boolean {
  for (let at = first; at < last; at++) if (isAdded[at] === 1 || before.has(at) || after.has(at)) return true
  return false
}

function runHtml(
  { words, glue }: PageWords,
  { first, last, tail }: TextRun,
  { isAdded, before, after }: Changes,
  mark: (tag: 'ins' | 'del', content: string) => string,
): string {
  let html = ''
  for (let at = first; at < last; ) {
    html += escapeHtml(glue[at]!)
    const removed = before.get(at)
    if (removed !== undefined) html += `${mark('del', removed)} `
    let text = escapeHtml(words[at]!)
    let end = at + 1
    // What follows each other is one change.
    while (end < last && isAdded[end] === isAdded[at] && !before.has(end) && !after.has(end - 1)) {
      text += escapeHtml(glue[end]! + words[end]!)
      end++
    }
    html += isAdded[at] === 1 ? mark('ins', text) : text
    const gone = after.get(end - 1)
    if (gone !== undefined) html += (gone.isApart ? ' ' : '') + mark('del', gone.removed)
    at = end
  }
  return html + escapeHtml(tail)
}
