import { diffArrays } from 'diff'

/**
 * What two sequences of tokens have in common, in bounded time for any input.
 *
 * Equal ends are trimmed first, then all tokens that occur on one side only: neither changes the result, and nothing is left of two
 * texts without a common line. The rest goes to the exact algorithm, whose cost is the length times the number of edits, up to as many
 * edits as the budget allows. Beyond that, tokens that occur once on each side split the sequences into smaller ones. If there are
 * none, the whole range counts as replaced and the result is coarse: still correct, but larger than necessary.
 */
export type SequenceDiff = { matches: Match[]; coarse: boolean }

/** Shared by related comparisons, so that many small ones can't cost more than one large one. */
export type DiffBudget = { work: number }

/** About two seconds at worst. The unit is a comparison of two numbers. */
export function createDiffBudget(work = 400_000_000): DiffBudget {
  return { work }
}

/** Limit of one attempt, so that failing on the whole leaves enough for its parts. */
const maxWorkOfOne = 100_000_000
/** The exact algorithm also allocates a path for every pair of edits, which costs as much as this many comparisons. */
const workOfPath = 100

type Range = { from: number; fromEnd: number; to: number; toEnd: number }

export function diffSequences(old: readonly string[], next: readonly string[], budget: DiffBudget): SequenceDiff {
  // Equal ends need no numbering.
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

/** The same for tokens that are already numbers, each less than `end`. */
export function diffNumbers(a: Int32Array, b: Int32Array, end: number, budget: DiffBudget): SequenceDiff {
  const counts = countsFor(end)
  const matches: Match[] = []
  const open: Range[] = [{ from: 0, fromEnd: a.length, to: 0, toEnd: b.length }]
  let coarse = false
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const inner = trimmed(a, b, range)
    putMatch(matches, range.from, range.to, inner.from - range.from)
    if (inner.from < inner.fromEnd && inner.to < inner.toEnd) {
      budget.work -= inner.fromEnd - inner.from + inner.toEnd - inner.to
      if (budget.work <= 0 || !diffRange(a, b, inner, { counts, matches, open, budget })) coarse = true
    }
    putMatch(matches, inner.fromEnd, inner.toEnd, range.fromEnd - inner.fromEnd)
  }
  return { matches: joined(matches), coarse }
}

type Comparison = { counts: TokenCounts; matches: Match[]; open: Range[]; budget: DiffBudget }

/** Finds matches, or adds parts to `open` to be compared separately; false if neither is possible. */
function diffRange(a: Int32Array, b: Int32Array, range: Range, { counts, matches, open, budget }: Comparison): boolean {
  count(a, b, range, counts, 1)
  const common = commonTokens(a, b, range, counts)
  const anchors = exactly(a, b, common, budget, matches) ? null : anchorsOf(a, b, common, counts)
  count(a, b, range, counts, -1)
  if (anchors === null) return true
  if (anchors.length === 0) return false
  for (const gap of gapsOf(range, anchors, matches)) open.push(gap)
  return true
}

/** Reused tables: most comparisons are small and cost less than an allocation. All counts are zero between comparisons. */
const keptSize = 8_192
const keptCounts: TokenCounts = { a: new Int32Array(keptSize), b: new Int32Array(keptSize) }

function countsFor(end: number): TokenCounts {
  return end <= keptSize ? keptCounts : { a: new Int32Array(end), b: new Int32Array(end) }
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

/** The range without equal ends. */
function trimmed(a: Int32Array, b: Int32Array, range: Range): Range {
  let { from, fromEnd, to, toEnd } = range
  while (from < fromEnd && to < toEnd && a[from] === b[to]) {
    from++
    to++
  }
  while (fromEnd > from && toEnd > to && a[fromEnd - 1] === b[toEnd - 1]) {
    fromEnd--
    toEnd--
  }
  return { from, fromEnd, to, toEnd }
}

function count(a: Int32Array, b: Int32Array, range: Range, counts: TokenCounts, by: 1 | -1): void {
  for (let i = range.from; i < range.fromEnd; i++) counts.a[a[i]!]! += by
  for (let i = range.to; i < range.toEnd; i++) counts.b[b[i]!]! += by
}

function commonTokens(a: Int32Array, b: Int32Array, range: Range, counts: TokenCounts): CommonTokens {
  const { from, fromEnd, to, toEnd } = range
  const size = Math.max(fromEnd - from, toEnd - to)
  const common = size <= keptSize ? keptCommon : createCommon(size)
  common.aCount = common.bCount = 0
  for (let i = from; i < fromEnd; i++) if (counts.b[a[i]!]! > 0) common.a[common.aCount++] = i
  for (let i = to; i < toEnd; i++) if (counts.a[b[i]!]! > 0) common.b[common.bCount++] = i
  return common
}

function createCommon(size: number): CommonTokens {
  return { a: new Int32Array(size), b: new Int32Array(size), aCount: 0, bCount: 0 }
}

const keptCommon = createCommon(keptSize)

/** False if the budget doesn't cover it. */
function exactly(a: Int32Array, b: Int32Array, common: CommonTokens, budget: DiffBudget, matches: Match[]): boolean {
  const length = common.aCount + common.bCount
  if (length === 0) return true
  const work = Math.min(maxWorkOfOne, budget.work)
  const maxEditLength = Math.floor(Math.min(work / length, Math.sqrt(work / workOfPath)))
  if (Math.abs(common.aCount - common.bCount) > maxEditLength) return false
  if (length <= maxSmall && shortestEdits(a, b, common, Math.min(maxEditLength, maxSmallEdits), matches)) {
    budget.work -= length
    return true
  }
  const old = Array.from({ length: common.aCount }, (_, i) => a[common.a[i]!]!)
  const next = Array.from({ length: common.bCount }, (_, i) => b[common.b[i]!]!)
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
    else for (const end = from + count; from < end; ) putMatch(matches, common.a[from++]!, common.b[to++]!, 1)
  }
  budget.work -= length
  return true
}

