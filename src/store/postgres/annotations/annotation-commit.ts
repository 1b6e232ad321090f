import { AppError } from '../../../core/errors.ts'
import type { Annotation, AnnotationBatch, AnnotationDraft } from '../../contracts/annotations.ts'
import { comesRead } from '../../rules/inbox.ts'
import type { PostgresPool, Sender, Tx } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'
import { type AddedAnnotation, addAnnotations, type PlacedDraft } from './annotation-writes.ts'

/** The epoch under which a partition is held; null where it is not held any more. */
export type EpochOf = (partition: number) => number | null

/** What of a batch lies in one partition. */
type Part = { partition: number; done: number[]; unwanted: number[]; wanted: number[]; drafts: AnnotationDraft[] }

/**
 * Settles a batch: everything or nothing, and what was settled before changes nothing. A batch is nearly always of one partition, for
 * tasks are settled one by one. Then what concerns nobody is one statement, and what concerns somebody one transaction of
 * three: the addresses, what people see, and the partition's own rows together with the check that it is still held.
 */
export async function commitBatch(
  pool: Pick<PostgresPool, 'query' | 'transaction'>,
  batch: AnnotationBatch,
  epochOf: EpochOf | null,
): Promise<Annotation[]> {
  const parts = partsOf(batch)
  const isPlain = batch.annotations.length + batch.alsoAt.length + batch.stories.length === 0
  if (isPlain && parts.length === 0) return []
  if (isPlain && parts.length === 1) {
    await settlePart(pool, parts[0]!, [], epochOf)
    return []
  }
  return pool.transaction(async (tx) => {
    const placed = await placeDrafts(tx, batch.annotations, parts)
    const added = isPlain ? [] : await addAnnotations(tx, placed, batch)
    for (const part of parts) {
      const own = added.filter(({ draft }) => partitionOfId(draft.versionId) === part.partition)
      await settlePart(tx, part, own, epochOf)
    }
    return added.map(({ annotation }) => annotation)
  })
}

function partsOf({ done, unwanted, wanted, annotations }: AnnotationBatch): Part[] {
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
 * Finds the address and the number of what is annotated, and keeps versions from being collected until it is known that they are held.
 * What is said of a document that is not there is passed over.
 */
async function placeDrafts(tx: Tx, drafts: readonly AnnotationDraft[], parts: readonly Part[]): Promise<PlacedDraft[]> {
  const places = new Map<number, { url: string; n: number }>()
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
    for (const { version, url, n } of rows) places.set(version, { url, n })
  }
  return drafts.flatMap((draft) => {
    const place = places.get(draft.versionId)
    return place === undefined ? [] : [{ draft, ...place }]
  })
}

/**
 * In one partition: the lease, tasks that are done, who wants versions, and until whose reading they are held. Whoever else had
 * a use for an unwanted version keeps it. Where the lease is not held, nothing happens.
 */
const settleStatement = `
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
  AND (SELECT yes FROM allowed)
), held AS (
  INSERT INTO holds (partition, version, owner, since)
  SELECT $1::smallint, h.version, h.owner, h.since
  FROM unnest($6::bigint[], $7::text[], $8::bigint[]) AS h (version, owner, since)
  WHERE (SELECT yes FROM allowed) ON CONFLICT DO NOTHING
)
SELECT yes FROM allowed`

async function settlePart(
  sender: Sender,
  { partition, done, unwanted, wanted }: Part,
  added: readonly AddedAnnotation[],
  epochOf: EpochOf | null,
): Promise<void> {
  const epoch = epochOf?.(partition)
  if (epoch === null) throw lost(partition)
  // Until its owner has fetched it, a version stays; one that was collected meanwhile has nothing that could be held.
  const held = added.filter(({ draft, annotation }) => annotation.n > 0 && !comesRead(draft))
  const [row] = await sender.query<{ yes: boolean }>(settleStatement, [
    partition,
    epoch ?? null,
    done,
    [...wanted, ...added.map(({ draft }) => draft.versionId)],
    unwanted,
    held.map(({ draft }) => draft.versionId),
    held.map(({ draft }) => storable(draft.owner)),
    held.map(({ draft }) => draft.at),
  ])
  if (row?.yes !== true) throw lost(partition)
}

function lost(partition: number): AppError {
  return new AppError('lease-lost', `partition ${partition} is not ours any more; its annotations were not written`)
}
