import type { Annotation } from '../../contracts/annotations.ts'
import type { InboxItem } from '../../contracts/inbox.ts'
import type { Database } from '../folder/database.ts'

type AnnotationRow = Omit<
  InboxItem,
  'summary' | 'explanation' | 'backlog' | 'alsoAt' | 'read' | 'starred' | 'archived'
> & {
  summary: string
  explanation: string
  backlog: 0 | 1
}
type MarkedRow = AnnotationRow & { read: 0 | 1; starred: 0 | 1; archived: 0 | 1 }

const columns = `a.id, a.owner, a.profile, a.document AS documentId, a.version AS versionId, a.kind, a.at, a.relevance,
  a.urgency, a.expires_at AS expiresAt, a.backlog, a.title, a.format, a.extension, a.size, a.summary, a.explanation,
  a.story, d.url, coalesce(v.n, 0) AS n`
const tables = 'FROM annotations a JOIN documents d ON d.id = a.document LEFT JOIN versions v ON v.id = a.version'

export const selectAnnotations = `SELECT ${columns} ${tables}`
/** With what its owner did to it. */
export const selectItems = `SELECT ${columns}, a.read, a.starred, a.archived ${tables}`

/** Rows of annotations as others see them, with the places where the same story was met. */
export function createAnnotationReader(db: Database) {
  const urlsOf = db.prepare('SELECT DISTINCT url FROM also_at WHERE annotation = ? ORDER BY version')
  // Of a page of them together: most were met in one place alone.
  const urlsOfSome = db.prepare(
    'SELECT annotation, url FROM also_at WHERE annotation IN (SELECT value FROM json_each(?)) ORDER BY annotation, version',
  )

  function annotationOf(row: unknown): Annotation | null {
    if (row === undefined) return null
    const { id } = row as AnnotationRow
    return plainOf(
      row as AnnotationRow,
      (urlsOf.all(id) as { url: string }[]).map(({ url }) => url),
    )
  }

  function itemOf(row: unknown): InboxItem | null {
    const annotation = annotationOf(row)
    return annotation === null ? null : withMarks(annotation, row as MarkedRow)
  }

  /** In the order of the rows. */
  function itemsOf(rows: readonly unknown[]): InboxItem[] {
    const ids = rows.map((row) => (row as AnnotationRow).id)
    const places = new Map<number, Set<string>>()
    for (const { annotation, url } of urlsOfSome.all(JSON.stringify(ids)) as { annotation: number; url: string }[])
      places.set(annotation, (places.get(annotation) ?? new Set()).add(url))
    return rows.map((row, at) =>
      withMarks(plainOf(row as AnnotationRow, [...(places.get(ids[at]!) ?? [])]), row as MarkedRow),
    )
  }

  return { annotationOf, itemOf, itemsOf }
}

/** Written out: to copy what a statement gives, whose shape the engine does not know, takes several times as long. */
function plainOf(row: AnnotationRow, alsoAt: readonly string[]): Annotation {
  return {
    id: row.id,
    owner: row.owner,
    profile: row.profile,
    documentId: row.documentId,
    versionId: row.versionId,
    kind: row.kind,
    at: row.at,
    relevance: row.relevance,
    urgency: row.urgency,
    expiresAt: row.expiresAt,
    backlog: row.backlog === 1,
    title: row.title,
    format: row.format,
    extension: row.extension,
    size: row.size,
    summary: JSON.parse(row.summary),
    explanation: JSON.parse(row.explanation),
    story: row.story,
    url: row.url,
    n: row.n,
    alsoAt,
  }
}

function withMarks(annotation: Annotation, { read, starred, archived }: MarkedRow): InboxItem {
  return Object.assign(annotation, { read: read === 1, starred: starred === 1, archived: archived === 1 })
}
