import { AppError } from '../../../core/errors.ts'
import type { Annotation, AnnotationBatch, AnnotationDraft } from '../../contracts/annotations.ts'
import type { PriceRow } from '../../contracts/versions.ts'
import { comesRead } from '../../rules/inbox.ts'
import { MAX_PRICES } from '../../rules/prices.ts'
import type { PostgresPool, Sender, Tx } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'
import { type AddedAnnotation, addAnnotations, type LocatedDraft } from './annotation-writes.ts'

/** Epoch of the lease of a partition; null if it isn't leased any more. */
export type EpochOf = (partition: number) => number | null

/** Adds prices and deletes all but the newest `MAX_PRICES`. */
async function addPrices(tx: Tx, prices: readonly PriceRow[]): Promise<void> {
  for (const { documentId, part, versionId, at, amount, currency, availability } of prices) {
    const place = [partitionOfId(documentId), documentId, storable(part)]
    await tx.query(
      `INSERT INTO prices (partition, document, part, version, at, amount, currency, availability)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      [...place, versionId, at, amount, storable(currency), availability],
    )
    await tx.query(
      `DELETE FROM prices WHERE partition = $1 AND document = $2 AND part = $3 AND version <= (SELECT version FROM prices
       WHERE partition = $1 AND document = $2 AND part = $3 ORDER BY version DESC LIMIT 1 OFFSET ${MAX_PRICES})`,
      place,
    )
  }
}

/** Ignores noise older than the stored state, and never replaces the notice `notified`. */
async function addNoise(tx: Tx, { noise, notices = [] }: Pick<AnnotationBatch, 'noise' | 'notices'>): Promise<void> {
  if (noise !== undefined)
    await tx.query(
      `INSERT INTO noise (partition, document, n, state) VALUES ($1, $2, $3, $4) ON CONFLICT (partition, document)
       DO UPDATE SET n = excluded.n, state = excluded.state WHERE excluded.n > noise.n`,
      [partitionOfId(noise.documentId), noise.documentId, noise.state.n, storable(JSON.stringify(noise.state))],
    )
  for (const { versionId, notice } of notices)
    await tx.query(
      `UPDATE versions SET notice = $3 WHERE partition = $1 AND id = $2 AND notice IS DISTINCT FROM 'notified'`,
      [partitionOfId(versionId), versionId, notice],
    )
}

/** The part of a batch in one partition. */
type Part = { partition: number; done: number[]; unwanted: number[]; wanted: number[]; drafts: AnnotationDraft[] }

/**
 * Commits a batch atomically and idempotently. A batch nearly always belongs to one partition, since tasks are committed one by one.
 * Then a task without annotations is one statement, and any other one transaction of three: the URLs, the annotations, and the
 * partition's own rows together with the check of its lease.
 */
export async function commitBatch(
  pool: Pick<PostgresPool, 'query' | 'transaction'>,
  batch: AnnotationBatch,
  epochOf: EpochOf | null,
): Promise<Annotation[]> {
  const parts = partsOf(batch)
  const { prices = [], noise, notices = [] } = batch
  const hasNothingElse = batch.annotations.length + batch.alsoAt.length + batch.nearDuplicates.length === 0
  const isPlain = hasNothingElse && prices.length + notices.length === 0 && noise === undefined
  if (isPlain && parts.length === 0) return []
  if (isPlain && parts.length === 1) {
    await commitPart(pool, parts[0]!, [], epochOf, batch.known)
    return []
  }
  return pool.transaction(async (tx) => {
    const drafts = await locateDrafts(tx, batch.annotations, parts)
    const added = hasNothingElse ? [] : await addAnnotations(tx, drafts, batch)
    await addPrices(tx, prices)
    await addNoise(tx, batch)
    for (const part of parts) {
      const own = added.filter(({ draft }) => partitionOfId(draft.versionId) === part.partition)
      await commitPart(tx, part, own, epochOf, batch.known)
    }
    return added.map(({ annotation }) => annotation)
  })
}

export function partsOf({
  done,
  unwanted,
  wanted,
  annotations,
}: Pick<AnnotationBatch, 'done' | 'unwanted' | 'wanted' | 'annotations'>): Part[] {
  const parts = new Map<number, Part>()
  const partOf = (id: number): Part => {
    const partition = partitionOfId(id)
    const known = parts.get(partition)
    if (known !== undefined) return known
    const made: Part = { partition, done: [], unwanted: [], wanted: [], drafts: [] }
    parts.set(partition, made)
    return made
  }
  for (const id of done) partOf(id).done.push(id)
  for (const id of unwanted) partOf(id).unwanted.push(id)
  for (const id of wanted) partOf(id).wanted.push(id)
  for (const draft of annotations) partOf(draft.versionId).drafts.push(draft)
  return [...parts.values()].sort((x, y) => x.partition - y.partition)
}

/**
 * Looks up URL and version number of the drafts, and locks the versions against the collector until they are pinned. Skips drafts of
 * unknown documents.
 */
export async function locateDrafts(
  tx: Tx,
  drafts: readonly AnnotationDraft[],
  parts: readonly Part[],
): Promise<LocatedDraft[]> {
  const located = new Map<number, { url: string; n: number }>()
  for (const { partition, drafts: own } of parts) {
    if (own.length === 0) continue
    const documents = new Map(own.map(({ versionId, documentId }) => [versionId, documentId]))
    const rows = await tx.query<{ version: number; url: string; n: number }>(
      `WITH there AS (SELECT id, n FROM versions WHERE partition = $1 AND id = ANY($2::bigint[]) FOR KEY SHARE)
       SELECT g.version, d.url, coalesce(there.n, 0) AS n
       FROM unnest($2::bigint[], $3::bigint[]) AS g (version, document)
       JOIN documents d ON d.partition = $1 AND d.id = g.document LEFT JOIN there ON there.id = g.version`,
      [partition, [...documents.keys()], [...documents.values()]],
    )
    for (const { version, url, n } of rows) located.set(version, { url, n })
  }
  return drafts.flatMap((draft) => {
    const found = located.get(draft.versionId)
    return found === undefined ? [] : [{ draft, ...found }]
  })
}

/**
 * In one partition: checks the lease, deletes finished tasks, sets which versions are wanted, and pins versions for their readers. An
 * unwanted version stays while an annotation or a task needs it, or if a crawl has fetched its document. Does nothing without the lease.
 */
const commitStatement = `
WITH lease AS (
  SELECT 1 FROM leases WHERE partition = $1 AND epoch = $2::bigint FOR KEY SHARE
), allowed AS MATERIALIZED (
  SELECT $2::bigint IS NULL OR EXISTS (SELECT 1 FROM lease) AS yes
), done AS (
  DELETE FROM tasks t WHERE t.partition = $1 AND t.id = ANY($3::bigint[]) AND (SELECT yes FROM allowed)
), kept AS (
  UPDATE versions v SET wanted = true WHERE v.partition = $1 AND v.id = ANY($4::bigint[]) AND NOT v.wanted
  AND (SELECT yes FROM allowed)
), left_over AS (
  UPDATE versions v SET wanted = false WHERE v.partition = $1 AND v.id = ANY($5::bigint[]) AND v.wanted
  AND v.id <> ALL ($4::bigint[])
  AND v.id NOT IN (SELECT a.version FROM annotations a WHERE a.version = ANY($5::bigint[]))
  AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.partition = $1 AND t.version = v.id AND t.id <> ALL ($3::bigint[]))
  AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.partition = $1 AND d.id = v.document AND d.for_all)
  AND (SELECT yes FROM allowed)
), held AS (
  INSERT INTO holds (partition, version, owner, since)
  SELECT $1::smallint, h.version, h.owner, h.since
  FROM unnest($6::bigint[], $7::text[], $8::bigint[]) AS h (version, owner, since)
  WHERE (SELECT yes FROM allowed) ON CONFLICT DO NOTHING
), noted AS (
  UPDATE reached r SET known = greatest(r.known, $11::bigint) WHERE r.partition = $1 AND r.document = $9::bigint
  AND r.watch = $10::bigint AND (SELECT yes FROM allowed)
)
SELECT yes FROM allowed`

export async function commitPart(
  sender: Sender,
  { partition, done, unwanted, wanted }: Part,
  added: readonly AddedAnnotation[],
  epochOf: EpochOf | null,
  known?: AnnotationBatch['known'],
): Promise<void> {
  const epoch = epochOf?.(partition)
  if (epoch === null) throw lost(partition)
  // A version is pinned until its owner has read it; one that was collected meanwhile has nothing to pin.
  const held = added.filter(({ draft, annotation }) => annotation.n > 0 && !comesRead(draft))
  const [row] = await sender.query<{ yes: boolean }>(commitStatement, [
    partition,
    epoch ?? null,
    done,
    [...wanted, ...added.map(({ draft }) => draft.versionId)],
    unwanted,
    held.map(({ draft }) => draft.versionId),
    held.map(({ draft }) => storable(draft.owner)),
    held.map(({ draft }) => draft.at),
    known?.documentId ?? 0,
    known?.watch ?? 0,
    known?.versionId ?? 0,
  ])
  if (row?.yes !== true) throw lost(partition)
}

function lost(partition: number): AppError {
  return new AppError('lease-lost', `partition ${partition} is not ours any more; its annotations were not written`)
}
