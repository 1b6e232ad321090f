import type { Annotation, AnnotationBatch, AnnotationDraft } from '../../contracts/annotations.ts'
import { comesRead } from '../../rules/inbox.ts'
import type { Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { addedPages } from '../inbox/inbox-pages.ts'
import { wordsVector } from '../inbox/inbox-words.ts'
import { draftColumns, draftValues, fieldsOf } from './annotation-rows.ts'
import { nearDuplicateStatements } from './near-duplicate-statements.ts'

/** The channel that announces new annotations when their transaction is committed. */
export const annotationChannel = 'annotations'

/** A payload has at most 8,000 bytes. Beyond this many ids it is empty. */
export const MAX_ANNOUNCED_IDS = 400

/** A draft with the URL and the number of its version. */
export type LocatedDraft = { draft: AnnotationDraft; url: string; n: number }
export type AddedAnnotation = { draft: AnnotationDraft; annotation: Annotation }

const annotationParameters = [...draftColumns, ['url', 'text']] as const
const names = annotationParameters.map(([name]) => name)
const parameter = (n: number, type: string): string => `$${n}::${type}[]`
const draftParameters = [
  ...annotationParameters,
  ['read', 'boolean'],
  ['archived', 'boolean'],
  ['words', 'text'],
] as const
const rest = draftParameters.length
const alsoAtTypes = ['bigint', 'bigint', 'bigint', 'text', 'text']
const textTypes = ['bigint', 'bigint', 'text', 'bigint', 'bigint', 'text', 'text']
const parametersOf = (types: readonly string[], before: number): string =>
  types.map((type, n) => parameter(before + n + 1, type)).join(', ')

/**
 * Ids are assigned after the owners are locked (the condition can't be evaluated before), in the order of the drafts. Existing
 * annotations are skipped, with their counts and words.
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
  ON CONFLICT (version, owner, profile, entry) DO NOTHING RETURNING id, owner, profile, version, entry
), fresh AS MATERIALIZED (
  SELECT added.id, given.* FROM added JOIN given USING (version, owner, profile, entry)
), boxed AS (
  INSERT INTO inbox (id, owner, profile, document, entry, version, at, urgency, read, starred, archived)
  SELECT id, owner, profile, document, entry, version, at, urgency, read, false, archived FROM fresh
), ${addedPages}, counted AS (
  INSERT INTO inbox_counts AS c (owner, profile, unread, shown, starred, archived)
  SELECT owner, profile, count(*) FILTER (WHERE NOT read), count(*) FILTER (WHERE NOT archived), 0,
    count(*) FILTER (WHERE archived) FROM fresh GROUP BY owner, profile
  ON CONFLICT (owner, profile) DO UPDATE SET unread = c.unread + excluded.unread, shown = c.shown + excluded.shown,
    archived = c.archived + excluded.archived
), spelled AS (
  INSERT INTO inbox_words (annotation, words) SELECT id, words::tsvector FROM fresh
), met AS (
  INSERT INTO also_at (annotation, version, document, url, draft)
  SELECT * FROM unnest(${parametersOf(alsoAtTypes, rest)}) ON CONFLICT DO NOTHING
), remembered AS (
  INSERT INTO stories (version, document, host, at, story, bands, sketch)
  SELECT g.version, g.document, g.host, g.at, g.story, g.bands, decode(g.sketch, 'base64')
  FROM unnest(${parametersOf(textTypes, rest + alsoAtTypes.length)}) AS g (version, document, host, at, story, bands, sketch)
  ON CONFLICT DO NOTHING RETURNING version, bands
), banded AS (
  INSERT INTO story_bands (band, version)
  SELECT b.band::bigint, r.version FROM remembered r, jsonb_array_elements_text(r.bands::jsonb) AS b (band)
  ON CONFLICT DO NOTHING
), announced AS MATERIALIZED (
  SELECT pg_notify('${annotationChannel}',
    CASE WHEN count(*) > ${MAX_ANNOUNCED_IDS} THEN '' ELSE string_agg(id::text, ',' ORDER BY id) END)
  FROM fresh HAVING count(*) > 0
)
SELECT id, place::int AS place FROM fresh CROSS JOIN announced ORDER BY place`

const sendStatement = `INSERT INTO outbox (annotation, channel, created_at)
  SELECT annotation, channel, at FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS s (annotation, channel, at)
  ON CONFLICT DO NOTHING`

/** Returns the new annotations, in the order of the drafts. */
export async function addAnnotations(
  tx: Tx,
  located: readonly LocatedDraft[],
  { alsoAt, nearDuplicates }: Pick<AnnotationBatch, 'alsoAt' | 'nearDuplicates'>,
): Promise<AddedAnnotation[]> {
  const drafts = eachOnce(located)
  const rows = drafts.map(rowOf)
  const columns = draftParameters.map(([name]) => rows.map((row) => row[name]))
  const added = await tx.query<{ id: number; place: number }>(addStatement, [
    ...columns,
    alsoAt.map(({ annotation }) => annotation),
    alsoAt.map(({ versionId }) => versionId),
    alsoAt.map(({ documentId }) => documentId),
    alsoAt.map(({ url }) => storable(url)),
    alsoAt.map(({ draft }) => JSON.stringify(draft)),
    nearDuplicates.map(({ versionId }) => versionId),
    nearDuplicates.map(({ documentId }) => documentId),
    nearDuplicates.map(({ host }) => storable(host)),
    nearDuplicates.map(({ at }) => at),
    nearDuplicates.map(({ cluster }) => cluster),
    nearDuplicates.map(({ bands }) => JSON.stringify(bands)),
    nearDuplicates.map(({ sketch }) => Buffer.from(sketch).toString('base64')),
  ])
  for (const { at } of nearDuplicates) tx.send(nearDuplicateStatements.forgetOld, [at])
  const all = added.map(({ id, place }) => addedOf(drafts[place - 1]!, id))
  const sent = all.flatMap(({ draft, annotation }) =>
    (draft.channels ?? []).map((channel) => ({ id: annotation.id, channel: storable(channel), at: draft.at })),
  )
  if (sent.length > 0)
    tx.send(sendStatement, [sent.map(({ id }) => id), sent.map(({ channel }) => channel), sent.map(({ at }) => at)])
  return all
}

/** Keeps the first draft per owner, profile, version and entry. */
function eachOnce(located: readonly LocatedDraft[]): LocatedDraft[] {
  const met = new Set<string>()
  return located.filter(({ draft: { owner, profile, versionId, entry } }) => {
    const key = JSON.stringify([versionId, owner, profile, entry])
    const isNew = !met.has(key)
    met.add(key)
    return isNew
  })
}

function rowOf({ draft, url }: LocatedDraft): Record<string, unknown> {
  const row = draftValues(draft)
  const { owner, title } = row as { owner: string; title: string }
  const words = wordsVector({ owner, title, text: storable(draft.summary.text), url })
  return { ...row, url, read: comesRead(draft), archived: draft.muted === true, words }
}

/** The annotation as a read would return it. */
function addedOf({ draft, url, n }: LocatedDraft, id: number): AddedAnnotation {
  const annotation = { ...fieldsOf(draft), id, url, n, alsoAt: [] }
  return { draft, annotation }
}

/** The ids in a payload; null if there were too many. */
export function readAnnotationEvents(payload: string): number[] | null {
  if (!/^\d{1,16}(,\d{1,16})*$/.test(payload)) return null
  return payload.split(',').map(Number)
}
