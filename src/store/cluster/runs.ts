import type { Run, RunStore } from '../runs.ts'
import type { ClusterPool } from './pool.ts'

const statements = {
  // At most one run is unfinished: whoever comes second finds that of the first.
  begin: `INSERT INTO runs (id, started_at) SELECT coalesce(max(id), 0) + 1, $1 FROM runs
    ON CONFLICT DO NOTHING RETURNING id, started_at, finished_at`,
  finish: 'UPDATE runs SET finished_at = $2 WHERE id = $1 AND finished_at IS NULL',
  last: 'SELECT id, started_at, finished_at FROM runs ORDER BY id DESC LIMIT 1',
}

type Row = { id: number; started_at: number; finished_at: number | null }

/** One run at a time for the whole cluster. */
export function createClusterRuns(pool: ClusterPool): RunStore {
  async function last(): Promise<Run | null> {
    const [row] = await pool.query<Row>(statements.last)
    return row === undefined ? null : runOf(row, true)
  }

  return {
    async begin(at) {
      for (;;) {
        const previous = await last()
        if (previous !== null && previous.finishedAt === null) return previous
        const [row] = await pool.query<Row>(statements.begin, [at])
        if (row !== undefined) return runOf(row, false)
      }
    },
    async finish(id, at) {
      await pool.query(statements.finish, [id, at])
    },
    last,
  }
}

function runOf({ id, started_at, finished_at }: Row, continued: boolean): Run {
  return { id, startedAt: started_at, finishedAt: finished_at, continued }
}
