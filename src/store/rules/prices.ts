/** Readings that are kept of one document and part; the oldest go first. */
export const MAX_PRICES = 1000
