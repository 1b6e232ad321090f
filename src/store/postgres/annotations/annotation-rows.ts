import type { Annotation } from '../../contracts/annotations.ts'
import type { InboxItem } from '../../contracts/inbox.ts'
import type { Sender } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'

type AnnotationRow = Omit<Annotation, 'summary' | 'explanation' | 'n'> & { summary: string; explanation: string }
type ItemRow = AnnotationRow & Pick<InboxItem, 'read' | 'starred' | 'archived'>

/** Of a row `a`, with the places where the same story was met. */
export const annotationColumns = `a.id, a.owner, a.profile, a.document AS "documentId", a.version AS "versionId", a.kind, a.at,
  a.relevance, a.urgency, a.expires_at AS "expiresAt", a.backlog, a.title, a.format, a.extension, a.size, a.summary,
  a.explanation, a.story, a.url,
  ARRAY(SELECT s.url FROM also_at s WHERE s.annotation = a.id GROUP BY s.url ORDER BY min(s.version)) AS "alsoAt"`

export const partitionsOfIds = (ids: readonly number[]): number[] => [...new Set(ids.map(partitionOfId))]

/** Rows as others see them. Versions that were collected have no number any more. */
export async function readAnnotations(sender: Sender, sql: string, values: readonly unknown[]): Promise<Annotation[]> {
  return withNumbers(sender, await sender.query<AnnotationRow>(sql, values))
}

export async function readItems(sender: Sender, sql: string, values: readonly unknown[]): Promise<InboxItem[]> {
  return withNumbers(sender, await sender.query<ItemRow>(sql, values))
}

/** Asked apart: annotations lie together, versions in their partitions. */
async function withNumbers<T extends AnnotationRow>(sender: Sender, rows: readonly T[]) {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ versionId }) => versionId))]
  const numbers = await sender.query<{ id: number; n: number }>(
    'SELECT id, n FROM versions WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])',
    [partitionsOfIds(ids), ids],
  )
  const numberOf = new Map(numbers.map(({ id, n }) => [id, n]))
  return rows.map(({ summary, explanation, ...plain }) => ({
    ...plain,
    summary: JSON.parse(summary),
    explanation: JSON.parse(explanation),
    n: numberOf.get(plain.versionId) ?? 0,
  }))
}

/** Those of a story are few; they are gathered first, whatever is thought of their number when it is planned. */
const ofNearDuplicates = `SELECT ${annotationColumns}
  FROM (SELECT * FROM annotations WHERE story = $1 AND story <> 0 AND profile = $2 AND document <> $3 OFFSET 0) a
  ORDER BY a.id LIMIT 1`

export async function findNearDuplicates(
  sender: Sender,
  profile: string,
  story: number,
  documentId: number,
): Promise<Annotation | null> {
  return (await readAnnotations(sender, ofNearDuplicates, [story, storable(profile), documentId]))[0] ?? null
}
