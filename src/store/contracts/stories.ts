/**
 * Texts that are searched for near-duplicates. Candidates are found by the bands of their sketch, some of which similar texts share, and
 * confirmed by the sketch itself (`matching/near-duplicate`); both are opaque to stores.
 */

/** A stored text: the host of its page, the first version of its story, and its sketch. */
export type StoredText = { host: string; cluster: number; sketch: Uint8Array }

/** A text to be stored. Ignored if its version is already stored. */
export type NearDuplicate = StoredText & {
  versionId: number
  documentId: number
  at: number
  bands: readonly number[]
}

export const storyLimits = {
  /** Texts read per band, newest first: a band shared by thousands is not searched to its end. */
  ofBand: 16,
  /** Maximum number of texts compared, those with the most bands in common. */
  candidates: 32,
  /** Pages of a host whose lines are known. */
  pagesOfHost: 16,
  /** Number of texts kept, the newest. */
  texts: 1_000_000,
  /** Maximum age of a text: the same text published later is news. */
  maxAgeMs: 90 * 86_400_000,
  /** Maximum number of texts removed with each one added, if they are too old or too many. */
  leaving: 2,
  /** Number of pairs of pages split by an owner that are kept, the newest. */
  splits: 10_000,
}

export type StoryLookup = { owner: string; profile: string; cluster: number; documentId: number }
