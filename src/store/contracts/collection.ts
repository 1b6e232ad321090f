import type { BodyState } from './documents.ts'

/**
 * The garbage collector's view of the catalogue, and how owners pin versions. Safe during writes: an order is based on an
 * earlier read, so it is checked again when it is carried out.
 */
export type CollectionStore = {
  /**
   * All versions, a page at a time, grouped by document and newest first. Versions added in the meantime may be
   * missing: they are too new to be collected.
   */
  versions(after: CollectionCursor | null, limit: number): Promise<CollectionPage>
  /** Those of the versions that exist. */
  find(versionIds: readonly number[]): Promise<KeptVersion[]>
  /**
   * Carries out orders in one transaction and returns the outcome of each. Preconditions are checked again in the same
   * transaction: a version that became current, pinned, wanted or referenced is kept.
   */
  collect(orders: readonly CollectionOrder[]): Promise<CollectionOutcome[]>
  /** Keeps the versions until `unpin`, for an owner who has not retrieved them yet. Returns those that exist. */
  pin(versionIds: readonly number[], owner: string, at: number): Promise<number[]>
  unpin(versionIds: readonly number[], owner: string): Promise<void>
  /** Marks versions that no profile wants: their bodies may be removed, the meta-info stays. */
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
  /** Length of its own record in the archive; 0 if there is none. */
  bytes: number
  /** The version whose record holds the body. */
  originalId: number
  /** Others refer to this version's body. Not determined for a current version that is wanted, which stays in any case. */
  shared: boolean
  /** One of the owners who pin it. */
  pinnedBy: string | null
  wanted: boolean
}

export type CollectableVersion = KeptVersion & {
  /** Time of the next existing version, which superseded it; null for the newest. */
  supersededAt: number | null
  /** Number of newer versions of the same document. */
  newer: number
}

/** Position at which a page ended. Opaque to callers. */
export type CollectionCursor = { documentId: number; n: number; at: number; newer: number }

export type CollectionPage = { versions: CollectableVersion[]; next: CollectionCursor | null }

/** The fingerprint of a version's visible text, and the rules that made it. */
export type TextMark = { text: Buffer; rules: number }

export type CollectionOrder = {
  versionId: number
  /**
   * `remove`: removes the version and everything that belongs to it. `drop`: removes its record; the response header moves to the
   * catalogue, and the next version with the same body stores it again.
   */
  action: 'remove' | 'drop'
}

export type CollectionOutcome =
  | { kind: 'done'; bytes: number }
  | { kind: 'kept'; why: 'current' | 'held' | 'shared' | 'wanted' | 'damaged' }
  /** The version no longer exists, or already has no body. */
  | { kind: 'nothing' }
