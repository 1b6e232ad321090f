import { diffArrays } from 'diff'

/**
 * What two sequences of tokens have in common, in bounded time whatever they hold.
 *
 * Equal ends go first, then all tokens that one side has alone: neither changes the answer, and of two texts without a
 * common line nothing is left. The rest goes to the exact algorithm, whose cost is the length times the number of edits, for as many
 * edits as the budget pays. Beyond that, tokens that stand once on either side cut the sequences into smaller ones. Where there
 * are none, the whole range counts as replaced and the result is called coarse: still true, but larger than need be.
 */
export type SequenceDiff = { matches: Match[]; coarse: boolean }

/** Shared by all comparisons that belong together, so that many small ones can't cost more than one large one. */
export type DiffBudget = { work: number }

/** About two seconds at worst: a step is a comparison of two numbers. */
export function createDiffBudget(work = 400_000_000): DiffBudget {
  return { work }
}

/** So that after a failed attempt on the whole there is enough left for its parts. */
const maxWorkOfOne = 100_000_000
/** The exact algorithm also makes a path for every pair of edits, which costs as much as this many comparisons. */
const workOfPath = 100

type Range = { from: number; fromEnd: number; to: number; toEnd: number }

export function diffSequences(old: readonly string[], next: readonly string[], budget: DiffBudget): SequenceDiff {
  // Equal ends need no numbers.
  const shorter = Math.min(old.length, next.length)
  let start = 0
  while (start < shorter && old[start] === next[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end++
  const matches: Match[] = start > 0 ? [{ from: 0, to: 0, length: start }] : []
  const [oldEnd, newEnd] = [old.length - end, next.length - end]
  let coarse = false
  if (start < oldEnd && start < newEnd) {
    const ids = new Map<string, number>()
    const a = numbered(old, start, oldEnd, ids)
    const inner = diffNumbers(a, numbered(next, start, newEnd, ids), ids.size, budget)
    coarse = inner.coarse
    for (const { from, to, length } of inner.matches) matches.push({ from: from + start, to: to + start, length })
  }
  if (end > 0) matches.push({ from: oldEnd, to: newEnd, length: end })
  return { matches: joined(matches), coarse }
}

/** The same for tokens that are numbers already, each less than `end`. */
export function diffNumbers(a: Int32Array, b: Int32Array, end: number, budget: DiffBudget): SequenceDiff {
  const counts = { a: new Int32Array(end), b: new Int32Array(end) }
  const matches: Match[] = []
  const open: Range[] = [{ from: 0, fromEnd: a.length, to: 0, toEnd: b.length }]
  let coarse = false
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const inner = trimmed(a, b, range, matches)
    if (inner.from === inner.fromEnd || inner.to === inner.toEnd) continue
    const size = inner.fromEnd - inner.from + inner.toEnd - inner.to
    budget.work -= size
    if (budget.work <= 0) {
      coarse = true
      continue
    }
    count(a, b, inner, counts, 1)
    const common = commonTokens(a, b, inner, counts)
    const anchors = exactly(a, b, common, budget, matches) ? null : anchorsOf(a, b, common, counts)
    count(a, b, inner, counts, -1)
    if (anchors === null) continue
    if (anchors.length === 0) coarse = true
    else for (const gap of gapsOf(inner, anchors, matches)) open.push(gap)
  }
  return { matches: joined(matches), coarse }
}

function numbered(tokens: readonly string[], start: number, end: number, ids: Map<string, number>): Int32Array {
  const numbers = new Int32Array(end - start)
  for (let i = start; i < end; i++) {
    const token = tokens[i]!
    let id = ids.get(token)
    if (id === undefined) {
      id = ids.size
      ids.set(token, id)
    }
    numbers[i - start] = id
  }
  return numbers
}

function trimmed(a: Int32Array, b: Int32Array, range: Range, matches: Match[]): Range {
  let { from, fromEnd, to, toEnd } = range
  while (from < fromEnd && to < toEnd && a[from] === b[to]) {
    from++
    to++
  }
  if (from > range.from) matches.push({ from: range.from, to: range.to, length: from - range.from })
  while (fromEnd > from && toEnd > to && a[fromEnd - 1] === b[toEnd - 1]) {
    fromEnd--
    toEnd--
  }
  if (range.fromEnd > fromEnd) matches.push({ from: fromEnd, to: toEnd, length: range.fromEnd - fromEnd })
  return { from, fromEnd, to, toEnd }
}

function count(a: Int32Array, b: Int32Array, range: Range, counts: TokenCounts, by: 1 | -1): void {
  for (let i = range.from; i < range.fromEnd; i++) counts.a[a[i]!]! += by
  for (let i = range.to; i < range.toEnd; i++) counts.b[b[i]!]! += by
}

function commonTokens(a: Int32Array, b: Int32Array, range: Range, counts: TokenCounts): CommonTokens {
  const common: CommonTokens = { a: [], b: [] }
  for (let i = range.from; i < range.fromEnd; i++) if (counts.b[a[i]!]! > 0) common.a.push(i)
  for (let i = range.to; i < range.toEnd; i++) if (counts.a[b[i]!]! > 0) common.b.push(i)
  return common
}

/** False where the budget does not pay for it. */
function exactly(a: Int32Array, b: Int32Array, common: CommonTokens, budget: DiffBudget, matches: Match[]): boolean {
  const length = common.a.length + common.b.length
  if (length === 0) return true
  const work = Math.min(maxWorkOfOne, budget.work)
  const maxEditLength = Math.floor(Math.min(work / length, Math.sqrt(work / workOfPath)))
  if (Math.abs(common.a.length - common.b.length) > maxEditLength) return false
  const old = common.a.map((place) => a[place]!)
  const next = common.b.map((place) => b[place]!)
  const small = length <= maxSmall ? shortestEdits(old, next, Math.min(maxEditLength, maxSmallEdits)) : null
  if (small !== null) {
    for (const [from, to] of small) matches.push(single(common.a[from]!, common.b[to]!))
    budget.work -= length
    return true
  }
  const changes = diffArrays(old, next, { maxEditLength })
  if (changes === undefined) {
    budget.work -= maxEditLength * (length + workOfPath * maxEditLength)
    return false
  }
  let from = 0
  let to = 0
  for (const { added, removed, count } of changes) {
    if (added) to += count
    else if (removed) from += count
    else for (const end = from + count; from < end; ) matches.push(single(common.a[from++]!, common.b[to++]!))
  }
  budget.work -= length
  return true
}

/** Up to here the paths fit into a small table, and nothing has to be made for each step. */
const maxSmall = 2_000
const maxSmallEdits = 60

/** The pairs of a longest common sequence, as Myers finds it; null where it takes more edits than allowed. */
function shortestEdits(a: readonly number[], b: readonly number[], maxEdits: number): [number, number][] | null {
  const [n, m] = [a.length, b.length]
  const width = 2 * maxEdits + 3
  const middle = maxEdits + 1
  /** The furthest place in `a` on each diagonal, after each number of edits. */
  const rows: Int32Array[] = []
  let row = new Int32Array(width)
  for (let edits = 0; edits <= maxEdits; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && row[middle + k - 1]! < row[middle + k + 1]!)
      let x = isDown ? row[middle + k + 1]! : row[middle + k - 1]! + 1
      let y = x - k
      while (x < n && y < m && a[x] === b[y]) {
        x++
        y++
      }
      row[middle + k] = x
      if (x >= n && y >= m) return pathOf(rows, n, m, middle, edits)
    }
    rows.push(row)
    row = row.slice()
  }
  return null
}

