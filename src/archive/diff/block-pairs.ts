import type { Block } from '../../core/change/change.ts'
import { alignGap } from './block-alignment.ts'
import { classes } from './block-likeness.ts'
import { type PairUp, pairByKey } from './keyed-pairs.ts'
import { createRankedRows } from './ranked-rows.ts'
import { findRejoined, type Rejoined } from './rejoined-blocks.ts'
import { type DiffBudget, diffNumbers } from './sequence-diff.ts'
import { TextNumbers } from './text-numbers.ts'

/** Which block of the older document became which of the newer one; -1 for none. */
export type Pairs = {
  readonly to: Int32Array
  readonly from: Int32Array
  /** By newer block: its text has moved. */
  readonly isMoved: Uint8Array
  /** By newer block: its text is known to equal its partner's. */
  readonly isEqual: Uint8Array
  /** Groups with the same text, cut into other blocks: each block of one side has the first of the other as its partner. */
  readonly rejoined: readonly Rejoined[]
  readonly coarse: boolean
}

/**
 * Blocks with a key are paired by key. Of the others, equal blocks in the same order are paired first, then texts that moved unchanged,
 * paragraphs that were only split or joined, rows of a ranking by their names, and in the gaps between all these the most similar blocks.
 */
export function pairBlocks(old: readonly Block[], next: readonly Block[], budget: DiffBudget): Pairs {
  const pairs = {
    to: new Int32Array(old.length).fill(-1),
    from: new Int32Array(next.length).fill(-1),
    isMoved: new Uint8Array(next.length),
    isEqual: new Uint8Array(next.length),
    rejoined: [] as Rejoined[],
    coarse: false,
  }
  const pair = (from: number, to: number): void => {
    pairs.to[from] = to
    pairs.from[to] = from
  }
  pairByKey(old, next, budget, pair)
  const texts = numberedTexts(old, next)
  const { gaps, coarse } = pairEqual(texts, budget, (from, to) => {
    pair(from, to)
    pairs.isEqual[to] = 1
  })
  pairs.coarse = coarse
  pairMoved(old, next, texts, pairs, gaps, pair)
  const pairRanked = createRankedRows(old, next)
  for (const gap of gaps) {
    const isAlone = { from: (place: number) => pairs.to[place] === -1, to: (place: number) => pairs.from[place] === -1 }
    let [from, to] = [gap.from.filter(isAlone.from), gap.to.filter(isAlone.to)]
    if (from.length === 0 || to.length === 0) continue
    for (const group of findRejoined(old, next, from, to, budget)) {
      pairs.to.fill(group.to, group.from, group.fromEnd)
      pairs.from.fill(group.from, group.to, group.toEnd)
      pairs.isEqual.fill(1, group.to, group.toEnd)
      pairs.rejoined.push(group)
    }
    pairRanked(from.filter(isAlone.from), to.filter(isAlone.to), pair)
    ;[from, to] = [from.filter(isAlone.from), to.filter(isAlone.to)]
    if (from.length === 0 || to.length === 0) continue
    const isExact = alignGap({ old, next, from, to }, budget, pair)
    pairs.coarse ||= !isExact
  }
  return pairs
}

/** Equal texts have equal numbers. Only blocks without a key are listed in `placesA` and `placesB`. */
type NumberedTexts = { a: Int32Array; b: Int32Array; placesA: number[]; placesB: number[]; count: number }

function numberedTexts(old: readonly Block[], next: readonly Block[]): NumberedTexts {
  const texts = new TextNumbers()
  const numbered = (blocks: readonly Block[], places: number[]): Int32Array => {
    const numbers = new Int32Array(blocks.length)
    for (let i = 0; i < blocks.length; i++) {
      const { text, key, kind } = blocks[i]!
      if (key !== '') continue
      numbers[i] = texts.numberOf(text) * classCount + classes[kind]
      places.push(i)
    }
    return numbers
  }
  const [placesA, placesB]: [number[], number[]] = [[], []]
  const [a, b] = [numbered(old, placesA), numbered(next, placesB)]
  return { a, b, placesA, placesB, count: texts.size * classCount }
}

const classCount = 6
const textOf = (token: number): number => Math.floor(token / classCount)

/** Blocks between two neighbouring matches. */
type Gap = { from: number[]; to: number[] }

function pairEqual(texts: NumberedTexts, budget: DiffBudget, pair: PairUp) {
  const { placesA, placesB } = texts
  const compared = (numbers: Int32Array, places: readonly number[]): Int32Array =>
    places.length === numbers.length ? numbers : Int32Array.from(places, (place) => numbers[place]!)
  const { matches, coarse } = diffNumbers(compared(texts.a, placesA), compared(texts.b, placesB), texts.count, budget)
  const gaps: Gap[] = []
  let a = 0
  let b = 0
  for (const match of [...matches, { from: placesA.length, to: placesB.length, length: 0 }]) {
    if (match.from > a || match.to > b)
      gaps.push({ from: placesA.slice(a, match.from), to: placesB.slice(b, match.to) })
    for (let i = 0; i < match.length; i++) pair(placesA[match.from + i]!, placesB[match.to + i]!)
    a = match.from + match.length
    b = match.to + match.length
  }
  return { gaps, coarse }
}

/** Minimum length of a moved text, to rule out coincidence. A text that occurs once on each side may be as short as a word. */
const minMoved = 20
const hasWord = /\p{L}{2}|\p{L}\p{M}*\p{L}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u

function pairMoved(
  old: readonly Block[],
  next: readonly Block[],
  { a, b }: NumberedTexts,
  { isMoved }: Pairs,
  gaps: readonly Gap[],
  pair: PairUp,
): void {
  const removed = new Set<number>()
  for (const blocks of gaps) for (const place of blocks.from) removed.add(textOf(a[place]!))
  if (removed.size === 0) return
  const places = new Map<number, { places: number[]; gaps: number[]; removed: number }>()
  for (const [gap, blocks] of gaps.entries()) {
    for (const place of blocks.to) {
      const text = textOf(b[place]!)
      if (!removed.has(text)) continue
      const same = places.get(text)
      if (same === undefined) places.set(text, { places: [place], gaps: [gap], removed: 0 })
      else {
        same.places.push(place)
        same.gaps.push(gap)
      }
    }
  }
  if (places.size === 0) return
  for (const blocks of gaps) {
    for (const place of blocks.from) {
      const same = places.get(textOf(a[place]!))
      if (same !== undefined) same.removed++
    }
  }
  for (const [gap, blocks] of gaps.entries()) {
    for (const place of blocks.from) {
      const same = places.get(textOf(a[place]!))
      if (same === undefined || same.places.length === 0) continue
      // In the same gap it hasn't moved: a paragraph that became a heading.
      const here = same.gaps.indexOf(gap)
      if (here >= 0) {
        pair(place, same.places.splice(here, 1)[0]!)
        same.gaps.splice(here, 1)
        continue
      }
      const { text, kind } = old[place]!
      const isUnique = same.removed === 1 && same.places.length === 1
      if (kind === 'title' || next[same.places[0]!]!.kind === 'title') continue
      if (text.length < (isUnique ? 4 : minMoved) || !hasWord.test(text)) continue
      if (!isUnique && same.places.length !== same.removed) continue
      same.gaps.shift()
      same.removed--
      const target = same.places.shift()!
      pair(place, target)
      isMoved[target] = 1
    }
  }
}
