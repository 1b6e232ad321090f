import type { Change, Piece } from './change.ts'
import {
  columnRank,
  createNoiseSearch,
  type Edit,
  editsOf,
  isWholeCell,
  maxFigure,
  maxSearched,
  withoutConsequences,
} from './line-edits.ts'
import { beginning, ending, isolated, plainText } from './shown-text.ts'

/** A line for the inbox, with its parts marked as added, removed, or context. */
export type ChangeLine = {
  /** As plain text: `€ 39.90 → € 34.50 · In stock → Only 3 left`. */
  readonly text: string
  /** The same in parts, for strike-through and colour. Joined, they give `text`. */
  readonly parts: readonly LinePart[]
  /** Number of changes not shown. */
  readonly more: number
}
export type LinePart = { readonly kind: 'same' | 'removed' | 'added' | 'sign'; readonly text: string }

const maxTold = 2
/** Maximum characters: of a single change, and of each of two. */
const maxAlone = 150
const maxOfTwo = 76

/**
 * The most important changes, old → new: prices first, then states, numbers, headings and text, longest first. `further` changes are
 * only counted.
 */
export function changeLine(changes: readonly Change[], further = 0): ChangeLine {
  const groups = grouped(changes)
  const { edits, repeated } = withoutRepeated(
    withoutConsequences(groups.flatMap((change, n) => editsOf(change, n < maxSearched))),
  )
  const told = mostImportant(edits)
  const max = told.length === 1 ? maxAlone : maxOfTwo
  const parts: LinePart[] = []
  for (const [i, edit] of told.entries()) {
    if (i > 0) parts.push({ kind: 'sign', text: ' · ' })
    parts.push(...partsOf(edit, max, i > 0 ? told[i - 1] : undefined, told[i + 1]))
  }
  const isTold = (change: Change): boolean => repeated.has(change) || told.some((edit) => edit.change === change)
  const more = groups.filter((change) => !isTold(change)).length + further
  if (more > 0) parts.push({ kind: 'sign', text: ` · +${more} more ${more === 1 ? 'change' : 'changes'}` })
  return { text: parts.map(({ text }) => text).join(''), parts, more }
}

/** Blocks that moved together are one change, represented by the first of them. */
function grouped(changes: readonly Change[]): Change[] {
  const moves = new Set(changes.filter(({ kind }) => kind === 'moved').map(({ from, to }) => `${from} ${to}`))
  return changes.filter(({ kind, from, to }) => kind !== 'moved' || !moves.has(`${from - 1} ${to - 1}`))
}

/** Shows a price that changed in three places of a page only once. */
function withoutRepeated(all: readonly Edit[]): { edits: Edit[]; repeated: Set<Change> } {
  const known = new Set<string>()
  const repeated = new Set<Change>()
  const edits = all.filter(({ change, removed, added }) => {
    if (removed === '' || added === '') return true
    const name = `${removed}\n${added}`
    if (change.kind !== 'changed' || change.key !== '' || !known.has(name)) {
      known.add(name)
      return true
    }
    repeated.add(change)
    return false
  })
  for (const { change } of edits) repeated.delete(change)
  return { edits, repeated }
}

/** Beside them, a counter in the same block says nothing. */
function mostImportant(edits: readonly Edit[]): Edit[] {
  let told = highest(edits)
  const isNoise = createNoiseSearch()
  const noise = new Set<Edit>()
  for (let tries = 0; tries < maxNoise; tries++) {
    const found = told.filter((edit) => !noise.has(edit) && isNoise(edit))
    if (found.length === 0) break
    for (const edit of found) noise.add(edit)
    const rest = highest(edits.filter((edit) => !noise.has(edit)))
    if (rest.length === 0) break
    told = rest
  }
  return told
}

/** Times that noise is looked for among the edits to show. */
const maxNoise = 8

function highest(edits: readonly Edit[]): Edit[] {
  const size = ({ removed, added }: Edit): number => removed.length + added.length
  const told: Edit[] = []
  for (const edit of edits) {
    const place = told.findIndex(
      (other) => edit.rank > other.rank || (edit.rank === other.rank && size(edit) > size(other)),
    )
    told.splice(place < 0 ? told.length : place, 0, edit)
    if (told.length > maxTold) told.pop()
  }
  // Within one block, show them in reading order.
  const [first, second] = told
  if (first?.change === second?.change) told.sort((one, other) => one.at - other.at)
  return told
}

function partsOf(edit: Edit, max: number, last: Edit | undefined, next: Edit | undefined): LinePart[] {
  const { change } = edit
  const label = last?.change === change ? '' : labelOf(edit)
  const named: LinePart[] = label === '' ? [] : [part('same', beginning(label, 40)), { kind: 'sign', text: ': ' }]
  const room = max - named.reduce((sum, { text }) => sum + text.length, 0)
  if (change.kind === 'moved')
    return [{ kind: 'sign', text: 'moved: ' }, ...named, ...shortened('same', edit.added, room)]
  const told = isWholeCell(edit) ? ofCells(edit) : withNeighbour(edit)
  if (told.removed === '') return [{ kind: 'sign', text: '+ ' }, ...named, ...shortened('added', told.added, room)]
  if (told.added === '') return [{ kind: 'sign', text: '− ' }, ...named, ...shortened('removed', told.removed, room)]
  // Text between two edits of the same block is shown once.
  return [...named, ...replacement(told, room, next?.change !== change)]
}

