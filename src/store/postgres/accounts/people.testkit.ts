import pg from 'pg'
import { partitionOf } from '../../../core/url/partition.ts'
import { draftOf } from '../../conformance/annotations-suite.testkit.ts'
import type { AnnotationDraft } from '../../contracts/annotations.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { countedPages, pageCounts } from '../inbox/inbox-pages.ts'

/** An existing version, with a task for watch 1. */
export type MadeVersion = { id: number; documentId: number; partition: number; task: number }

/** Inserts versions of new documents of the host directly: `/1`, `/2`, …. */
export async function makeVersions(pool: PostgresPool, host: string, count: number): Promise<MadeVersion[]> {
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

/**
 * Inserts very many annotations at once, as if they had been committed: equal shares for all `owners`, three profiles each. Every fourth
 * annotation is unread, every seventh archived, every fiftieth starred. Each has the words `common` and `nK`, every thousandth `rare`.
 */
export async function fillInboxes(pool: PostgresPool, owners: readonly string[], count: number): Promise<void> {
  const version = `(1000000 + n) * 256 + n % 256`
  const document = `(1000000 + n - n % 3) * 256 + n % 256`
  await pool.query(
    `WITH drawn AS MATERIALIZED (
       SELECT n, ($1::text[])[1 + n % cardinality($1::text[])] AS owner, ${version} AS version, ${document} AS document
       FROM generate_series(1, $2::int) AS n
     ), told AS (
       INSERT INTO annotations (owner, profile, document, version, kind, at, relevance, urgency, expires_at, backlog, title,
         format, extension, size, summary, explanation, story, url)
       SELECT owner, owner || '-' || n % 3, document, version, 'new', n, 1, n % 5, 0, false, 'Title ' || n, 'html', '', 1,
         '{"text":"common","marks":[]}', '{}', 0, 'http://www.one.example/' || n FROM drawn ORDER BY n
       RETURNING id, owner, profile, document, version, at, urgency
     ), spelled AS (
       INSERT INTO inbox_words (annotation, words)
       SELECT id, ('''@' || owner || ''' ''.one.example'' title:1A common:3000 n' || at % 5000 || ':3001'
         || CASE WHEN at % 1000 = 0 THEN ' rare:3002' ELSE '' END)::tsvector FROM told
     )
     INSERT INTO inbox (id, owner, profile, document, version, at, urgency, read, starred, archived)
     SELECT id, owner, profile, document, version, at, urgency, at % 4 <> 0, at % 50 = 0, at % 7 = 0 FROM told`,
    [owners, count],
  )
  await pool.query(
    `INSERT INTO inbox_counts (owner, profile, unread, shown, starred, archived)
     SELECT owner, profile, count(*) FILTER (WHERE NOT read AND NOT archived), count(*) FILTER (WHERE NOT archived),
       count(*) FILTER (WHERE starred), count(*) FILTER (WHERE archived) FROM inbox GROUP BY owner, profile`,
  )
  await pool.query(countedPages)
  await pool.query(pageCounts)
  await pool.query('INSERT INTO inbox_owners SELECT DISTINCT owner FROM inbox')
  for (const table of [
    'annotations',
    'inbox',
    'inbox_words',
    'inbox_counts',
    'inbox_pages',
    'inbox_page_counts',
    'also_at',
  ])
    await pool.query(`VACUUM (ANALYZE) ${table}`)
}

/** Resolves when `count` connections to this database wait for a lock. */
export async function untilWaiting(pool: PostgresPool, count: number): Promise<void> {
  for (let waiting = 0; waiting < count; ) {
    const [row] = await pool.query<{ n: number }>(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    waiting = row!.n
  }
}

/** Records every statement sent, with its last values. */
export function listening(pool: PostgresPool): PostgresPool & { take(): Map<string, readonly unknown[]> } {
  let heard = new Map<string, readonly unknown[]>()
  return {
    ...pool,
    query(text, values = []) {
      heard.set(text, values)
      return pool.query(text, values)
    },
    take() {
      const taken = heard
      heard = new Map()
      return taken
    },
  }
}

export type Plan = {
  /** Tables that are read, with the index used; null for none. */
  scans: { table: string; index: string | null }[]
  /** Tables whose rows are sorted without a limit of one page. */
  sorted: string[]
}

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

/** The generic plan of a statement, made without its values, as used for frequent statements. */
export async function planOf(pool: PostgresPool, sql: string, values: readonly unknown[]): Promise<Plan> {
  const client = await pool.connection()
  try {
    // Nearly empty tables would always be scanned sequentially.
    await client.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE explained AS ${sql}`)
    const given = values.length === 0 ? '' : `(${values.map(literalOf).join(', ')})`
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE explained ${given}`)
    return readPlan(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    client.release(true)
  }
}

function readPlan(root: PlanNode): Plan {
  const plan: Plan = { scans: [], sorted: [] }
  const visit = (node: PlanNode, isSorted: boolean, index: string | null): void => {
    const table = node['Relation Name']
    const by = node['Index Name'] ?? index
    if (table !== undefined) plan.scans.push({ table, index: by })
    if (table !== undefined && isSorted) plan.sorted.push(table)
    // The index of a bitmap scan is in its child node. Below a limit there is no more than a page.
    const below = (node.Plans ?? []).find((child) => child['Index Name'] !== undefined)?.['Index Name'] ?? null
    const sorts = node['Node Type'] === 'Sort' || (isSorted && node['Node Type'] !== 'Limit')
    if (node['Node Type'] === 'Bitmap Heap Scan' && table !== undefined) plan.scans.at(-1)!.index = below
    for (const child of node.Plans ?? []) visit(child, sorts, null)
  }
  visit(root, false, null)
  return plan
}

function literalOf(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((each) => JSON.stringify(each)).join(',')}}`)
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value))
}
