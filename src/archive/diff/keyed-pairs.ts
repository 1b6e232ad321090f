import type { Block } from '../../core/change/change.ts'
import { type DiffBudget, diffSequences } from './sequence-diff.ts'

export type PairUp = (from: number, to: number) => void

/**
 * Pairs blocks by key, in any order. Elements of a JSON array without an id have their index as key, so that an insertion would change
 * all that follow: they are compared as a sequence where that gives fewer changes.
 */
export function pairByKey(old: readonly Block[], next: readonly Block[], budget: DiffBudget, pair: PairUp): void {
  const [byKey, byKeyNext] = [placesByKey(old), placesByKey(next)]
  if (byKey.size === 0 || byKeyNext.size === 0) return
  const indexed: Pair[] = []
  let isSame = true
  for (const [key, to] of byKeyNext) {
    const pairs = pairsOfKey(old, next, byKey.get(key) ?? [], to)
    if (pairs.length < to.length) isSame = false
    for (const [from, place] of pairs) {
      if (isIndexed(next[place]!) && isIndexed(old[from]!)) {
        indexed.push([from, place])
        isSame &&= old[from]!.text === next[place]!.text
      } else pair(from, place)
    }
  }
  if (indexed.length === 0) return
  const pairs = isSame ? indexed : fewerChanges(old, next, indexed, budget)
  for (const [from, to] of pairs) pair(from, to)
}

type Pair = [from: number, to: number]

function placesByKey(blocks: readonly Block[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let i = 0; i < blocks.length; i++) {
    const { key } = blocks[i]!
    if (key === '') continue
    const same = places.get(key)
    if (same === undefined) places.set(key, [i])
    else same.push(i)
  }
  return places
}

/**
 * Pairs blocks that share one key, such as entries of a feed that gives all of them the same id: first those with equal text, then those
 * with the same link, and the others in order. So a new entry above the others doesn't look like a change of each.
 */
function pairsOfKey(old: readonly Block[], next: readonly Block[], from: number[], to: number[]): Pair[] {
  if (from.length === 1 && to.length === 1) return [[from[0]!, to[0]!]]
  const pairs: Pair[] = []
  const traits: ((block: Block) => string)[] = [({ text }) => text, ({ link = '' }) => link, () => 'any']
  for (const traitOf of traits) {
    const waiting = Map.groupBy(from.toReversed(), (place) => traitOf(old[place]!))
    waiting.delete('')
    to = to.filter((place) => {
      const partner = waiting.get(traitOf(next[place]!))?.pop()
      if (partner !== undefined) pairs.push([partner, place])
      return partner === undefined
    })
    const paired = new Set(pairs.map(([place]) => place))
    from = from.filter((place) => !paired.has(place))
  }
  return pairs
}

/** Whether a JSON value has an array index in its key. Its place is the path without what tells array elements apart. */
function isIndexed({ kind, key }: Block): boolean {
  return kind === 'value' && index.test(key)
}

const index = /\[\d+\]/

function fewerChanges(old: readonly Block[], next: readonly Block[], indexed: Pair[], budget: DiffBudget): Pair[] {
  const placesOf = (blocks: readonly Block[]): number[] => blocks.flatMap((block, i) => (isIndexed(block) ? [i] : []))
  const [from, to] = [placesOf(old), placesOf(next)]
  const changed = indexed.filter(([one, other]) => old[one]!.text !== next[other]!.text).length
  const countByKey = changed + from.length - indexed.length + (to.length - indexed.length)
  const tokensOf = (blocks: readonly Block[], places: readonly number[]): string[] =>
    places.map((place) => `${blocks[place]!.place}\n${blocks[place]!.text}`)
  const { matches } = diffSequences(tokensOf(old, from), tokensOf(next, to), budget)
  const pairs: Pair[] = []
  let [a, b, inGaps] = [0, 0, 0]
  for (const match of [...matches, { from: from.length, to: to.length, length: 0 }]) {
    inGaps += pairByPlace(old, next, from.slice(a, match.from), to.slice(b, match.to), pairs)
    for (let i = 0; i < match.length; i++) pairs.push([from[match.from + i]!, to[match.to + i]!])
    a = match.from + match.length
    b = match.to + match.length
  }
  const countInOrder = inGaps + from.length - pairs.length + (to.length - pairs.length)
  return countInOrder < countByKey ? pairs : indexed
}

/** Pairs values of the same place, in order. Returns the number of pairs. */
function pairByPlace(
  old: readonly Block[],
  next: readonly Block[],
  from: number[],
  to: number[],
  pairs: Pair[],
): number {
  if (from.length === 0 || to.length === 0) return 0
  const waiting = new Map<string, number[]>()
  for (const place of from.toReversed()) {
    const same = waiting.get(old[place]!.place)
    if (same === undefined) waiting.set(old[place]!.place, [place])
    else same.push(place)
  }
  let count = 0
  for (const place of to) {
    const partner = waiting.get(next[place]!.place)?.pop()
    if (partner === undefined) continue
    pairs.push([partner, place])
    count++
  }
  return count
}
