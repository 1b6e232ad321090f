import type { Block } from '../../core/change/change.ts'
import { areOfAKind, type Features, featuresOf, firstCellOf, sharedEnds, sharedWords } from './block-likeness.ts'
import { type DiffBudget, diffSequences } from './sequence-diff.ts'

/** Blocks between two matches, on both sides; no old block equals a new one. */
export type BlockGap = { old: readonly Block[]; next: readonly Block[]; from: readonly number[]; to: readonly number[] }

/** Maximum number of pairs for the full (quadratic) comparison. Beyond it, only blocks about as far from the start are compared. */
const maxCells = 4_096
const bandWidth = 24
/** Cost of comparing two blocks, in comparisons of two numbers. */
const workOfCell = 20
/** Minimum likeness of two blocks to count as one that changed. */
const enough = 0.44

/** Reused tables: most gaps are small, and allocating would cost more than the comparison. */
const keptColumns = 64
const keptSteps = new Uint8Array(maxCells)
const keptSums = [new Float64Array(keptColumns), new Float64Array(keptColumns)] as const

/** Pairs the most similar blocks, in the order of both sides. Returns false if not all were compared. */
export function alignGap(gap: BlockGap, budget: DiffBudget, pair: (from: number, to: number) => void): boolean {
  if (isOneByOne(gap, budget)) {
    for (const [i, from] of gap.from.entries()) pair(from, gap.to[i]!)
    return true
  }
  if (gap.from.length * gap.to.length <= maxCells) return align(gap, budget, pair)
  let isExact = true
  for (const part of partsBySignature(gap, budget, pair)) isExact = align(part, budget, pair) && isExact
  return isExact
}

/** Whether both sides have the same number of blocks, and each resembles its counterpart: then no search is needed. */
function isOneByOne({ old, next, from, to }: BlockGap, budget: DiffBudget): boolean {
  if (from.length !== to.length) return false
  for (let i = 0; i < from.length; i++) {
    const [one, other] = [old[from[i]!]!, next[to[i]!]!]
    if (!areOfAKind(one, other) || firstCellOf(one) !== firstCellOf(other)) return false
    const shared = sharedEnds(one.text, other.text)
    budget.work -= shared + 1
    if (2 * shared >= Math.max(one.text.length, other.text.length)) continue
    // Short texts in a long gap: shared words are enough.
    if (from.length * to.length <= maxCells || sharedWords(featuresOf(one), featuresOf(other)) < enough) return false
  }
  return true
}

/** Pairs rows with the same first cell and texts that differ only in numbers. Returns the gaps in between. */
function partsBySignature(gap: BlockGap, budget: DiffBudget, pair: (from: number, to: number) => void): BlockGap[] {
  const { old, next, from, to } = gap
  const signatures = (blocks: readonly Block[], places: readonly number[]): string[] =>
    places.map((place) => signatureOf(blocks[place]!))
  const { matches } = diffSequences(signatures(old, from), signatures(next, to), budget)
  const parts: BlockGap[] = []
  let a = 0
  let b = 0
  for (const match of [...matches, { from: from.length, to: to.length, length: 0 }]) {
    if (match.from > a && match.to > b)
      parts.push({ old, next, from: from.slice(a, match.from), to: to.slice(b, match.to) })
    for (let i = 0; i < match.length; i++) pair(from[match.from + i]!, to[match.to + i]!)
    a = match.from + match.length
    b = match.to + match.length
  }
  return parts
}

const maxSignature = 400

function signatureOf({ kind, text }: Block): string {
  const cell = kind === 'row' ? text.indexOf('\t') : -1
  if (cell > 0) return `${kind}\t${text.slice(0, Math.min(cell, maxSignature))}`
  return `${kind}\n${text.slice(0, maxSignature).replace(/\d+/g, '0')}`
}

/**
 * The alignment with the highest total likeness, by dynamic programming over all pairs or, in a large gap, over a band along the
 * diagonal.
 */
