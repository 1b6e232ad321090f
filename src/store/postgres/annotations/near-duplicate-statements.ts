import { type StoredText, storyLimits } from '../../contracts/stories.ts'
import type { Sender } from '../connection/pool.ts'
import { numberArray, storable } from '../connection/row-batch.ts'

export const nearDuplicateStatements = {
  lock: 'SELECT pg_advisory_xact_lock($1::int, key) FROM unnest($2::int[]) AS key',
  inBands: `SELECT t.host, t.story AS cluster, t.sketch FROM (
      SELECT m.version, count(*) AS common FROM unnest($1::bigint[]) AS g (band)
      CROSS JOIN LATERAL (SELECT b.version FROM story_bands b WHERE b.band = g.band
        ORDER BY b.version DESC LIMIT ${storyLimits.ofBand}) m
      GROUP BY m.version ORDER BY common DESC, m.version DESC LIMIT ${storyLimits.candidates}
    ) near CROSS JOIN LATERAL (SELECT * FROM stories s WHERE s.version = near.version LIMIT 1) t
    ORDER BY near.common DESC, near.version DESC`,
  ofHost: `SELECT host, story AS cluster, sketch FROM stories WHERE host = $1 AND document <> $2
    ORDER BY n DESC LIMIT ${storyLimits.pagesOfHost}`,
  /** Deletes texts beyond the limits, a few at a time, but more than are added. Skips rows locked by another transaction. */
  forgetOld: `WITH oldest AS MATERIALIZED (
      SELECT version, n, at FROM stories ORDER BY n LIMIT ${storyLimits.leaving} FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM stories s USING oldest o WHERE s.version = o.version
      AND (o.at < $1::bigint - ${storyLimits.maxAgeMs} OR o.n <= (SELECT max(n) FROM stories) - ${storyLimits.texts})
      RETURNING s.version, s.bands
    )
    DELETE FROM story_bands b USING gone, jsonb_array_elements_text(gone.bands::jsonb) AS g (band)
    WHERE b.band = g.band::bigint AND b.version = gone.version`,
}

export function textsInBands(sender: Sender, bands: readonly number[]): Promise<StoredText[]> {
  return sender.query<StoredText>(nearDuplicateStatements.inBands, [numberArray(bands)])
}

export function textsOfHost(sender: Sender, host: string, documentId: number): Promise<StoredText[]> {
  return sender.query<StoredText>(nearDuplicateStatements.ofHost, [storable(host), documentId])
}
