import { isAppError } from '../../../core/errors.ts'
import type { PassedOver } from '../../../core/reports/search-report.ts'
import type { SearchQuery } from '../../../core/search-query/query.ts'
import type { AddOutcome, FoundPage, Hit, HitPage, IndexBatch, SearchIndex } from '../../contracts/search.ts'
import { type KeptCheck, MAX_RANKED, pageOf } from '../../rules/search-page.ts'
import { siteWords } from '../../rules/site-words.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'
import { findMarks, matchExpression, rankExpression } from './search-expression.ts'
import { wordVector } from './search-words.ts'

export type PostgresSearchOptions = {
  pool: PostgresPool
  kept: KeptCheck
}

/** Weights of `ts_rank` (D, C, B, A): a word in the text counts an eighth of one in the title; sites don't count. */
const WEIGHTS = '{0.125, 0, 0, 1}'
/** Normalisation of `ts_rank`: divides by the logarithm of the length. */
const BY_LENGTH = 1

export const searchStatements = {
  facts: 'SELECT name, value FROM search_facts',
  lock: `SELECT value FROM search_facts WHERE name = 'watermark' FOR UPDATE`,
  addFacts: `UPDATE search_facts f SET value = CASE WHEN f.name = 'watermark' THEN r.value ELSE f.value + r.value END
    FROM unnest($1::text[], $2::bigint[]) AS r(name, value) WHERE f.name = r.name`,
  add: `INSERT INTO version_texts (partition, version, document, host, at, words)
    SELECT r.partition, r.version, r.document, r.host, r.at, r.words::tsvector
    FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])
      AS r(partition, version, document, host, at, words)
    ON CONFLICT (partition, version) DO UPDATE SET document = excluded.document, host = excluded.host, at = excluded.at,
      words = excluded.words`,
  remove: `DELETE FROM version_texts WHERE partition = ANY($1::smallint[]) AND version = ANY($2::bigint[]) RETURNING version`,
  /** The newest matching versions, ranked; one more than the limit, to know whether there are others. */
  query: `WITH matching AS MATERIALIZED (
      SELECT partition, version, document FROM version_texts
      WHERE words @@ $1::tsquery AND ($2::bigint IS NULL OR at < $2::bigint) AND ($3::bigint IS NULL OR at >= $3::bigint)
      ORDER BY version DESC LIMIT ${MAX_RANKED + 1})
    SELECT m.version AS "versionId", m.document AS "documentId",
      CASE WHEN $4::tsquery IS NULL THEN 0
        ELSE ts_rank('${WEIGHTS}', t.words, $4::tsquery, ${BY_LENGTH}) END AS score
    FROM matching m JOIN version_texts t ON t.partition = m.partition AND t.version = m.version ORDER BY m.version DESC`,
  clear: `UPDATE search_facts SET value = 0`,
  kept: `SELECT id FROM versions WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[]) AND body = 'kept'`,
}

/** Tells which versions the catalogue keeps with their bodies. */
export function createKeptCheck(pool: PostgresPool): KeptCheck {
  return async (ids) => {
    const rows = await pool.query<{ id: number }>(searchStatements.kept, [ids.map(partitionOfId), ids])
    return new Set(rows.map(({ id }) => id))
  }
}

/** Deletes the index. A process that is adding to it finds itself overtaken, and starts over from the first version. */
export async function removeSearchIndex(pool: PostgresPool): Promise<void> {
  await pool.transaction(async (tx) => {
    await tx.query(searchStatements.lock)
    await tx.query('TRUNCATE version_texts')
    await tx.query(searchStatements.clear)
  })
}

/**
 * Full-text index in the same database. It is built from `VersionStore.versions`, which lists no version while one with a lower id may
 * still appear; so the watermark skips none.
 */
export function createPostgresSearchIndex({ pool, kept }: PostgresSearchOptions): SearchIndex {
  async function facts(): Promise<Map<string, number>> {
    const rows = await pool.query<{ name: string; value: number }>(searchStatements.facts)
    return new Map(rows.map(({ name, value }) => [name, value]))
  }

  async function query(asked: SearchQuery, page: HitPage): Promise<FoundPage> {
    const values = [matchExpression(asked), asked.beforeMs, asked.afterMs, rankExpression(asked)]
    return pageOf(await pool.query<Hit>(searchStatements.query, values), page, kept)
  }

  return {
    watermark: async () => (await facts()).get('watermark') ?? 0,
    async add(batch, maxWaitMs) {
      if (maxWaitMs === undefined) return pool.transaction((tx) => add(tx, batch))
      try {
        return await pool.transaction(async (tx) => {
          // 0 would mean no limit.
          await tx.query(`SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(maxWaitMs))}`)
          return add(tx, batch)
        })
      } catch (error) {
        if (isAppError(error, 'store-busy')) return { kind: 'busy' }
        throw error
      }
    },
    async remove(versionIds) {
      if (versionIds.length === 0) return 0
      return pool.transaction(async (tx) => {
        // Serialised with `add`.
        await tx.query(searchStatements.lock)
        const values = [[...new Set(versionIds.map(partitionOfId))], versionIds]
        const removed = await tx.query(searchStatements.remove, values)
        await tx.query(searchStatements.addFacts, [['versions'], [-removed.length]])
        return removed.length
      })
    },
    query,
    marks: async (asked, texts) => findMarks(asked, texts),
    async counts() {
      const known = await facts()
      const count = (name: string): number => known.get(name) ?? 0
      const passedOver = { textless: count('textless'), bodiless: count('bodiless'), damaged: count('damaged') }
      return { versions: count('versions'), passedOver }
    },
    close: async () => {},
  }
}

async function add(tx: Tx, { after, upTo, texts, passedOver }: IndexBatch): Promise<AddOutcome> {
  const [row] = await tx.query<{ value: number }>(searchStatements.lock)
  const stands = row?.value ?? 0
  if (stands !== after) return { kind: 'overtaken', watermark: stands }
  if (texts.length > 0)
    await tx.query(searchStatements.add, [
      texts.map(({ versionId }) => partitionOfId(versionId)),
      texts.map(({ versionId }) => versionId),
      texts.map(({ documentId }) => documentId),
      texts.map(({ host }) => storable(host)),
      texts.map(({ at }) => at),
      texts.map(({ title, text, host }) => wordVector({ title, text, site: siteWords(host) })),
    ])
  const names = Object.keys(passedOver) as PassedOver[]
  await tx.query(searchStatements.addFacts, [
    ['watermark', 'versions', ...names],
    [upTo, texts.length, ...names.map((name) => passedOver[name])],
  ])
  return { kind: 'added' }
}