function pathOf(rows: readonly Int32Array[], n: number, m: number, middle: number, edits: number): [number, number][] {
  const pairs: [number, number][] = []
  let [x, y] = [n, m]
  for (let left = edits; left >= 0; left--) {
    const k = x - y
    const row = rows[left - 1]
    const isDown = row !== undefined && (k === -left || (k !== left && row[middle + k - 1]! < row[middle + k + 1]!))
    const startX = row === undefined ? 0 : isDown ? row[middle + k + 1]! : row[middle + k - 1]! + 1
    while (x > startX && y > startX - k) pairs.push([--x, --y])
    if (row === undefined) break
    if (isDown) y--
    else x--
  }
  return pairs.reverse()
}

function single(from: number, to: number): Match {
  return { from, to, length: 1 }
}

function gapsOf(range: Range, anchors: readonly Match[], matches: Match[]): Range[] {
  const gaps: Range[] = []
  let { from, to } = range
  for (const anchor of anchors) {
    matches.push(anchor)
    gaps.push({ from, fromEnd: anchor.from, to, toEnd: anchor.to })
    from = anchor.from + 1
    to = anchor.to + 1
  }
  gaps.push({ from, fromEnd: range.fromEnd, to, toEnd: range.toEnd })
  return gaps.filter((gap) => gap.from < gap.fromEnd && gap.to < gap.toEnd)
}

/** In order, neighbours as one. */
function joined(matches: Match[]): Match[] {
  matches.sort((one, other) => one.from - other.from)
  const result: Match[] = []
  for (const match of matches) {
    const last = result.at(-1)
    if (last !== undefined && last.from + last.length === match.from && last.to + last.length === match.to)
      last.length += match.length
    else result.push({ ...match })
  }
  return result
}

/** Equal stretches of two sequences. */
export type Match = { from: number; to: number; length: number }

/** Places of the tokens that stand on both sides. */
export type CommonTokens = { a: number[]; b: number[] }

/** How often each token stands in the ranges that are looked at. */
export type TokenCounts = { a: Int32Array; b: Int32Array }

/**
 * Tokens that stand once on either side, as many of them as can be kept in one order: the longest rising sequence of
 * their places, found as in patience sorting.
 */
function anchorsOf(a: Int32Array, b: Int32Array, common: CommonTokens, counts: TokenCounts): Match[] {
  const isUnique = (token: number): boolean => counts.a[token] === 1 && counts.b[token] === 1
  const placesInB = new Map<number, number>()
  for (const place of common.b) if (isUnique(b[place]!)) placesInB.set(b[place]!, place)
  const pairs: Match[] = []
  for (const place of common.a) {
    const to = isUnique(a[place]!) ? placesInB.get(a[place]!) : undefined
    if (to !== undefined) pairs.push({ from: place, to, length: 1 })
  }
  return longestRising(pairs)
}

function longestRising(pairs: readonly Match[]): Match[] {
  /** Of all rising sequences of one length the pair with the lowest end, by length. */
  const tops: number[] = []
  const before = new Int32Array(pairs.length)
  for (let i = 0; i < pairs.length; i++) {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[tops[middle]!]!.to < pairs[i]!.to) low = middle + 1
      else high = middle
    }
    before[i] = low === 0 ? -1 : tops[low - 1]!
    tops[low] = i
  }
  const rising: Match[] = []
  for (let i = tops.at(-1) ?? -1; i >= 0; i = before[i]!) rising.push(pairs[i]!)
  return rising.reverse()
}
