/** How large interests may be. Beyond lies nobody's wish, only work. */
export const interestLimits = {
  keywords: 10_000,
  exclusions: 1_000,
  keyLength: 500,
  phraseWords: 16,
  /** Letters before the star. */
  prefixLength: 2,
  expressionLength: 10_000,
  expressionTerms: 500,
  patterns: 10,
  depth: 40,
  minWeight: 0.001,
  maxWeight: 100_000,
  maxThreshold: 1e9,
  faults: 100,
} as const
