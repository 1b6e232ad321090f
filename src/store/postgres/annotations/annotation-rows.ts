import {
  type Annotation,
  type AnnotationDraft,
  type AnnotationFields,
  annotationFields,
  type FieldType,
  type StoryOfProfile,
} from '../../contracts/annotations.ts'
import type { InboxItem } from '../../contracts/inbox.ts'
import type { StoryLookup } from '../../contracts/stories.ts'
import type { Sender } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'

type AnnotationRow = Omit<Annotation, 'n'>
type ItemRow = AnnotationRow & Pick<InboxItem, 'read' | 'starred' | 'archived'>
type Column = { name: keyof AnnotationFields; column: string; type: FieldType }

const columns: readonly Column[] = Object.entries(annotationFields).map(([name, field]) => ({
  name: name as keyof AnnotationFields,
  ...field,
}))
const jsonFields = columns.filter(({ type }) => type === 'json').map(({ name }) => name)

const serverTypes = { text: 'text', integer: 'bigint', real: 'float8', flag: 'boolean', json: 'text' } as const

/** The columns that come from a draft, with their types. */
export const draftColumns = columns.map(({ column, type }) => [column, serverTypes[type]] as const)

/** The values of a draft by column. */
export function draftValues(draft: AnnotationDraft): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ name, column, type }) => [column, stored(type, draft[name])]))
}

function stored(type: FieldType, value: unknown): unknown {
  if (type === 'json') return JSON.stringify(value ?? null)
  return type === 'text' ? storable(value as string) : value
}

/** The fields of a draft as they would be read. */
export function fieldsOf(draft: AnnotationDraft): AnnotationFields {
  const read = columns.map(({ name, type }) => {
    const value = stored(type, draft[name])
    return [name, type === 'json' ? JSON.parse(value as string) : value]
  })
  return Object.fromEntries(read)
}

/** Columns of a row `a`, with the other URLs of its near-duplicate cluster. */
export const annotationColumns = `a.id, ${columns.map(({ name, column }) => `a.${column} AS "${name}"`).join(', ')}, a.url,
  ARRAY(SELECT s.url FROM also_at s WHERE s.annotation = a.id GROUP BY s.url ORDER BY min(s.version)) AS "alsoAt"`

export const partitionsOfIds = (ids: readonly number[]): number[] => [...new Set(ids.map(partitionOfId))]

/** Versions that were collected have the number 0. */
export async function readAnnotations(sender: Sender, sql: string, values: readonly unknown[]): Promise<Annotation[]> {
  return withNumbers(sender, await sender.query<AnnotationRow>(sql, values))
}

export async function readItems(sender: Sender, sql: string, values: readonly unknown[]): Promise<InboxItem[]> {
  return withNumbers(sender, await sender.query<ItemRow>(sql, values))
}

/** A separate query: versions are partitioned, annotations are in one table. */
async function withNumbers<T extends AnnotationRow>(sender: Sender, rows: readonly T[]) {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ versionId }) => versionId))]
  const numbers = await sender.query<{ id: number; n: number }>(
    'SELECT id, n FROM versions WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])',
    [partitionsOfIds(ids), ids],
  )
  const numberOf = new Map(numbers.map(({ id, n }) => [id, n]))
  return rows.map((row) => {
    const annotation = { ...row, n: numberOf.get(row.versionId) ?? 0 }
    for (const name of jsonFields) Object.assign(annotation, { [name]: JSON.parse(row[name] as string) })
    return annotation
  })
}

/** A cluster has few annotations. OFFSET 0 makes PostgreSQL read them first, regardless of its estimates. */
const ofCluster = `SELECT ${annotationColumns}
  FROM (SELECT * FROM annotations WHERE story = $1 AND story <> 0 AND profile = $2 AND document <> $3 OFFSET 0) a
  ORDER BY a.id LIMIT 1`

const isSplit = `SELECT 1 FROM story_splits s WHERE s.owner = $1 AND s.document = $2 AND EXISTS (SELECT 1 FROM annotations a
  WHERE a.story = $3 AND a.story <> 0 AND a.profile = $4 AND a.document = s.other) LIMIT 1`

export async function findStory(sender: Sender, lookup: StoryLookup): Promise<StoryOfProfile> {
  const { owner, profile, cluster, documentId } = lookup
  const [annotation] = await readAnnotations(sender, ofCluster, [cluster, storable(profile), documentId])
  if (annotation === undefined) return { kind: 'none' }
  const split = await sender.query(isSplit, [storable(owner), documentId, cluster, storable(profile)])
  return split.length > 0 ? { kind: 'split' } : { kind: 'known', annotation }
}
