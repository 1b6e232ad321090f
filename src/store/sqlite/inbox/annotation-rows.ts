import type { SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type Annotation,
  type AnnotationDraft,
  type AnnotationFields,
  annotationFields,
  type FieldType,
} from '../../contracts/annotations.ts'
import type { InboxItem } from '../../contracts/inbox.ts'
import type { Database } from '../folder/database.ts'

type Column = { name: keyof AnnotationFields; column: string; type: FieldType }
type Row = [id: number, ...unknown[]]

const columns: readonly Column[] = Object.entries(annotationFields).map(([name, field]) => ({
  name: name as keyof AnnotationFields,
  ...field,
}))

/** Columns that come from a draft, for statements and for the import. */
export const columnNames = columns.map(({ column }) => column)
export const flagColumns = columns.filter(({ type }) => type === 'flag').map(({ column }) => column)

/** The values of a draft, in the order of `columnNames`. */
export function insertValues(draft: AnnotationDraft): SQLInputValue[] {
  return columns.map(({ name, type }) => {
    const value = draft[name]
    if (type === 'json') return JSON.stringify(value ?? null)
    return type === 'flag' ? Number(value) : (value as SQLInputValue)
  })
}

const selected = ['a.id', 'd.url', 'coalesce(v.n, 0)', ...columnNames.map((column) => `a.${column}`)]
const marks = ['a.read', 'a.starred', 'a.archived']
const fieldsFrom = selected.length - columns.length
const marksFrom = selected.length

/** A statement for `createAnnotationReader`. Its rows are arrays, since objects with so many columns are slower to create and read. */
export function prepareAnnotations(db: Database, where: string): StatementSync {
  const statement = db.prepare(
    `SELECT ${[...selected, ...marks].join(', ')} FROM annotations a JOIN documents d ON d.id = a.document
     LEFT JOIN versions v ON v.id = a.version ${where}`,
  )
  statement.setReturnArrays(true)
  return statement
}

/** Reads annotations with the other URLs of their near-duplicate cluster. */
export function createAnnotationReader(db: Database) {
  const urlsOf = db.prepare('SELECT DISTINCT url FROM also_at WHERE annotation = ? ORDER BY version')
  // One statement for a whole page: most annotations have one URL.
  const urlsOfSome = db.prepare(
    'SELECT annotation, url FROM also_at WHERE annotation IN (SELECT value FROM json_each(?)) ORDER BY annotation, version',
  )

  function annotationOf(row: unknown): Annotation | null {
    if (row === undefined) return null
    const urls = urlsOf.all((row as Row)[0]) as { url: string }[]
    return readRow(
      row as Row,
      urls.map(({ url }) => url),
    )
  }

  function itemOf(row: unknown): InboxItem | null {
    const annotation = annotationOf(row)
    return annotation === null ? null : withMarks(annotation, row as Row)
  }

  /** In the order of the rows. */
  function annotationsOf(rows: readonly unknown[]): Annotation[] {
    const ids = rows.map((row) => (row as Row)[0])
    const urls = new Map<number, Set<string>>()
    for (const { annotation, url } of urlsOfSome.all(JSON.stringify(ids)) as { annotation: number; url: string }[])
      urls.set(annotation, (urls.get(annotation) ?? new Set()).add(url))
    return rows.map((row, n) => readRow(row as Row, [...(urls.get(ids[n]!) ?? [])]))
  }

  const itemsOf = (rows: readonly unknown[]): InboxItem[] =>
    annotationsOf(rows).map((annotation, n) => withMarks(annotation, rows[n] as Row))

  return { annotationOf, annotationsOf, itemOf, itemsOf }
}

function readRow(row: Row, alsoAt: readonly string[]): Annotation {
  const annotation: Record<string, unknown> = { id: row[0], url: row[1], n: row[2], alsoAt }
  for (let n = 0; n < columns.length; n++) {
    const { name, type } = columns[n]!
    const value = row[fieldsFrom + n]
    if (type === 'json') annotation[name] = JSON.parse(value as string)
    else annotation[name] = type === 'flag' ? value === 1 : value
  }
  return annotation as Annotation
}

function withMarks(annotation: Annotation, row: Row): InboxItem {
  const [read, starred, archived] = [row[marksFrom] === 1, row[marksFrom + 1] === 1, row[marksFrom + 2] === 1]
  return Object.assign(annotation, { read, starred, archived })
}
