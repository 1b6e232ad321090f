/** Limits of interests: beyond any real need, but low enough that hostile input costs little. */
export const interestLimits = {
  keywords: 10_000,
  exclusions: 1_000,
  keyLength: 500,
  phraseWords: 16,
  /** Consecutive characters of scripts without spaces in a term. */
  joinedCharacters: 64,
  /** Minimum number of letters before the star. */
  prefixLength: 2,
  expressionLength: 10_000,
  expressionTerms: 500,
  patterns: 10,
  depth: 40,
  minWeight: 0.001,
  maxWeight: 100_000,
  maxThreshold: 1e9,
  errors: 100,
} as const
