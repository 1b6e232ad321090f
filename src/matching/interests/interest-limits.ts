/** How large interests may be: beyond any real need, so that hostile input costs little. */
export const interestLimits = {
  keywords: 10_000,
  exclusions: 1_000,
  keyLength: 500,
  phraseWords: 16,
  /** Characters of scripts without spaces that follow each other in a term. */
  joinedCharacters: 64,
  /** Letters before the star. */
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
