/** Number of readings kept per document and part; the oldest are removed first. */
export const MAX_PRICES = 1000