/** Limits within which the paths fit into a small table, without an allocation per step. */
const maxSmall = 2_000
const maxSmallEdits = 60

/**
 * The furthest index in `a` on each diagonal, by number of edits: one entry for no edit, two for one, and so on. Next to it, the tokens
 * of both sides and the paired indexes.
 */
const furthest = new Int32Array(((maxSmallEdits + 1) * (maxSmallEdits + 2)) / 2)
const [smallA, smallB] = [new Int32Array(maxSmall), new Int32Array(maxSmall)]
const pairedA = new Int32Array(maxSmall)

/** Adds a longest common subsequence, found with Myers' algorithm; false if it takes more edits than allowed. */
function shortestEdits(a: Int32Array, b: Int32Array, common: CommonTokens, maxEdits: number, matches: Match[]) {
  const [n, m] = [common.aCount, common.bCount]
  for (let i = 0; i < n; i++) smallA[i] = a[common.a[i]!]!
  for (let i = 0; i < m; i++) smallB[i] = b[common.b[i]!]!
  let last = 0
  for (let edits = 0, row = 0; edits <= maxEdits; edits++) {
    for (let j = 0; j <= edits; j++) {
      const k = 2 * j - edits
      let x = edits === 0 ? 0 : stepsDown(last, j, edits) ? furthest[last + j]! : furthest[last + j - 1]! + 1
      let y = x - k
      while (x < n && y < m && smallA[x] === smallB[y]) {
        x++
        y++
      }
      furthest[row + j] = x
      if (x >= n && y >= m) {
        putPath(common, edits, matches)
        return true
      }
    }
    last = row
    row += edits + 1
  }
  return false
}

/** Whether the path to the `j`th diagonal takes a token of `b`; `last` is the start of the previous row. */
function stepsDown(last: number, j: number, edits: number): boolean {
  return j === 0 || (j !== edits && furthest[last + j - 1]! < furthest[last + j]!)
}

function putPath(common: CommonTokens, edits: number, matches: Match[]): void {
  let [x, y] = [common.aCount, common.bCount]
  pairedA.fill(-1, 0, x)
  for (let left = edits; left >= 0; left--) {
    const k = x - y
    const last = ((left - 1) * left) / 2
    const j = (k + left) / 2
    const isDown = left > 0 && stepsDown(last, j, left)
    const startX = left === 0 ? 0 : isDown ? furthest[last + j]! : furthest[last + j - 1]! + 1
    while (x > startX && y > startX - k) pairedA[--x] = --y
    if (isDown) y--
    else x--
  }
  for (let i = 0; i < common.aCount; i++)
    if (pairedA[i] !== -1) putMatch(matches, common.a[i]!, common.b[pairedA[i]!]!, 1)
}

/** Adds a match, or extends the last one if it is adjacent. */
function putMatch(matches: Match[], from: number, to: number, length: number): void {
  if (length === 0) return
  const last = matches.length === 0 ? undefined : matches[matches.length - 1]!
  if (last !== undefined && last.from + last.length === from && last.to + last.length === to) last.length += length
  else matches.push({ from, to, length })
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

/** Sorts matches and merges adjacent ones. */
function joined(matches: Match[]): Match[] {
  let isJoined = true
  for (let i = 1; i < matches.length && isJoined; i++) {
    const [last, { from, to }] = [matches[i - 1]!, matches[i]!]
    isJoined = last.from < from && (last.from + last.length < from || last.to + last.length < to)
  }
  if (isJoined) return matches
  matches.sort((one, other) => one.from - other.from)
  const result: Match[] = []
  for (const { from, to, length } of matches) putMatch(result, from, to, length)
  return result
}

/** An equal run of two sequences. */
export type Match = { from: number; to: number; length: number }

/** Indexes of the tokens that occur on both sides; the arrays may be longer. */
type CommonTokens = { a: Int32Array; b: Int32Array; aCount: number; bCount: number }

/** How often each token occurs in the current ranges. */
type TokenCounts = { a: Int32Array; b: Int32Array }

/**
 * Tokens that occur once on each side, as many of them as are in the same order: the longest increasing subsequence of their
 * indexes, found as in patience sorting.
 */
function anchorsOf(a: Int32Array, b: Int32Array, common: CommonTokens, counts: TokenCounts): Match[] {
  const isUnique = (token: number): boolean => counts.a[token] === 1 && counts.b[token] === 1
  const placesInB = new Map<number, number>()
  for (let i = 0; i < common.bCount; i++) if (isUnique(b[common.b[i]!]!)) placesInB.set(b[common.b[i]!]!, common.b[i]!)
  const pairs: Match[] = []
  for (let i = 0; i < common.aCount; i++) {
    const from = common.a[i]!
    const to = isUnique(a[from]!) ? placesInB.get(a[from]!) : undefined
    if (to !== undefined) pairs.push({ from, to, length: 1 })
  }
  return longestRising(pairs)
}

function longestRising(pairs: readonly Match[]): Match[] {
  /** By length: of all increasing subsequences of that length, the last pair with the lowest end. */
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