/** The subject, if the text itself doesn't show it: the path of a value, the title of an entry, the first cell of a row. */
function labelOf(edit: Edit): string {
  const { change } = edit
  const { kind, block, key, title = '', pieces } = change
  if (block === 'value') return plainText(key)
  if (block === 'entry' && kind === 'changed') {
    const isOfTitle = pieces?.[0]?.kind !== 'same' || !pieces[0].text.startsWith(title)
    return isOfTitle ? '' : plainText(title)
  }
  if (edit.rank === columnRank) return ''
  return block === 'row' && kind === 'changed' ? plainText(nameOfRow(pieces ?? [])) : ''
}

/** A rank, or a sign. */
const unnamed = /^[^\p{L}]{0,2}\d{0,3}[^\p{L}\d]{0,2}$/u
const holdsName = /\p{L}{2}|\p{L}\p{M}+\p{L}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u

/** The first cell; in a ranking, the one after it. Only cells that stayed the same. */
function nameOfRow(pieces: readonly Piece[]): string {
  const same = pieces.findIndex(({ kind }) => kind === 'same')
  const text = pieces[same]?.text ?? ''
  const isRanked = same > 0
  if (isRanked && !(/^[.)]?\t/.test(text) && pieces.slice(0, same).every((piece) => unnamed.test(piece.text))))
    return ''
  const isWhole = same === pieces.length - 1 || pieces[same + 1]!.text.startsWith('\t')
  const end = isWhole ? text.length : Math.max(0, text.lastIndexOf('\t'))
  const [first = '', second = ''] = text.slice(0, end).split('\t')
  if (isRanked) return holdsName.test(second) ? second : ''
  return unnamed.test(first) && holdsName.test(second) ? second : first
}

function ofCells(edit: Edit): Edit {
  const inner = (text: string): string => text.replace(/^\t|\t$/g, '')
  return { ...edit, removed: inner(edit.removed), added: inner(edit.added) }
}

/** A few words that were only added or removed are shown with the adjacent word: `closed → temporarily closed`. */
function withNeighbour(edit: Edit): Edit {
  const { change, removed, added, before, after } = edit
  if (change.kind !== 'changed' || (removed !== '' && added !== '')) return edit
  if ((removed + added).length > maxFigure || isSentence(edit)) return edit
  if ((before + after).length <= maxWhole && !(before + after).includes('\t'))
    return { ...edit, removed: before + removed + after, added: before + added + after, before: '', after: '' }
  const following = /^\s*(?=[^\s]*[\p{L}\p{N}])[^\s]{1,24}(?!\S)/u.exec(after)?.[0]
  if (following !== undefined && !following.includes('\t'))
    return { ...edit, removed: removed + following, added: added + following, after: after.slice(following.length) }
  const preceding = /(?<!\S)[^\s]{1,24}\s*$/u.exec(before)?.[0]
  if (preceding === undefined || preceding.includes('\t')) return edit
  const rest = before.slice(0, before.length - preceding.length)
  return { ...edit, removed: preceding + removed, added: preceding + added, before: rest }
}

/** Whether whole sentences were added or removed. */
function isSentence({ removed, added, before }: Edit): boolean {
  return sentence.test((removed + added).trim()) && (before.trim() === '' || sentenceEnd.test(before.trimEnd()))
}

const sentenceEnd = /[.!?…。！？।؟]["'”’»)\]]?$/u
/** A number with a full stop is none. */
const sentence = /\p{L}{2}.*[.!?…。！？।؟]["'”’»)\]]?$|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}].*[。！？]$/su

/** Lines up to this length are shown whole. */
const maxWhole = 20

const arrow = ' → '
const maxBefore = 40
const maxAfter = 28

function replacement(edit: Edit, max: number, isLast: boolean): LinePart[] {
  const { change } = edit
  const [removed, added] = [plainText(edit.removed).trim(), plainText(edit.added).trim()]
  const half = Math.floor((max - arrow.length) / 2)
  // Space that one side doesn't need goes to the other.
  const removedRoom = Math.max(half, max - arrow.length - added.length)
  const oldText = beginning(removed, removedRoom)
  const newText = beginning(added, Math.max(half, max - arrow.length - oldText.length))
  let room = max - arrow.length - oldText.length - newText.length
  const isRow = change.block === 'row'
  const before = plainText(contextBefore(edit, isRow) + (/^\s/.test(edit.removed) ? ' ' : ''))
  const after = isLast
    ? plainText((/\s$/.test(edit.added) ? ' ' : '') + (isRow ? edit.after.replace(/\t.*/s, '') : edit.after))
    : ''
  const shownBefore = room >= 8 ? ending(before, Math.min(room, maxBefore)) : ''
  room -= shownBefore.length
  const shownAfter = room >= 8 ? beginning(after, Math.min(room, maxAfter)) : ''
  return [
    ...(shownBefore.trim() === '' ? [] : [part('same', shownBefore.trimStart())]),
    part('removed', oldText),
    { kind: 'sign', text: arrow },
    part('added', newText),
    ...(shownAfter.trim() === '' ? [] : [part('same', shownAfter.trimEnd())]),
  ]
}

/** The context, without what the label already says. */
function contextBefore({ change, before, at }: Edit, isRow: boolean): string {
  const isAfterEdit = at > 1 || (at === 1 && change.pieces?.[0]?.kind !== 'same')
  if (isAfterEdit && !isRow) return before.replace(/^(?:\s*[,;.:·•|)–—-])+\s*/u, '')
  if (isRow) return before.slice(before.lastIndexOf('\t') + 1)
  const { block, title = '' } = change
  return block === 'entry' && at <= 1 && before.startsWith(title)
    ? before.slice(title.length).replace(/^\s*[—–:-]\s*/u, '')
    : before
}

function shortened(kind: LinePart['kind'], text: string, max: number): LinePart[] {
  return [part(kind, beginning(plainText(text).trim(), max))]
}

function part(kind: LinePart['kind'], text: string): LinePart {
  return { kind, text: isolated(text) }
}
