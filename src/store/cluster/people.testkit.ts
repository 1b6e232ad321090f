import { partitionOf } from '../../core/partition.ts'
import { draftOf } from '../conformance/annotations-suite.testkit.ts'
import type { AnnotationDraft } from '../annotations.ts'
import type { ClusterPool } from './pool.ts'

/** A version that is there, with a task for watch 1. */
export type MadeVersion = { id: number; documentId: number; partition: number; task: number }

/** Versions of new documents, made by hand: `/0`, `/1`, … of the host. */
export async function makeVersions(pool: ClusterPool, host: string, count: number): Promise<MadeVersion[]> {
  const partition = partitionOf(host)
  return pool.query<MadeVersion>(
    `WITH drawn AS MATERIALIZED (
       SELECT n, nextval('ids') * 256 + $1::int AS document, nextval('ids') * 256 + $1::int AS version,
         nextval('ids') * 256 + $1::int AS task FROM generate_series(1, $3::int) AS n
     ), documented AS (
       INSERT INTO documents (partition, id, host, fp, url, parent, first_at, checked_at, run, status, outcome, location,
         version, seen_at, fresh_until, not_modified)
       SELECT $1::int, document, $2::text, document, 'http://' || $2::text || '/' || n, '', 1, 1, 1, 200, 'stored', '',
         version, 1, 0, 0 FROM drawn
     ), versioned AS (
       INSERT INTO versions (partition, id, document, n, reason, at, seen_at, status, type, size, digest, text_rules, etag,
         last_modified, truncated, title, address, location, body, original, record, length, links)
       SELECT $1::int, version, document, 1, 'new', 1, 1, 200, 'text/html', 1, '', 0, '', '', '', '', '', '', 'kept',
         version, 0, 0, 0 FROM drawn
     ), tasked AS (
       INSERT INTO tasks (partition, id, version, document, watch, hops, round, first, made)
       SELECT $1::int, task, version, document, 1, 0, 1, false, true FROM drawn
     )
     SELECT version AS id, document AS "documentId", $1::int AS partition, task FROM drawn ORDER BY n`,
    [partition, host, count],
  )
}

export function draftsOf(versions: readonly MadeVersion[], parts: Partial<AnnotationDraft> = {}): AnnotationDraft[] {
  return versions.map(({ id, documentId }) => draftOf(documentId, id, parts))
}
