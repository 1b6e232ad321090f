import type {
  CollectableVersion,
  CollectionCursor,
  CollectionOrder,
  CollectionOutcome,
} from '../contracts/collection.ts'
import type { BodyState } from '../contracts/documents.ts'

/** State of a version at the time an order is carried out. */
export type OrderedVersion = {
  current: boolean
  pinned: boolean
  /** It, or a later version of its document that is compared with it, has not yet been matched against the profiles. */
  awaited: boolean
  /** An annotation of it has not yet been sent on a delivery channel. */
  undelivered: boolean
  /** A watch with owners was told of it last, and compares the next version that it is told of with this one. */
  compared: boolean
  /** Others refer to its body. */
  shared: boolean
  wanted: boolean
  body: BodyState
  hasRecord: boolean
  /** Its header was read from its current record. A record that was restored or moved in the meantime is left for the next run. */
  isRead: boolean
}

/** Why a version must not be collected; null if it may be. */
export function refusalOf(action: CollectionOrder['action'], version: OrderedVersion): CollectionOutcome | null {
  if (version.pinned || version.awaited || version.undelivered) return { kind: 'kept', why: 'held' }
  if (version.shared) return { kind: 'kept', why: 'shared' }
  if (action === 'remove') return version.current ? { kind: 'kept', why: 'current' } : null
  if (version.body !== 'kept' || !version.hasRecord) return { kind: 'nothing' }
  if (version.wanted) return { kind: 'kept', why: 'wanted' }
  // A limit on versions, which removes them, is obeyed nevertheless; and of a current version, the text's fingerprint is kept.
  if (version.compared && !version.current) return { kind: 'kept', why: 'held' }
  return version.isRead ? null : { kind: 'kept', why: 'damaged' }
}

export const firstCursor: CollectionCursor = { documentId: Number.MAX_SAFE_INTEGER, n: 0, at: 0, newer: 0 }

/** Ranks a version within its document and advances the cursor. Pages go from a document's newest version to its oldest. */
export function rankVersion(version: CollectableVersion, cursor: CollectionCursor): CollectableVersion {
  const isNewest = version.documentId !== cursor.documentId
  version.current ||= isNewest
  version.newer = isNewest ? 0 : cursor.newer + 1
  version.supersededAt = isNewest ? null : cursor.at
  cursor.documentId = version.documentId
  cursor.n = version.n
  cursor.at = version.at
  cursor.newer = version.newer
  return version
}

/** How an engine joins on the partition: `join('x', 'v')` returns a condition followed by AND, or ''. */
export type PartitionJoin = (a: string, b: string) => string

export const noPartitions: PartitionJoin = () => ''

/** Its body is in the record of another version. */
const isKeptByAnother = `v.body = 'kept' AND v.original <> v.id`
/** Version `o` has the body that `alias` refers to. */
const hasBodyOf = (alias: string): string => `o.digest = ${alias}.digest AND o.body = 'kept'`

/** Conditions on a version `v` of a document `d`. */
export const collectableSql = {
  /** The newest counts as current, even if the document points at another: version numbers continue from it. */
  isCurrent: (join: PartitionJoin): string =>
    `(d.version = v.id OR NOT EXISTS (SELECT 1 FROM versions x WHERE ${join('x', 'v')}x.document = v.document AND x.n > v.n))`,
  /** Its task, or that of a later version of the document, is open. Its own counts even when set aside, as it may be retried. */
  isAwaited: (join: PartitionJoin): string =>
    `EXISTS (SELECT 1 FROM versions x JOIN tasks t ON ${join('t', 'x')}t.version = x.id
      WHERE ${join('x', 'v')}x.document = v.document AND x.n >= v.n AND (t.aside_at = 0 OR x.id = v.id))`,
  /** Annotations `a` that have entries: waiting ones, and those in unsettled messages. */
  undelivered: 'annotations a JOIN outbox o ON o.annotation = a.id',
  /** Same condition as the partial index on references, so that it is used. */
  isReference: (alias: string): string => `${alias}.original <> ${alias}.id`,
  /** Should have its own record, but has none. */
  hasNoRecord: (record: string): string => `v.body = 'kept' AND v.${record} = 0 AND v.original = v.id`,
  /** Should be in the record of another version, but isn't. `original` joins `o` to that version. */
  hasNoOriginal: (original: string): string =>
    `${isKeptByAnother} AND NOT EXISTS (SELECT 1 FROM versions o WHERE ${original} AND ${hasBodyOf('v')})`,
  isKeptByAnother,
  hasBodyOf,
} as const
