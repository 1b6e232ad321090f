import type { Block } from '../../core/change/change.ts'
import { classes } from './block-likeness.ts'
import type { DiffBudget } from './sequence-diff.ts'

/** Consecutive blocks on both sides with the same text, cut differently: the ends are exclusive. */
export type Rejoined = { readonly from: number; readonly fromEnd: number; readonly to: number; readonly toEnd: number }

/** Blocks on either side of such a group. */
const maxBlocks = 100
/** Characters by which the first blocks of both sides are brought together. */
const headLength = 4
/** Blocks with the same beginning that are tried for one block; in vain, for all of a gap. */
const maxTries = 16
const maxAllTries = 20_000

/**
 * Paragraphs that were split, joined, or wrapped elsewhere without a changed word: only the white space between their words changed.
 * `from` and `to` are blocks without a partner, in order.
 */
export function findRejoined(
  old: readonly Block[],
  next: readonly Block[],
  from: readonly number[],
  to: readonly number[],
  budget: DiffBudget,
): Rejoined[] {
  if (from.length + to.length < 3) return []
  if (!mayBegin(old, next, from, to)) return []
  const starts = startsByHead(next, to.toReversed())
  const [oldPlaces, newPlaces] = [new Set(from), new Set(to)]
  const groups: Rejoined[] = []
  let [fromEnd, toEnd, tries] = [0, 0, 0]
  for (const place of from) {
    if (place < fromEnd || tries > maxAllTries || !isText(old[place]!)) continue
    const candidates = starts.get(headOf(old[place]!)) ?? []
    while (candidates.length > 0 && candidates.at(-1)! < toEnd) candidates.pop()
    for (const start of candidates.slice(-maxTries).reverse()) {
      const group = groupAt(
        { blocks: old, places: oldPlaces, start: place },
        { blocks: next, places: newPlaces, start },
        budget,
      )
      if (group === null) {
        tries++
        continue
      }
      groups.push(group)
      fromEnd = group.fromEnd
      toEnd = group.toEnd
      break
    }
  }
  return groups
}

/** In a small gap, whether any block is the beginning of one of the other side. Most gaps have none. */
function mayBegin(
  old: readonly Block[],
  next: readonly Block[],
  from: readonly number[],
  to: readonly number[],
): boolean {
  if (from.length * to.length > maxBeginnings) return true
  for (const place of from) {
    const one = old[place]!.text
    for (const newPlace of to) {
      const other = next[newPlace]!.text
      if (one.length < other.length ? other.startsWith(one) : one.startsWith(other)) return true
    }
  }
  return false
}

const maxBeginnings = 400

/** Headings, rows, entries and values mean something by themselves. */
function isText({ kind, key }: Block): boolean {
  return classes[kind] === classes.paragraph && key === ''
}

const headOf = ({ text }: Block): string => text.slice(0, headLength)

/** In the order of `places`. */
function startsByHead(blocks: readonly Block[], places: readonly number[]): Map<string, number[]> {
  const starts = new Map<string, number[]>()
  for (const place of places) {
    if (!isText(blocks[place]!)) continue
    const head = headOf(blocks[place]!)
    const same = starts.get(head)
    if (same === undefined) starts.set(head, [place])
    else same.push(place)
  }
  return starts
}

/** `start` is one of `places`, where the group begins. */
type Side = { blocks: readonly Block[]; places: ReadonlySet<number>; start: number }
type Grown = { text: string; end: number }

function groupAt(old: Side, next: Side, budget: DiffBudget): Rejoined | null {
  let one: Grown = { text: old.blocks[old.start]!.text, end: old.start + 1 }
  let other: Grown = { text: next.blocks[next.start]!.text, end: next.start + 1 }
  for (let count = 2; count <= maxBlocks; count++) {
    budget.work -= Math.min(one.text.length, other.text.length) + 1
    if (budget.work <= 0) return null
    if (one.text.length === other.text.length) {
      if (count === 2 || one.text !== other.text) return null
      return { from: old.start, fromEnd: one.end, to: next.start, toEnd: other.end }
    }
    const isOldShorter = one.text.length < other.text.length
    const longer = isOldShorter ? other.text : one.text
    const grown = isOldShorter ? grow(one, longer, old) : grow(other, longer, next)
    if (grown === null) return null
    if (isOldShorter) one = grown
    else other = grown
  }
  return null
}

/** Adds the next block, if the text is still the beginning of `longer`, or the other way round. */
function grow({ text, end }: Grown, longer: string, { blocks, places }: Side): Grown | null {
  const block = blocks[end]
  if (block === undefined || !places.has(end) || !isText(block) || !longer.startsWith(text)) return null
  const isSpaced = longer[text.length] === ' '
  if (!isSpaced && !isSeam(longer, text.length)) return null
  return { text: `${text}${isSpaced ? ' ' : ''}${block.text}`, end: end + 1 }
}

const unspaced = /[\p{P}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u

/** Whether a line can end there without a space: not within a word or a number. */
function isSeam(text: string, at: number): boolean {
  return unspaced.test(text[at - 1]!) && !/[\d\s]/.test(text[at]!)
}