function align(gap: BlockGap, budget: DiffBudget, pair: (from: number, to: number) => void): boolean {
  const [rows, columns] = [gap.from.length, gap.to.length]
  const isWhole = rows * columns <= maxCells
  const width = isWhole ? columns : Math.min(columns, bandWidth)
  const work = rows * width * workOfCell + rows + columns
  if (work > budget.work) return false
  budget.work -= work
  const likeness = createLikeness(gap)
  /** First column compared in a row. */
  const startOf = (row: number): number =>
    isWhole ? 0 : Math.min(columns - width, Math.max(0, Math.round((row * columns) / rows) - (width >> 1)))
  const steps = rows * width <= maxCells ? keptSteps : new Uint8Array(rows * width)
  let [above, current] =
    columns < keptColumns ? keptSums : [new Float64Array(columns + 1), new Float64Array(columns + 1)]
  above.fill(0, 0, columns + 1)
  current.fill(0, 0, columns + 1)
  let reached = 0
  for (let row = 0; row < rows; row++) {
    const start = startOf(row)
    // Columns that the row above did not compare take over its last sum.
    for (; reached <= start + width; reached++)
      if (reached > 0) above[reached] = Math.max(above[reached]!, above[reached - 1]!)
    current[start] = above[start]!
    for (let column = start; column < start + width; column++) {
      const score = likeness(row, column)
      const paired = score >= enough ? above[column]! + score : -1
      const [skipOld, skipNew] = [above[column + 1]!, current[column]!]
      const best = Math.max(paired, skipOld, skipNew)
      current[column + 1] = best
      steps[row * width + column - start] = best === paired ? 3 : best === skipOld ? 1 : 2
    }
    const last = above
    above = current
    current = last
    reached = start + width + 1
  }
  for (let row = rows - 1, column = columns - 1; row >= 0 && column >= 0; ) {
    const start = startOf(row)
    const step = column < start ? 1 : column >= start + width ? 2 : steps[row * width + column - start]!
    if (step === 3) pair(gap.from[row]!, gap.to[column]!)
    if (step !== 2) row--
    if (step !== 1) column--
  }
  return isWhole
}

/** A place with an id or a class of its own identifies a block. */
const isNamedPlace = /[.#][^/]*$/

function createLikeness({ old, next, from, to }: BlockGap): (row: number, column: number) => number {
  const features = (blocks: readonly Block[], places: readonly number[]): Features[] =>
    places.map((place) => featuresOf(blocks[place]!))
  const [a, b] = [features(old, from), features(next, to)]
  let places: [Map<string, number>, Map<string, number>] | null = null
  const isOnlyOne = (place: string): boolean => {
    places ??= [countPlaces(old, from), countPlaces(next, to)]
    return places[0].get(place) === 1 && places[1].get(place) === 1
  }
  const [cellsA, cellsB] = [firstCells(a), firstCells(b)]
  const isEven = from.length === to.length
  return (row, column) => {
    const [one, other] = [old[from[row]!]!, next[to[column]!]!]
    if (!areOfAKind(one, other)) return 0
    const [left, right] = [a[row]!, b[column]!]
    const isSameRow = left.firstCell !== '' && left.firstCell === right.firstCell
    // A row whose first cell also occurs on the other side belongs to that row.
    if (!isSameRow && (cellsB?.has(left.firstCell) || cellsA?.has(right.firstCell))) return 0
    let score = sharedWords(left, right)
    if (isSameRow) score = Math.max(score, 0.5)
    const isShort = left.isShort && right.isShort
    if (one.place === other.place) {
      score += 0.2
      if (isShort && isNamedPlace.test(one.place) && isOnlyOne(one.place)) score += 0.25
    }
    if (one.trail.length === other.trail.length && one.trail.at(-1) === other.trail.at(-1)) score += 0.01
    // A short text in the position of another short text has replaced it.
    if (isShort && isEven && row === column) score += 0.25
    return score
  }
}

/** Null if there are none. */
function firstCells(features: readonly Features[]): Set<string> | null {
  let cells: Set<string> | null = null
  for (const { firstCell } of features) {
    if (firstCell === '') continue
    cells ??= new Set()
    cells.add(firstCell)
  }
  return cells
}

function countPlaces(blocks: readonly Block[], places: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(blocks[place]!.place, (counts.get(blocks[place]!.place) ?? 0) + 1)
  return counts
}
