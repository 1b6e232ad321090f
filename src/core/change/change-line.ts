import type { Change, Piece } from './change.ts'
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
 * The most important changes, old → new: prices and numbers first, then headings, then text, longest first. `further` changes are only
 * counted.
 */
export function changeLine(changes: readonly Change[], further = 0): ChangeLine {
  const groups = grouped(changes)
  const { edits, repeated } = withoutRepeated(groups.flatMap(editsOf))
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

/** Part of a change that is shown on its own. */
type Edit = {
  change: Change
  removed: string
  added: string
  /** Unchanged text before and after it, up to the next edit. */
  before: string
  after: string
  /** Its index among the pieces. */
  at: number
  rank: number
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

/** Contains neither a number nor a currency. Far faster than searching for these. */
const isPlain = /^[a-z ,.]*$/
const holdsNumber = /\p{N}/u
const holdsPrice = /\p{Sc}\s?\d|\d\s?\p{Sc}|\b(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK)\b/u
/** Longer texts don't rank higher for a number in them. */
const maxFigure = 60

function editsOf(change: Change): Edit[] {
  const { kind, before = '', after = '' } = change
  const whole = { change, before: '', after: '', at: 0 }
  if (kind === 'moved') return [{ ...whole, removed: '', added: after, rank: 0 }]
  if (kind !== 'changed') {
    // An entry is represented by its title.
    const [removed, added] = [before && (change.title || before), after && (change.title || after)]
    return [{ ...whole, removed, added, rank: rankOf(change, '', '') }]
  }
  const pieces = change.pieces ?? []
  if (pieces.every(({ kind }) => kind === 'same'))
    return [{ ...whole, removed: before, added: after, rank: rankOf(change, before, after) }]
  const edits: Edit[] = []
  for (let at = 0; at < pieces.length; ) {
    if (pieces[at]!.kind === 'same') at++
    else {
      const edit = editAt(change, pieces, at)
      edits.push(edit)
      at += (edit.removed === '' ? 0 : 1) + (edit.added === '' ? 0 : 1)
    }
  }
  return edits
}

function editAt(change: Change, pieces: readonly Piece[], at: number): Edit {
  const same = (place: number): string => (pieces[place]?.kind === 'same' ? pieces[place].text : '')
  const [first, second] = [pieces[at]!, pieces[at + 1]]
  const removed = first.kind === 'removed' ? first.text : ''
  const added = first.kind === 'added' ? first.text : second?.kind === 'added' ? second.text : ''
  const end = at + (removed === '' ? 0 : 1) + (added === '' ? 0 : 1)
  return { change, removed, added, at, before: same(at - 1), after: same(end), rank: rankOf(change, removed, added) }
}

function rankOf({ block, kind }: Change, removed: string, added: string): number {
  if (Math.max(removed.length, added.length) <= maxFigure && !(isPlain.test(removed) && isPlain.test(added))) {
    if (holdsPrice.test(removed) && holdsPrice.test(added)) return 4
    if (holdsNumber.test(removed) || holdsNumber.test(added)) return 3
  }
  // People follow a feed for its new entries, not for those that are gone.
  if (block === 'entry' && kind !== 'changed') return kind === 'added' ? 2 : 0
  return block === 'title' || block === 'heading' ? 2 : 1
}

function mostImportant(edits: readonly Edit[]): Edit[] {
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
  const told = withNeighbour(edit)
  if (told.removed === '') return [{ kind: 'sign', text: '+ ' }, ...named, ...shortened('added', told.added, room)]
  if (told.added === '') return [{ kind: 'sign', text: '− ' }, ...named, ...shortened('removed', told.removed, room)]
  // Text between two edits of the same block is shown once.
  return [...named, ...replacement(told, room, next?.change !== change)]
}

/** The subject, if the text itself doesn't show it: the path of a value, the title of an entry, the first cell of a row. */
function labelOf({ change }: Edit): string {
  const { kind, block, key, title = '', pieces } = change
  if (block === 'value') return plainText(key)
  if (block === 'entry' && kind === 'changed') {
    const isOfTitle = pieces?.[0]?.kind !== 'same' || !pieces[0].text.startsWith(title)
    return isOfTitle ? '' : plainText(title)
  }
  if (block !== 'row' || kind !== 'changed') return ''
  const first = pieces?.[0]
  return first?.kind === 'same' && first.text.includes('\t')
    ? plainText(first.text.slice(0, first.text.indexOf('\t')))
    : ''
}

/** A few words that were only added or removed are shown with the adjacent word: `closed → temporarily closed`. */
function withNeighbour(edit: Edit): Edit {
  const { change, removed, added, before, after } = edit
  if (change.kind !== 'changed' || (removed !== '' && added !== '')) return edit
  if ((removed + added).length > maxFigure) return edit
  if ((before + after).length <= maxWhole && !(before + after).includes('\t'))
    return { ...edit, removed: before + removed + after, added: before + added + after, before: '', after: '' }
  const following = /^\s*[^\s]{1,24}(?!\S)/u.exec(after)?.[0]
  if (following !== undefined && !following.includes('\t'))
    return { ...edit, removed: removed + following, added: added + following, after: after.slice(following.length) }
  const preceding = /(?<!\S)[^\s]{1,24}\s*$/u.exec(before)?.[0]
  if (preceding === undefined || preceding.includes('\t')) return edit
  const rest = before.slice(0, before.length - preceding.length)
  return { ...edit, removed: preceding + removed, added: preceding + added, before: rest }
}

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
    ? plainText((/\s$/.test(edit.removed) ? ' ' : '') + (isRow ? edit.after.replace(/\t.*/s, '') : edit.after))
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
