import type { ClusterRunStore, JoinedRun, LiveShare, RunMark, SharedSettings } from '../../contracts/cluster-runs.ts'
import { runsChannel } from '../../contracts/cluster-runs.ts'
import type { Run } from '../../contracts/runs.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { runStatements as statements } from './runs-statements.ts'

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

  /** Null where the run was finished meanwhile. */
  function enter(run: Run, node: string, settings: SharedSettings, liveMs: number): Promise<JoinedRun | null> {
    return pool.transaction(async (tx) => {
      const [row] = await tx.query<Row & { settings: SharedSettings | null }>(statements.lock, [run.id])
      if (row === undefined) return null
      const [other] = await tx.query(statements.others, [run.id, node, liveMs])
      const others = other !== undefined && row.settings !== null
      const seeds = [...new Set([...(row.settings?.seeds ?? []), ...settings.seeds])]
      const next = { ...(others ? row.settings! : settings), seeds }
      // Where nothing changes, nobody has to begin anew.
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
        // Whoever joins holds the row, too: the look below sees them.
        if ((await tx.query(statements.lock, [id])).length === 0) return true
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
        // Towards the end portions become small, so that nobody sits on what others could fetch.
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

async function wake(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [runsChannel, ''])
}

function runOf({ id, started_at, finished_at }: Row, continued: boolean): Run {
  return { id, startedAt: started_at, finishedAt: finished_at, continued }
}
