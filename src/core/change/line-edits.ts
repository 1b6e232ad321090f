import type { Change, Piece } from './change.ts'
import { type Masked, mask } from './noise/tell-apart.ts'
import { holdsMoney, isOtherState } from './noise/tracked.ts'

/** Part of a change that is shown on its own. */
export type Edit = {
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

/** The higher, the earlier. */
const ranks = { price: 6, state: 5, number: 4, heading: 3, name: 2, text: 1, side: 0 } as const

/** Of the first cell of a new or removed column: its name, if the table has a row of names. */
export const columnRank = 4.5
/** Longer texts don't rank higher for a number or a state in them. */
export const maxFigure = 60

/** A change beyond the first ones isn't searched for states and rare currencies. */
export const maxSearched = 30

export function editsOf(change: Change, isSearched: boolean): Edit[] {
  const { kind, before = '', after = '' } = change
  const whole = { change, before: '', after: '', at: 0 }
  if (kind === 'moved') return [{ ...whole, removed: '', added: after, rank: 0 }]
  if (kind !== 'changed') {
    // An entry is represented by its title.
    const [removed, added] = [before && (change.title || before), after && (change.title || after)]
    return [{ ...whole, removed, added, rank: rankOfBlock(change) }]
  }
  const pieces = change.pieces ?? []
  if (pieces.every(({ kind }) => kind === 'same')) {
    const edit = { ...whole, removed: before, added: after }
    return [{ ...edit, rank: rankOf(edit, isSearched) }]
  }
  const edits: Edit[] = []
  for (let at = 0; at < pieces.length; ) {
    if (pieces[at]!.kind === 'same') at++
    else {
      const edit = { change, ...editAt(pieces, at) }
      edits.push({ ...edit, rank: rankOf(edit, isSearched) })
      at += (edit.removed === '' ? 0 : 1) + (edit.added === '' ? 0 : 1)
    }
  }
  return edits
}

function editAt(pieces: readonly Piece[], at: number): Omit<Edit, 'change' | 'rank'> {
  const same = (place: number): string => (pieces[place]?.kind === 'same' ? pieces[place].text : '')
  const [first, second] = [pieces[at]!, pieces[at + 1]]
  const removed = first.kind === 'removed' ? first.text : ''
  const added = first.kind === 'added' ? first.text : second?.kind === 'added' ? second.text : ''
  const end = at + (removed === '' ? 0 : 1) + (added === '' ? 0 : 1)
  return { removed, added, at, before: same(at - 1), after: same(end) }
}

/** Names of JSON values that stand for the object around them. */
const nameKey = /[.'"[](?:name|title|label|headline|subject)['"\]]*$/i
const priceKey = /price|amount|cost|fee\b/i

function rankOfBlock({ block, kind, key }: Change): number {
  // People follow a feed for its new entries, not for those that are gone.
  if (block === 'entry') return kind === 'added' ? ranks.heading : ranks.side
  if (block === 'value' && nameKey.test(key)) return ranks.name
  return block === 'title' || block === 'heading' ? ranks.heading : ranks.text
}

/** Contains neither a number nor a currency. Far faster than searching for these. */
const isPlain = /^[a-z ,.]*$/
const number = /\p{N}/u
/** A number without a unit. */
const isBare = /^[\d\s.,:%+-]*$/
const currency = /\p{Sc}\s?\d|\d\s?\p{Sc}/u

function rankOf(edit: Omit<Edit, 'rank'>, isSearched: boolean): number {
  const { change, removed, added } = edit
  const { block } = change
  const textRank = block === 'title' || block === 'heading' ? ranks.heading : ranks.text
  if (Math.max(removed.length, added.length) > maxFigure) return textRank
  const isWord = isPlain.test(removed) && isPlain.test(added)
  const [before, after] = isWord ? [false, false] : [number.test(removed), number.test(added)]
  const isMoney = (text: string): boolean =>
    currency.test(text) || (isSearched && !isBare.test(text) && holdsMoney(text))
  if (before && after && (isPriceValue(change) || (isMoney(removed) && isMoney(added)))) return ranks.price
  if (isSearched && isOtherState(removed, added)) return ranks.state
  if (!before && !after) return textRank
  return isReaction(edit) ? ranks.side : ranks.number
}

function isPriceValue({ block, key }: Change): boolean {
  return block === 'value' && priceKey.test(key.slice(key.lastIndexOf('.') + 1))
}

const reactions =
  'comments?|repl(?:y|ies)|reviews?|ratings?|reactions?|kommentare?|bewertung(?:en)?|rezension(?:en)?|antworten|commentaires?|avis|réponses?|comentarios?|comentários?|reseñas?|opiniones|respuestas?|commenti|recensioni|risposte|reacties|beoordelingen|комментари\\p{L}*|отзыв\\p{L}*|ответ\\p{L}*'
const denseReactions = '评论|評論|评价|回复|コメント|レビュー|댓글|리뷰'
const beforeReactions = new RegExp(
  `^\\s?(?:new )?(?:(?:${reactions})(?!\\p{L})|(?:条|件の|개의? ?)?(?:${denseReactions}))`,
  'iu',
)
const afterReactions = new RegExp(`(?:(?<!\\p{L})(?:${reactions})|${denseReactions})\\s?[:：]?\\s?[(（]?$`, 'iu')

/** A number of comments or reviews: news, but of little weight beside other news. */
function isReaction({ before, after }: Pick<Edit, 'before' | 'after'>): boolean {
  return beforeReactions.test(after.slice(0, 30)) || afterReactions.test(before.slice(-30))
}

/** Ranks edits that only follow from others lower: the numbers of sections after a new one, the cells of a new column. */
export function withoutConsequences(edits: readonly Edit[]): Edit[] {
  const found = edits.filter(isRenumbering)
  // One new number of a section may be the news itself.
  const renumbered = new Set(found.length > 1 ? found : found.filter(({ change }) => change.block === 'row'))
  const cells = edits.filter(isWholeCell)
  const columns = [cells.filter(({ added }) => added !== ''), cells.filter(({ added }) => added === '')]
  const ofColumn = new Set(columns.flatMap((column) => (column.length >= 3 ? column : [])))
  if (renumbered.size + ofColumn.size === 0) return [...edits]
  return edits.map((edit) => {
    if (renumbered.has(edit)) return { ...edit, rank: ranks.side }
    if (!ofColumn.has(edit)) return edit
    return { ...edit, rank: columns.some(([first]) => first === edit) ? columnRank : ranks.side }
  })
}

const ordinal = /^[§(]?\s?(?:\d{1,3}|[a-z])(?:\.\d{1,3}){0,5}[.)]?$/i
const section =
  /^(?:section|article|clause|chapter|part|annex|rule|artikel|abschnitt|kapitel|teil|anlage|titre|chapitre|artículo|articolo|§+)?\s?$/i

/** `[2.1]{3.1} The customer…`, or the rank of a row. */
function isRenumbering({ change, removed, added, before, after, at }: Edit): boolean {
  if (change.kind !== 'changed' || at > 1 || !ordinal.test(removed) || !ordinal.test(added)) return false
  if (change.block === 'row') return at === 0 && /^[.)]?\t/.test(after)
  if (!section.test(before)) return false
  return before !== '' || /^[.)]/.test(after) || (removed.includes('.') && added.includes('.'))
}

