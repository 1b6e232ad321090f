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
export function anchorsOf(a: Int32Array, b: Int32Array, common: CommonTokens, counts: TokenCounts): Match[] {
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
