/**
 * Texts that near-duplicates are found among. A text is found by the bands of its sketch, of which near texts share some, and confirmed
 * by the sketch itself (`matching/near-duplicate`); stores keep both and understand neither.
 */

/** What is known of a text: the host of its page, the first version of its story, and its sketch. */
export type StoredText = { host: string; cluster: number; sketch: Uint8Array }

/** A text to be kept. One whose version is known is left as it is. */
export type NearDuplicate = StoredText & {
  versionId: number
  documentId: number
  at: number
  bands: readonly number[]
}

export const storyLimits = {
  /** The newest texts of one band that are looked at: what thousands share is not searched to its end. */
  ofBand: 16,
  /** Texts that are compared, those with the most bands in common. */
  candidates: 32,
  /** Pages of a host whose lines are known. */
  pagesOfHost: 16,
  /** Texts that are kept, the newest. */
  texts: 1_000_000,
  /** And no older than this: what is written again later is news. */
  maxAgeMs: 90 * 86_400_000,
  /** With each text that comes, so many leave at most, if they are too old or too many. */
  leaving: 2,
  /** Pairs of pages that an owner has split, the newest. */
  splits: 10_000,
}

export type StoryLookup = { owner: string; profile: string; cluster: number; documentId: number }
