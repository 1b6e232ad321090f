import type { Annotation, SplitStory } from '../../contracts/annotations.ts'
import { storyLimits } from '../../contracts/stories.ts'
import { type JoinedPage, splitDraft } from '../../rules/splits.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'
import { commitPart, locateDrafts, partsOf } from './annotation-commit.ts'
import { annotationColumns, readAnnotations } from './annotation-rows.ts'
import { addAnnotations } from './annotation-writes.ts'

type Wish = { owner: string; annotation: number; url: string; at: number }

const ofPage = `SELECT ${annotationColumns} FROM annotations a
  WHERE a.owner = $1 AND a.document = $2 AND a.entry = $3 ORDER BY a.id`

const joined = `SELECT version AS "versionId", document AS "documentId", draft FROM also_at
  WHERE annotation = $1 AND url = $2 ORDER BY version DESC LIMIT 1 FOR UPDATE`

const addSplits = `INSERT INTO story_splits (owner, document, other, at)
  SELECT $1, g.document, g.other, $4::bigint FROM unnest($2::bigint[], $3::bigint[]) AS g (document, other)
  ON CONFLICT (owner, document, other) DO UPDATE SET at = excluded.at`

const dropOld = `DELETE FROM story_splits WHERE owner = $1 AND at < (SELECT at FROM story_splits WHERE owner = $1
  ORDER BY at DESC LIMIT 1 OFFSET ${2 * storyLimits.splits})`

/** Locks the row, so that two concurrent splits of the same page make one annotation. */
export function splitStory(pool: Pick<PostgresPool, 'transaction'>, wish: Wish): Promise<SplitStory> {
  const { owner, annotation: id, url, at } = wish
  return pool.transaction(async (tx) => {
    const [asked] = await readAnnotations(
      tx,
      `SELECT ${annotationColumns} FROM annotations a WHERE a.id = $1 AND a.owner = $2`,
      [id, storable(owner)],
    )
    if (asked === undefined || !asked.alsoAt.includes(url)) return { kind: 'unknown' }
    const { documentId } = asked
    const listing = await readAnnotations(tx, ofPage, [storable(owner), documentId, storable(asked.entry)])
    const fresh: Annotation[] = []
    for (const listedWith of listing) {
      const done = await splitOne(tx, listedWith, url)
      if (done === null) continue
      fresh.push(...done.added)
      const pair = [documentId, done.documentId]
      await tx.query(addSplits, [storable(owner), pair, pair.toReversed(), at])
    }
    await tx.query(dropOld, [storable(owner)])
    return fresh.length === 0 ? { kind: 'unknown' } : { kind: 'split', fresh }
  })
}

async function splitOne(
  tx: Tx,
  listedWith: Annotation,
  url: string,
): Promise<{ added: Annotation[]; documentId: number } | null> {
  const [page] = await tx.query<JoinedPage>(joined, [listedWith.id, storable(url)])
  const draft = page === undefined ? null : splitDraft(listedWith, await withDocument(tx, page))
  if (draft === null) return null
  await tx.query('DELETE FROM also_at WHERE annotation = $1 AND url = $2', [listedWith.id, storable(url)])
  const parts = partsOf({ done: [], unwanted: [], wanted: [], annotations: [draft] })
  const located = await locateDrafts(tx, [draft], parts)
  const added = await addAnnotations(tx, located, { alsoAt: [], nearDuplicates: [] })
  for (const part of parts) await commitPart(tx, part, added, null)
  return { added: added.map(({ annotation }) => annotation), documentId: draft.documentId }
}

/** Rows from before `also_at` had a document get it from their version. */
async function withDocument(tx: Tx, page: JoinedPage): Promise<JoinedPage> {
  if (page.documentId !== 0) return page
  const [version] = await tx.query<{ document: number }>(
    'SELECT document FROM versions WHERE partition = $1 AND id = $2',
    [partitionOfId(page.versionId), page.versionId],
  )
  return { ...page, documentId: version?.document ?? 0 }
}
