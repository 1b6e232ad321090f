import type { BodyState } from './documents.ts'

/**
 * What the garbage collector needs of the catalogue, and how owners pin what they need. Safe during writes: an order rests on an
 * earlier read, so it is checked again when it is carried out.
 */
export type CollectionStore = {
  /**
   * All versions a page at a time, each document's together and the newest first. Versions that come meanwhile may be
   * missing: they are too new to go.
   */
  versions(after: CollectionCursor | null, limit: number): Promise<CollectionPage>
  /** Those of the given that are there. */
  find(versionIds: readonly number[]): Promise<KeptVersion[]>
  /**
   * Carries out orders, all in one step, and says what came of each. What an order rests on is checked against the
   * catalogue in the same step: a version that became current, pinned, wanted or referred to is kept.
   */
  collect(orders: readonly CollectionOrder[]): Promise<CollectionOutcome[]>
  /** Keeps the versions until `unpin`, for an owner who has not retrieved them yet. Answers with those that are there. */
  pin(versionIds: readonly number[], owner: string, at: number): Promise<number[]>
  unpin(versionIds: readonly number[], owner: string): Promise<void>
  /** No profile wants them: their bodies may go, the meta-info stays. */
  markUnwanted(versionIds: readonly number[]): Promise<void>
  markWanted(versionIds: readonly number[]): Promise<void>
}

export type KeptVersion = {
  id: number
  documentId: number
  n: number
  url: string
  at: number
  /** The newest of its document. */
  current: boolean
  body: BodyState
  /** Length of its own record in the archive; 0 when there is none. */
  bytes: number
  /** The version whose record holds the body. */
  originalId: number
  /** Others refer to this version's body. Not told of a current version that is wanted: it stays in any case. */
  shared: boolean
  /** One of the owners who pin it. */
  pinnedBy: string | null
  wanted: boolean
}

export type CollectableVersion = KeptVersion & {
  /** When the next version that is there took its place; null for the newest. */
  supersededAt: number | null
  /** Versions of the same document that are newer. */
  newer: number
}

/** Where a page ended. Made by the store, for the store. */
export type CollectionCursor = { documentId: number; n: number; at: number; newer: number }

export type CollectionPage = { versions: CollectableVersion[]; next: CollectionCursor | null }

/** The fingerprint of a version's visible text, and of the rules that made it. */
export type TextMark = { text: Buffer; rules: number }

export type CollectionOrder = {
  versionId: number
  /**
   * `remove`: the version and all that belongs to it. `drop`: its record; the response header moves to the catalogue,
   * and the next that has the same body stores it anew.
   */
  action: 'remove' | 'drop'
}

export type CollectionOutcome =
  | { kind: 'done'; bytes: number }
  | { kind: 'kept'; why: 'current' | 'held' | 'shared' | 'wanted' | 'damaged' }
  /** Not there any more, or without a body already. */
  | { kind: 'nothing' }
