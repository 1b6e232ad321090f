import { partitionOf } from '../../../core/url/partition.ts'
import type { AdoptedAnnotation } from '../../contracts/annotations.ts'
import { adoptedDraft, adoptedOutcome, foreignVersion } from '../../rules/adoption.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { byPartition, partitionOfId, storable } from '../connection/row-batch.ts'
import { createHostPlaces } from '../documents/host-places.ts'
import { commitPart, partsOf } from './annotation-commit.ts'
import { addAnnotations, type LocatedDraft } from './annotation-writes.ts'

/**
 * Adds documents first, in separate transactions: a worker that writes to the same partition holds its lease meanwhile, and locks
 * owners before that. If this is interrupted, a document without an annotation does no harm.
 */
export async function adoptAnnotations(
  pool: Pick<PostgresPool, 'transaction' | 'query'>,
  adopted: readonly AdoptedAnnotation[],
): Promise<number> {
  const documents = new Map<string, { id: number; url: string }>()
  const placeOf = await createHostPlaces(pool).of(adopted.map(({ document }) => document.host))
  for (const [place, kept] of byPartition(adopted, ({ document }) => placeOf(document.host)))
    for (const [partition, own] of byPartition(kept, ({ document }) => partitionOf(document.host)))
      for (const [key, found] of await ensureDocuments(pool, { place, partition }, own)) documents.set(key, found)
  return pool.transaction(async (tx) => {
    const located = adopted.map((each) => locatedOf(each, documents.get(keyOf(each))!))
    const fresh = await withoutKnown(tx, located)
    const added = await addAnnotations(tx, fresh, { alsoAt: [], nearDuplicates: [] })
    const alsoAt = new Map(located.map(({ draft, alsoAt }) => [draft, alsoAt]))
    const others = added.flatMap(({ draft, annotation }) =>
      alsoAt.get(draft)!.map(({ version, url }) => ({ id: annotation.id, version, url })),
    )
    await tx.query(addOthers, [
      others.map(({ id }) => id),
      others.map(({ version }) => version),
      others.map(({ url }) => storable(url)),
    ])
    const drafts = added.map(({ draft }) => draft)
    for (const part of partsOf({ done: [], unwanted: [], wanted: [], annotations: drafts }))
      await commitPart(
        tx,
        part,
        added.filter(({ draft }) => part.drafts.includes(draft)),
        null,
      )
    return added.length
  })
}

const addOthers = `INSERT INTO also_at (annotation, version, url)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[]) ON CONFLICT DO NOTHING`

const keyOf = ({ document: { host, fp } }: AdoptedAnnotation): string => `${fp} ${host}`

/** Blocks workers that have looked for these documents and are about to add them, under the lease of their host. */
const lockPartition = 'SELECT 1 FROM leases WHERE partition = $1::smallint FOR UPDATE'

const addDocuments = `INSERT INTO documents (partition, id, host, fp, url, parent, first_at, checked_at, run, status, outcome, location,
    version, seen_at, fresh_until, not_modified)
  SELECT $1::smallint, nextval('ids') * 256 + $1::smallint, g.host, g.fp, g.url, '', g.at, 0, 0, 0, '${adoptedOutcome}', '', 0, 0, 0, 0
  FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[]) AS g (host, fp, url, at)
  ON CONFLICT (partition, host, fp) DO NOTHING`

const findDocuments = `SELECT d.id, d.host, d.fp::text AS fp, d.url FROM unnest($2::text[], $3::bigint[]) AS g (host, fp)
  CROSS JOIN LATERAL (SELECT * FROM documents x WHERE x.partition = $1::smallint AND x.host = g.host AND x.fp = g.fp OFFSET 0) d`

async function ensureDocuments(
  pool: Pick<PostgresPool, 'transaction'>,
  { place, partition }: { place: number; partition: number },
  adopted: readonly AdoptedAnnotation[],
): Promise<Map<string, { id: number; url: string }>> {
  const own = [...new Map(adopted.map((each) => [keyOf(each), each])).values()]
  const keys = [own.map(({ document }) => storable(document.host)), own.map(({ document }) => document.fp)]
  return pool.transaction(async (tx) => {
    await tx.query(lockPartition, [partition])
    const urls = own.map(({ document }) => storable(document.url))
    await tx.query(addDocuments, [place, ...keys, urls, own.map(({ draft }) => draft.at)])
    const rows = await tx.query<{ id: number; host: string; fp: string; url: string }>(findDocuments, [place, ...keys])
    return new Map(rows.map(({ id, host, fp, url }) => [`${fp} ${host}`, { id, url }]))
  })
}

type Located = LocatedDraft & { alsoAt: { version: number; url: string }[] }

function locatedOf(adopted: AdoptedAnnotation, { id, url }: { id: number; url: string }): Located {
  const partition = partitionOfId(id)
  const foreign = (place: number): number => (foreignVersion(adopted) + place) * 256 + partition
  const { version } = adopted
  return {
    draft: adoptedDraft(adopted, id, version?.id ?? foreign(0)),
    url,
    n: version?.n ?? 0,
    alsoAt: adopted.alsoAt.map((other, place) => ({ version: foreign(place), url: other })),
  }
}

const known = `SELECT g.place::int AS place
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
    WITH ORDINALITY AS g (document, profile, owner, at, kind, entry, place)
  WHERE EXISTS (SELECT 1 FROM annotations a WHERE a.document = g.document AND a.profile = g.profile AND a.owner = g.owner
    AND a.at = g.at AND a.kind = g.kind AND a.entry = g.entry)`

async function withoutKnown(tx: Tx, located: readonly Located[]): Promise<Located[]> {
  const rows = await tx.query<{ place: number }>(known, [
    located.map(({ draft }) => draft.documentId),
    located.map(({ draft }) => storable(draft.profile)),
    located.map(({ draft }) => storable(draft.owner)),
    located.map(({ draft }) => draft.at),
    located.map(({ draft }) => draft.kind),
    located.map(({ draft }) => storable(draft.entry)),
  ])
  const places = new Set(rows.map(({ place }) => place))
  const met = new Set<string>()
  return located.filter(({ draft: { documentId, profile, owner, at, kind, entry } }, index) => {
    const key = JSON.stringify([documentId, profile, owner, at, kind, entry])
    if (places.has(index + 1) || met.has(key)) return false
    met.add(key)
    return true
  })
}
