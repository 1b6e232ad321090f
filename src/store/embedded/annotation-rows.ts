import type { Annotation } from '../annotations.ts'
import type { InboxItem } from '../inbox.ts'
import type { Database } from './database.ts'

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

  function annotationOf(row: unknown): Annotation | null {
    if (row === undefined) return null
    const { summary, explanation, backlog, ...plain } = row as AnnotationRow
    const alsoAt = (urlsOf.all(plain.id) as { url: string }[]).map(({ url }) => url)
    const texts = { summary: JSON.parse(summary), explanation: JSON.parse(explanation) }
    return { ...plain, ...texts, backlog: backlog === 1, alsoAt }
  }

  function itemOf(row: unknown): InboxItem | null {
    const annotation = annotationOf(row)
    if (annotation === null) return null
    const { read, starred, archived } = row as MarkedRow
    return { ...annotation, read: read === 1, starred: starred === 1, archived: archived === 1 }
  }

  return { annotationOf, itemOf }
}
