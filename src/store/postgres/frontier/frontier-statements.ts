/** Each is about the one partition that is its first value. The functions are in `frontier-functions.ts`. */
export const frontierStatements = {
  offer: `SELECT frontier_offer($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
    $21) AS answer`,
  settle: 'SELECT frontier_settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS answer',
  giveUp: 'SELECT frontier_give_up($1, $2, $3, $4) AS answer',
  next: `SELECT seq, priority, fp::text AS fp, depth, hops, redirects, attempts, url, parent, watch, round, fresh_from, since, first,
    (SELECT host FROM hosts WHERE partition = $1 AND id = $2) AS name
    FROM queue WHERE partition = $1 AND host = $2 AND (priority, seq) > ($3, $4) AND seq <= $5
    ORDER BY priority, seq LIMIT $6`,
  waiting: `SELECT id, host, run, queued, next_at, failures, rests FROM hosts
    WHERE partition = $1 AND queued > 0 AND (next_at, id) > ($2, $3) ORDER BY next_at, id LIMIT $4`,
  arrived: `SELECT q.seq, q.host, priority, fp::text AS fp, depth, hops, redirects, attempts, url, parent, watch, round,
    fresh_from, since, first FROM queue q WHERE partition = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4`,
  hosts: `SELECT id, host, run, queued, next_at, failures, rests FROM hosts WHERE partition = $1 AND id = ANY($2)`,
  robots: 'SELECT kind, text, expires_at FROM robots WHERE partition = $1 AND origin = $2',
  saveRobots: `INSERT INTO robots (partition, origin, kind, text, expires_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (partition, origin) DO UPDATE SET kind = excluded.kind, text = excluded.text, expires_at = excluded.expires_at`,
} as const

/** Asked now and then, of all partitions that a shard holds at once. */
export const frontierReads = {
  facts: 'SELECT partition, run, seq, queued, seen, hosts, waiting, given_up FROM frontiers WHERE partition = ANY($1)',
  /** A partition that is added begins the run, if nobody has offered anything to it yet. */
  beginRun: `UPDATE frontiers SET run = $2, seen = 0, given_up = 0 WHERE partition = ANY($1) AND run < $2
    RETURNING partition, run, seq, queued, seen, hosts, waiting, given_up`,
  watches: `SELECT watch, count(*) AS n FROM queue WHERE partition = ANY($1) AND watch > 0 GROUP BY watch`,
  /** To those who hold these partitions now: there is something new. */
  wake: `SELECT pg_notify('frontier_' || p, '') FROM unnest($1::int[]) AS p`,
} as const
