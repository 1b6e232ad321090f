import { noCheck, type Offer, type QueuedRequest, queuedRequest } from '../../../core/request.ts'
import type { FrontierCounts, HostState } from '../../contracts/frontier.ts'
import { LAST_PRIORITY, risesOf } from '../../rules/offers.ts'

/** A partition's row of `frontiers`. */
export type FrontierFacts = {
  partition: number
  run: number
  seq: number
  queued: number
  seen: number
  hosts: number
  waiting: number
  given_up: number
}

/** A host as returned by the SQL functions. */
export type HostTuple = [id: number, host: string, queued: number, nextAt: number, failures: number, rests: number]

export type HostRow = {
  id: number
  host: string
  run: number
  queued: number
  next_at: number
  failures: number
  rests: number
}

export type QueueRow = Record<
  | 'seq'
  | 'priority'
  | 'depth'
  | 'hops'
  | 'redirects'
  | 'attempts'
  | 'watch'
  | 'round'
  | 'fresh_from'
  | 'since'
  | 'rises',
  number
> & { fp: string; url: string; parent: string; first: boolean }

export type OfferAnswer = {
  before: number
  facts: FrontierFacts
  offered: { accepted: number[]; limited: number[]; hosts: HostTuple[] }
}

export type CompletionAnswer = {
  before: number
  facts: FrontierFacts
  gone: number
  watches: [watch: number, count: number][]
  moved: [was: number, seq: number][]
  hosts: HostTuple[]
}

export type GiveUpAnswer = Pick<CompletionAnswer, 'before' | 'facts' | 'gone' | 'watches'>

export function stateOfTuple([id, host, queued, nextAt, failures, rests]: HostTuple): HostState {
  return { id, host, queued, nextAt, failures, rests }
}

/** Failures are counted per run; only the politeness clock (`nextAt`) carries over. */
export function stateOfRow(row: HostRow, run: number): HostState {
  const isCurrent = row.run >= run
  return {
    id: row.id,
    host: row.host,
    queued: row.queued,
    nextAt: row.next_at,
    failures: isCurrent ? row.failures : 0,
    rests: isCurrent ? row.rests : 0,
  }
}

export function requestOfRow(row: QueueRow, hostId: number, host: string): QueuedRequest {
  const { watch, round, fresh_from: freshFrom, since, first } = row
  const { url, parent, priority, depth, hops, redirects, seq, attempts } = row
  const check = watch === 0 ? noCheck : { watch, round, freshFrom, since, first }
  const offer: Offer = { url, host, fp: BigInt(row.fp), parent, depth, hops, redirects, priority, check }
  const rises = risesOf(row.rises)
  if (rises !== undefined) offer.rises = rises
  return queuedRequest(offer, { hostId, seq, attempts })
}

export function addFacts(counts: FrontierCounts, facts: FrontierFacts, run: number): void {
  const isCurrent = facts.run >= run
  counts.queued += facts.queued
  counts.hosts += facts.hosts
  if (!isCurrent) return
  counts.seen += facts.seen
  counts.givenUp += facts.given_up
}

/** Each works on one partition, its first value. The functions are in `frontier-functions.ts`. */
export const frontierStatements = {
  offer: `SELECT frontier_offer($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
    $21) AS answer`,
  /** Marks new rows ($3) and raises the priority of those queued before. */
  raise: `WITH locked AS (
      SELECT partition FROM frontiers WHERE partition = $1 FOR NO KEY UPDATE
    ), marked AS (
      UPDATE queue SET rises = $2 WHERE partition = (SELECT partition FROM locked) AND seq = ANY($3::bigint[])
    ), given AS (
      SELECT h.id, o.fp, o.priority FROM unnest($4::text[], $5::bigint[], $6::bigint[]) AS o (host, fp, priority)
      JOIN LATERAL (SELECT id FROM hosts WHERE partition = $1 AND hosts.host = o.host LIMIT 1) h ON true
    )
    UPDATE queue q SET priority = greatest(${-LAST_PRIORITY},
      CASE WHEN $2 = 1 THEN q.priority + g.priority ELSE least(q.priority, g.priority) END)
    FROM given g WHERE q.partition = $1 AND q.host = g.id AND q.fp = g.fp AND q.rises > 0
    RETURNING q.seq, q.host, q.priority, q.fp::text AS fp, depth, hops, redirects, attempts, url, parent, watch, round,
      fresh_from, since, first, rises`,
  settle: 'SELECT frontier_settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS answer',
  /** For distributed tables, after the fence in the same transaction. */
  complete: 'SELECT frontier_complete($1, $2, $3, $4, $5, $6, $7, $8, $9) AS answer',
  giveUp: 'SELECT frontier_give_up($1, $2, $3, $4) AS answer',
  next: `SELECT seq, priority, fp::text AS fp, depth, hops, redirects, attempts, url, parent, watch, round, fresh_from, since, first,
    rises,
    (SELECT host FROM hosts WHERE partition = $1 AND id = $2) AS name
    FROM queue WHERE partition = $1 AND host = $2 AND (priority, seq) > ($3, $4) AND seq <= $5
    ORDER BY priority, seq LIMIT $6`,
  waiting: `SELECT id, host, run, queued, next_at, failures, rests FROM hosts
    WHERE partition = $1 AND queued > 0 AND (next_at, id) > ($2, $3) ORDER BY next_at, id LIMIT $4`,
  arrived: `SELECT q.seq, q.host, priority, fp::text AS fp, depth, hops, redirects, attempts, url, parent, watch, round,
    fresh_from, since, first, rises FROM queue q WHERE partition = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4`,
  hosts: `SELECT id, host, run, queued, next_at, failures, rests FROM hosts WHERE partition = $1 AND id = ANY($2)`,
  tables: 'SELECT kind, expires_at AS "expiresAt" FROM host_tables WHERE partition = $1 AND origin = $2',
  saveTables: `INSERT INTO host_tables (partition, origin, kind, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (partition, origin) DO UPDATE SET kind = excluded.kind, expires_at = excluded.expires_at`,
  robots: 'SELECT kind, body, expires_at FROM robots WHERE partition = $1 AND origin = $2',
  saveRobots: `INSERT INTO robots (partition, origin, kind, body, expires_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (partition, origin) DO UPDATE SET kind = excluded.kind, body = excluded.body, expires_at = excluded.expires_at`,
} as const

/** Infrequent queries over all partitions of a shard at once. */
export const frontierReads = {
  facts: 'SELECT partition, run, seq, queued, seen, hosts, waiting, given_up FROM frontiers WHERE partition = ANY($1)',
  /** Begins the run in partitions just added, unless an offer already did. */
  beginRun: `UPDATE frontiers SET run = $2, seen = 0, given_up = 0 WHERE partition = ANY($1) AND run < $2
    RETURNING partition, run, seq, queued, seen, hosts, waiting, given_up`,
  watches: `SELECT watch, count(*) AS n FROM queue WHERE partition = ANY($1) AND watch > 0 GROUP BY watch`,
  /** Notifies the current holders of these partitions that something is new. */
  wake: `SELECT pg_notify('frontier_' || p, '') FROM unnest($1::int[]) AS p`,
} as const
