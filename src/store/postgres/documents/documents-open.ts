import { AppError } from '../../../core/errors.ts'
import type { BodyState, DocumentKey } from '../../contracts/documents.ts'
import type { VersionReason } from '../../contracts/versions.ts'
import type { Tx } from '../connection/pool.ts'
import { numberArray, textArray } from '../connection/row-batch.ts'
import { keyOf } from './documents-plan.ts'
import type { DocumentState } from './documents-state.ts'
import { documentStatements as sql } from './documents-statements.ts'

export function keyArrays(keys: readonly DocumentKey[]): [hosts: string, fps: string] {
  return [textArray(keys.map(({ host }) => host)), numberArray(keys.map(({ fp }) => fp))]
}

/** The lease under which documents are written: that of their hosts' partition, wherever the documents are kept. */
export type WritingLease = { partition: number; epoch: number }

export async function fence(tx: Tx, { partition, epoch }: WritingLease): Promise<void> {
  if ((await tx.query(sql.fence, [partition, epoch])).length === 0) throw lost(partition)
}

function lost(partition: number): AppError {
  return new AppError('lease-lost', `partition ${partition} belongs to another worker by now; nothing was written`)
}

type OpenRow = Omit<DocumentState, 'id' | 'host' | 'fp' | 'current' | 'reason'> & {
  failureReason: string
  place: number
  id: number
  n: number | null
  reason: VersionReason
  versionAt: number
  versionSeenAt: number
  digest: Buffer
  truncated: string
  etag: string
  lastModified: string
  body: BodyState
  original: number
  links: number
  linkHash: Buffer | null
  linkNaming: number | null
  textVersion: number | null
  textReason: VersionReason
  textBody: BodyState
}

/** For a document and a version. */
const IDS_PER_CAPTURE = 2

/** From this number of hosts on, their documents are read at once, without asking first whether there are any. */
const MANY_HOSTS = 4

/**
 * Checks the lease, and reads the documents to compare captures with. `place` is the partition in which the documents are kept. For
 * distributed tables, it first asks whether there is anything to read.
 */
export async function openDocuments(
  tx: Tx,
  place: number,
  { partition, epoch }: WritingLease,
  members: readonly { capture: DocumentKey }[],
  isSpread: boolean,
) {
  const keys = members.map(({ capture }) => capture)
  const read = () => tx.query<OpenRow>(sql.open, [place, ...keyArrays(keys)])
  const [[drawn], rows] = await Promise.all([
    tx.query<{ ids: string | null }>(sql.fenceAndDraw, [partition, epoch, IDS_PER_CAPTURE * members.length, place]),
    isSpread ? hasKnown(tx, place, keys).then((isKnown) => (isKnown ? read() : [])) : read(),
  ])
  // One row for all ids, not one each: reading a row takes longer than reading a number.
  if (drawn!.ids === null) throw lost(partition)
  const documents = new Map<string, DocumentState>()
  for (const { place: member, ...row } of rows) {
    const { host, fp } = members[member - 1]!.capture
    const key = keyOf({ host, fp })
    if (!documents.has(key)) documents.set(key, stateOf(row, host, fp))
  }
  return {
    documents,
    ids: drawn!.ids
      .split(',')
      .map(Number)
      .sort((a, b) => a - b),
  }
}

/** Uses statements on one table and one host each, whose plans Citus caches: new pages are the most expensive case. */
async function hasKnown(tx: Tx, place: number, keys: readonly DocumentKey[]): Promise<boolean> {
  const byHost = Map.groupBy(keys, ({ host }) => host)
  if (byHost.size >= MANY_HOSTS) return true
  const found = await Promise.all(
    [...byHost].map(([host, group]) => tx.query(sql.anyOf, [place, host, numberArray(group.map(({ fp }) => fp))])),
  )
  return found.some((rows) => rows.length > 0)
}

function stateOf(row: Omit<OpenRow, 'place'>, host: string, fp: bigint): DocumentState {
  const { failureReason, n, reason, versionAt: at, versionSeenAt: seenAt, digest, truncated, ...further } = row
  const {
    etag,
    lastModified,
    body,
    original,
    links,
    linkHash,
    linkNaming,
    textVersion,
    textReason,
    textBody,
    ...rest
  } = further
  const withText = textVersion === null ? undefined : { id: textVersion, reason: textReason, body: textBody }
  const version = { id: row.version, n: n ?? 0, reason, at, seenAt, digest, truncated, etag, lastModified }
  const current = n === null ? null : { ...version, body, original, links, linkHash, linkNaming, withText }
  return { ...rest, reason: failureReason, host, fp, current }
}
