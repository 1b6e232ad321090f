import type { Annotation, AnnotationBatch, AnnotationDraft } from '../../contracts/annotations.ts'
import type { Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { wordsVector } from '../inbox/inbox-words.ts'
import { annotationChannel, MAX_TOLD_IDS } from './annotation-events.ts'

/** A draft with the address and the number of what it is about. */
export type PlacedDraft = { draft: AnnotationDraft; url: string; n: number }
export type AddedAnnotation = { draft: AnnotationDraft; annotation: Annotation }

/** The columns of annotations that come from a draft, with their types, in the order of the parameters. */
const given = [
  ['owner', 'text'],
  ['profile', 'text'],
  ['document', 'bigint'],
  ['version', 'bigint'],
  ['kind', 'text'],
  ['at', 'bigint'],
  ['relevance', 'float8'],
  ['urgency', 'float8'],
  ['expires_at', 'bigint'],
  ['backlog', 'boolean'],
  ['title', 'text'],
  ['format', 'text'],
  ['extension', 'text'],
  ['size', 'bigint'],
  ['summary', 'text'],
  ['explanation', 'text'],
  ['story', 'bigint'],
  ['url', 'text'],
] as const

const names = given.map(([name]) => name)
const parameter = (n: number, type: string): string => `$${n}::${type}[]`
const draftParameters = [
  ...given,
  ['read', 'boolean'] as const,
  ['archived', 'boolean'] as const,
  ['words', 'text'] as const,
]
const rest = draftParameters.length

/**
 * Numbers are drawn behind the locks of all owners (the condition can't be answered before), and the draft's place decides their
 * order. What is there already is passed over, and so are counts and words of it.
 */
const addStatement = `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(${draftParameters.map(([, type], n) => parameter(n + 1, type)).join(', ')})
  WITH ORDINALITY AS g (${[...draftParameters.map(([name]) => name), 'place'].join(', ')})
), locked AS (
  INSERT INTO inbox_owners (owner) SELECT DISTINCT owner FROM given ORDER BY owner
  ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner WHERE false RETURNING 1
), added AS (
  INSERT INTO annotations (${names.join(', ')}) SELECT ${names.join(', ')} FROM given
  WHERE (SELECT count(*) FROM locked) >= 0 ORDER BY place
  ON CONFLICT (version, owner, profile) DO NOTHING RETURNING id, owner, profile, version
), fresh AS MATERIALIZED (
  SELECT added.id, given.* FROM added JOIN given USING (version, owner, profile)
), boxed AS (
  INSERT INTO inbox (id, owner, profile, document, version, at, urgency, read, starred, archived)
  SELECT id, owner, profile, document, version, at, urgency, read, false, archived FROM fresh
), counted AS (
  INSERT INTO inbox_counts AS c (owner, profile, unread, shown, starred, archived)
  SELECT owner, profile, count(*) FILTER (WHERE NOT read), count(*) FILTER (WHERE NOT archived), 0,
    count(*) FILTER (WHERE archived) FROM fresh GROUP BY owner, profile
  ON CONFLICT (owner, profile) DO UPDATE SET unread = c.unread + excluded.unread, shown = c.shown + excluded.shown,
    archived = c.archived + excluded.archived
), spelled AS (
  INSERT INTO inbox_words (annotation, words) SELECT id, words::tsvector FROM fresh
), met AS (
  INSERT INTO also_at (annotation, version, url)
  SELECT * FROM unnest(${parameter(rest + 1, 'bigint')}, ${parameter(rest + 2, 'bigint')}, ${parameter(rest + 3, 'text')})
  ON CONFLICT DO NOTHING
), remembered AS (
  INSERT INTO stories (version, hash, story)
  SELECT * FROM unnest(${parameter(rest + 4, 'bigint')}, ${parameter(rest + 5, 'bigint')}, ${parameter(rest + 6, 'bigint')})
  ON CONFLICT DO NOTHING
), told AS MATERIALIZED (
  SELECT pg_notify('${annotationChannel}',
    CASE WHEN count(*) > ${MAX_TOLD_IDS} THEN '' ELSE string_agg(id::text, ',' ORDER BY id) END)
  FROM fresh HAVING count(*) > 0
)
SELECT id, place::int AS place FROM fresh CROSS JOIN told ORDER BY place`

/** Returns those that are new, in the order in which they were given. */
export async function addAnnotations(
  tx: Tx,
  placed: readonly PlacedDraft[],
  { alsoAt, stories }: Pick<AnnotationBatch, 'alsoAt' | 'stories'>,
): Promise<AddedAnnotation[]> {
  const drafts = eachOnce(placed)
  const rows = drafts.map(rowOf)
  const columns = draftParameters.map(([name]) => rows.map((row) => row[name]))
  const added = await tx.query<{ id: number; place: number }>(addStatement, [
    ...columns,
    alsoAt.map(({ annotation }) => annotation),
    alsoAt.map(({ versionId }) => versionId),
    alsoAt.map(({ url }) => storable(url)),
    stories.map(({ versionId }) => versionId),
    stories.map(({ hash }) => String(BigInt.asIntN(64, hash))),
    stories.map(({ story }) => story),
  ])
  return added.map(({ id, place }) => addedOf(drafts[place - 1]!, id))
}

/** The first of an owner, profile and version. */
function eachOnce(placed: readonly PlacedDraft[]): PlacedDraft[] {
  const met = new Set<string>()
  return placed.filter(({ draft: { owner, profile, versionId } }) => {
    const key = JSON.stringify([versionId, owner, profile])
    const isNew = !met.has(key)
    met.add(key)
    return isNew
  })
}

type DraftRow = Record<(typeof draftParameters)[number][0], unknown>

function rowOf({ draft, url }: PlacedDraft): DraftRow {
  const [owner, title] = [storable(draft.owner), storable(draft.title)]
  return {
    owner,
    profile: storable(draft.profile),
    document: draft.documentId,
    version: draft.versionId,
    kind: draft.kind,
    at: draft.at,
    relevance: draft.relevance,
    urgency: draft.urgency,
    expires_at: draft.expiresAt,
    backlog: draft.backlog,
    title,
    format: storable(draft.format),
    extension: storable(draft.extension),
    size: draft.size,
    summary: JSON.stringify(draft.summary),
    explanation: JSON.stringify(draft.explanation ?? null),
    story: draft.story,
    url,
    read: comesRead(draft),
    archived: draft.muted === true,
    words: wordsVector({ owner, title, text: storable(draft.summary.text), url }),
  }
}

/** Nobody waits for what comes silently, or goes to the archive unseen. */
export const comesRead = ({ muted, silent }: AnnotationDraft): boolean => muted === true || silent === true

/** As it would be read. */
function addedOf({ draft, url, n }: PlacedDraft, id: number): AddedAnnotation {
  const { muted: _, silent: __, ...plain } = draft
  const annotation = {
    ...plain,
    title: storable(plain.title),
    explanation: JSON.parse(JSON.stringify(plain.explanation ?? null)),
    id,
    url,
    n,
    alsoAt: [],
  }
  return { draft, annotation }
}
