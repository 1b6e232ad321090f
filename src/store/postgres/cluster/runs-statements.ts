const columns = 'id, started_at, finished_at, revision'

/** A node of the run that gave a sign in the last `$n` milliseconds. */
const isLive = (parameter: string): string => `n.seen_at > now() - ${parameter} * interval '1 ms'`

export const runStatements = {
  // At most one run is unfinished: whoever comes second finds that of the first.
  begin: `INSERT INTO runs (id, started_at) SELECT coalesce(max(id), 0) + 1, $1 FROM runs
    ON CONFLICT DO NOTHING RETURNING ${columns}`,
  finish: 'UPDATE runs SET finished_at = $2 WHERE id = $1 AND finished_at IS NULL',
  last: `SELECT ${columns} FROM runs ORDER BY id DESC LIMIT 1`,
  current: 'SELECT id, revision FROM runs WHERE finished_at IS NULL AND settings IS NOT NULL',
  settings: 'SELECT settings FROM runs WHERE id = $1',
  isFinished: 'SELECT 1 FROM runs WHERE id = $1 AND finished_at IS NOT NULL',
  lock: `SELECT ${columns}, settings FROM runs WHERE id = $1 AND finished_at IS NULL FOR UPDATE`,
  others: `SELECT 1 FROM run_figures f JOIN nodes n ON n.id = f.node
    WHERE f.run = $1 AND f.node <> $2 AND n.role = 'crawl' AND NOT f.final AND ${isLive('$3')} LIMIT 1`,
  /** Whoever goes on with a run may fetch as many pages as it says, beside those that were fetched. */
  change: `UPDATE runs SET settings = $2::jsonb, revision = revision + 1,
    max_pages = CASE WHEN $3::boolean THEN max_pages ELSE taken + $4::bigint END
    WHERE id = $1 AND (settings IS DISTINCT FROM $2::jsonb OR NOT ($3::boolean OR $4::bigint IS NULL)) RETURNING id`,
  seed: `INSERT INTO run_figures (run, node, figures, final, seeding) VALUES ($1, $2, '{}', false, $3)
    ON CONFLICT (run, node) DO UPDATE SET seeding = excluded.seeding`,
  /** Requests of watches are no part of a run. */
  close: `UPDATE runs SET finished_at = $2 WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM run_figures f JOIN nodes n ON n.id = f.node WHERE f.run = $1 AND f.seeding AND ${isLive('$3')})
    AND ((SELECT coalesce(sum(queued), 0) = 0 FROM frontiers) OR NOT EXISTS (SELECT 1 FROM queue WHERE watch = 0))
    RETURNING id`,
  put: `INSERT INTO run_figures (run, node, figures, pages, final) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (run, node) DO UPDATE SET figures = excluded.figures, pages = excluded.pages, final = excluded.final`,
  shares: `SELECT f.node, f.figures AS stats, f.pages, f.final, coalesce(${isLive('$2')}, false) AS live
    FROM run_figures f LEFT JOIN nodes n ON n.id = f.node WHERE f.run = $1`,
  /** By itself: what follows sees what was committed while it waited. */
  lockPages: 'SELECT 1 FROM runs WHERE id = $1 FOR UPDATE',
  left: `SELECT r.max_pages - r.taken + f.taken - $3::bigint AS pages,
      (SELECT count(*) FROM run_figures WHERE run = $1 AND NOT final) AS nodes
    FROM runs r JOIN run_figures f ON f.run = r.id WHERE r.id = $1 AND f.node = $2 AND r.finished_at IS NULL`,
  hold: `WITH was AS (SELECT taken FROM run_figures WHERE run = $1 AND node = $2),
      counted AS (UPDATE runs SET taken = greatest(0, runs.taken + $3::bigint - was.taken) FROM was WHERE id = $1)
    UPDATE run_figures SET taken = $3::bigint, pages = greatest(0, pages + $3::bigint - was.taken) FROM was
    WHERE run = $1 AND node = $2`,
  pages: 'SELECT max_pages AS limit, taken FROM runs WHERE id = $1',
} as const