/** A cell that only one of two rows has. */
export function isWholeCell({ change, removed, added }: Pick<Edit, 'change' | 'removed' | 'added'>): boolean {
  const isOneSided = removed === '' || added === ''
  return change.block === 'row' && change.kind === 'changed' && isOneSided && /^\t|\t$/.test(removed + added)
}

/** Longer texts aren't searched for noise. */
const maxMasked = 500

/** Whether an edit, of several in one block, concerns only a counter, a relative time or other noise. Reads each block once. */
export function createNoiseSearch(): (edit: Edit) => boolean {
  const spans = new Map<Change, NoiseSpans | null>()
  return ({ change, removed, added, at }) => {
    if (removed === '' || added === '' || !number.test(removed + added)) return false
    let known = spans.get(change)
    if (known === undefined) {
      known = noiseSpans(change)
      spans.set(change, known)
    }
    if (known === null) return false
    const { old, next } = known
    const lengthOf = ({ kind, text }: Piece): number => (kind === 'removed' ? 0 : text.length)
    const start = change.pieces!.slice(0, at).reduce((sum, piece) => sum + lengthOf(piece), 0)
    const place = next.findIndex((span) => span.start <= start && span.end >= start + added.trimEnd().length)
    return place >= 0 && old[place]!.kind === next[place]!.kind && old[place]!.text.includes(removed.trim())
  }
}

type NoiseSpans = { old: Masked['spans']; next: Masked['spans'] }

/** Null if no single edit of the block can be noise. */
function noiseSpans(change: Change): NoiseSpans | null {
  const { kind, before = '', after = '', pieces = [] } = change
  if (kind !== 'changed' || Math.max(before.length, after.length) > maxMasked) return null
  if (pieces.filter((piece) => piece.kind === 'added').length < 2) return null
  const [old, next] = [mask(before, change).spans, mask(after, change).spans]
  return next.length > 0 && old.length === next.length ? { old, next } : null
}
