import type { ClusterRunStore, JoinedRun, LiveShare, RunMark, SharedSettings } from '../../contracts/cluster/runs.ts'
import { runsChannel } from '../../contracts/cluster/runs.ts'
import type { Run } from '../../contracts/runs.ts'
import { createCitusQuestion } from '../connection/citus-extension.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'

const columns = 'id, started_at, finished_at, revision'

/** Whether a node `n` sent a heartbeat in the last `parameter` milliseconds. */
const isLive = (parameter: string): string => `n.seen_at > now() - ${parameter} * interval '1 ms'`

const runStatements = {
  // At most one run is unfinished: a second node finds the run of the first.
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
  /** Continuing a run allows as many additional pages as its settings say. */
  change: `UPDATE runs SET settings = $2::jsonb, revision = revision + 1,
    max_pages = CASE WHEN $3::boolean THEN max_pages ELSE taken + $4::bigint END
    WHERE id = $1 AND (settings IS DISTINCT FROM $2::jsonb OR NOT ($3::boolean OR $4::bigint IS NULL)) RETURNING id`,
  seed: `INSERT INTO run_figures (run, node, figures, final, seeding) VALUES ($1, $2, '{}', false, $3)
    ON CONFLICT (run, node) DO UPDATE SET seeding = excluded.seeding`,
  /** Requests of watches don't belong to a run. */
  close: `UPDATE runs SET finished_at = $2 WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM run_figures f JOIN nodes n ON n.id = f.node WHERE f.run = $1 AND f.seeding AND ${isLive('$3')})
    AND ((SELECT coalesce(sum(queued), 0) = 0 FROM frontiers) OR NOT EXISTS (SELECT 1 FROM queue WHERE watch = 0))
    RETURNING id`,
  /** `seq` grows with every request queued. */
  queued: 'SELECT coalesce(sum(queued), 0)::bigint AS queued, coalesce(sum(seq), 0)::bigint AS seq FROM frontiers',
  ofRun: 'SELECT 1 FROM queue WHERE watch = 0 LIMIT 1',
  put: `INSERT INTO run_figures (run, node, figures, pages, final) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (run, node) DO UPDATE SET figures = excluded.figures, pages = excluded.pages, final = excluded.final`,
  shares: `SELECT f.node, f.figures AS stats, f.pages, f.final, coalesce(${isLive('$2')}, false) AS live
    FROM run_figures f LEFT JOIN nodes n ON n.id = f.node WHERE f.run = $1`,
  /** A separate statement, so that the next one sees what was committed while this one waited for the lock. */
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

const statements = runStatements

type Row = { id: number; started_at: number; finished_at: number | null; revision: number }

/** One run at a time for the whole cluster. */
export function createPostgresRuns(pool: PostgresPool): ClusterRunStore {
  async function last(): Promise<Run | null> {
    const [row] = await pool.query<Row>(statements.last)
    return row === undefined ? null : runOf(row, true)
  }

  async function begin(at: number): Promise<Run> {
    for (;;) {
      const previous = await last()
      if (previous !== null && previous.finishedAt === null) return previous
      const [row] = await pool.query<Row>(statements.begin, [at])
      if (row !== undefined) return runOf(row, false)
    }
  }

  const isSpread = createCitusQuestion()

  /** Resolves to null if the run was finished meanwhile. */
  function enter(run: Run, node: string, settings: SharedSettings, liveMs: number): Promise<JoinedRun | null> {
    return pool.transaction(async (tx) => {
      const [row] = await tx.query<Row & { settings: SharedSettings | null }>(statements.lock, [run.id])
      if (row === undefined) return null
      const [other] = await tx.query(statements.others, [run.id, node, liveMs])
      const others = other !== undefined && row.settings !== null
      const seeds = [...new Set([...(row.settings?.seeds ?? []), ...settings.seeds])]
      const next = { ...(others ? row.settings! : settings), seeds }
      // If nothing changes, no node has to start over.
      const changed = await tx.query(statements.change, [run.id, JSON.stringify(next), others, settings.maxPages])
      await tx.query(statements.seed, [run.id, node, true])
      await wake(tx)
      return { ...runOf(row, run.continued), revision: row.revision + changed.length, others }
    })
  }

  return {
    begin,
    async finish(id, at) {
      await pool.query(statements.finish, [id, at])
    },
    last,
    async join(node, settings, { at, liveMs }) {
      for (;;) {
        const joined = await enter(await begin(at), node, settings, liveMs)
        if (joined !== null) return joined
      }
    },
    current: async () => (await pool.query<RunMark>(statements.current))[0] ?? null,
    async settings(id) {
      const [row] = await pool.query<{ settings: SharedSettings | null }>(statements.settings, [id])
      return row?.settings ?? null
    },
    close: (id, { at, liveMs }) =>
      pool.transaction(async (tx) => {
        // A node that joins locks the row, too: the check below sees it.
        if ((await tx.query(statements.lock, [id])).length === 0) return true
        if ((await isSpread(tx)) && !(await isEmptyTwice(tx))) return false
        const isClosed = (await tx.query(statements.close, [id, at, liveMs])).length > 0
        if (isClosed) await wake(tx)
        return isClosed
      }),
    isFinished: async (id) => (await pool.query(statements.isFinished, [id])).length > 0,
    async put({ run, node, stats, pages, final }) {
      await pool.query(statements.put, [run, node, JSON.stringify(stats), pages, final])
    },
    async setSeeding(run, node, seeding) {
      await pool.query(statements.seed, [run, node, seeding])
    },
    shares: (run, liveMs) => pool.query<LiveShare>(statements.shares, [run, liveMs]),
    takePages: (run, node, { had, atMost }) =>
      pool.transaction(async (tx) => {
        tx.send(statements.lockPages, [run])
        const [left] = await tx.query<{ pages: number; nodes: number }>(statements.left, [run, node, had])
        if (left === undefined) return 0
        // Near the limit portions become small, so that no node holds pages that others could fetch.
        const share = Math.ceil(left.pages / (2 * Math.max(1, left.nodes)))
        const portion = left.pages <= 0 ? 0 : Math.max(1, Math.min(atMost, share))
        await tx.query(statements.hold, [run, node, had + portion])
        return portion
      }),
    keepPages: (run, node, taken) =>
      pool.transaction(async (tx) => {
        tx.send(statements.lockPages, [run])
        await tx.query(statements.hold, [run, node, taken])
      }),
    async pages(run) {
      const [row] = await pool.query<{ limit: number | null; taken: number }>(statements.pages, [run])
      return row ?? { limit: null, taken: 0 }
    },
  }
}

/**
 * A query of a distributed store reads each server at a different moment: links may be queued on a server already read before their page
 * is done on one not yet read. The queue was empty at some moment if two reads find nothing and nothing was queued in between. With
 * requests of watches, which are queued all the time, two reads (this one, and that of the closing statement) must suffice.
 */
async function isEmptyTwice(tx: Tx): Promise<boolean> {
  type Look = { queued: number; seq: number }
  const [first] = await tx.query<Look>(statements.queued)
  if (first!.queued > 0) return (await tx.query(statements.ofRun)).length === 0
  const [second] = await tx.query<Look>(statements.queued)
  return second!.queued === 0 && second!.seq === first!.seq
}

async function wake(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [runsChannel, ''])
}

function runOf({ id, started_at, finished_at }: Row, continued: boolean): Run {
  return { id, startedAt: started_at, finishedAt: finished_at, continued }
}
