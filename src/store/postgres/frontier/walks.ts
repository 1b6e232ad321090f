import type { WalkPage, WalkStats, WalkStep, WalkStore } from '../../contracts/walks.ts'
import { restartPage, type VisitRow, visitsOf } from '../../rules/walks.ts'
import type { PostgresPool } from '../connection/pool.ts'

type PageRow = { host: string; fp: string; url: string }
type PageCount = { pages: number; seeds: number }
type Tx = Pick<PostgresPool, 'query'>

const pageOf = (row: PageRow | undefined): WalkPage | null =>
  row === undefined ? null : { host: row.host, fp: BigInt(row.fp), url: row.url }

/** Walks shared by all workers of a cluster. Pages are numbered without gaps, under a lock on their walk's row. */
export function createPostgresWalks(pool: PostgresPool): WalkStore {
  return {
    async addSeeds(run, pages) {
      await pool.transaction(async (tx) => {
        for (const forget of sql.forget) await tx.query(forget, [run])
        await tx.query(sql.begin, [run])
        let [count] = await tx.query<PageCount>(sql.lock, [run])
        for (const { host, fp, url } of pages) {
          const values = [run, count!.pages + 1, count!.seeds + 1, host, fp.toString(), url, 0]
          const added = await tx.query(sql.addPage, values)
          if (added.length > 0) count = { pages: count!.pages + 1, seeds: count!.seeds + 1 }
        }
        await tx.query(sql.count, [run, count!.pages, count!.seeds])
      })
    },
    async record(run, steps) {
      return pool.transaction(async (tx) => {
        const [count] = await tx.query<PageCount>(sql.lock, [run])
        const targets: (WalkPage | null)[] = []
        for (const step of steps) targets.push(count === undefined ? null : await recordOne(tx, run, step, count))
        return targets
      })
    },
    async lastRun() {
      const [row] = await pool.query<{ run: number }>(sql.lastRun)
      return row!.run
    },
    async stats(run, top) {
      const [walked] = await pool.query<Pick<WalkStats, 'steps' | 'restarts' | 'deadEnds'>>(sql.walked, [run])
      const [visited] = await pool.query<Pick<WalkStats, 'visits' | 'pages'>>(sql.visited, [run])
      const rows = await pool.query<VisitRow>(sql.top, [run, top])
      return { ...walked!, ...visited!, top: rows.map(visitsOf) }
    },
    async visits(run, from, limit) {
      return (await pool.query<VisitRow>(sql.pages, [run, from, limit])).map(visitsOf)
    },
  }
}

async function recordOne(tx: Tx, run: number, step: WalkStep, count: PageCount): Promise<WalkPage | null> {
  const { walker, visited, next, isDeadEnd } = step
  const [known] = await tx.query<PageRow & { step: number }>(sql.walker, [run, walker])
  if (known !== undefined && known.step >= step.step) return known.step === step.step ? pageOf(known) : null
  if (visited !== null) {
    const name = [visited.host, visited.fp.toString()]
    const met = await tx.query(sql.visit, [run, ...name])
    if (met.length === 0) {
      count.pages++
      await tx.query(sql.addPage, [run, count.pages, null, ...name, visited.url, 1])
      await tx.query(sql.count, [run, count.pages, count.seeds])
    }
  }
  const drawn = next ?? (await draw(tx, run, step, count))
  if (drawn === null) return null
  const isRestart = next === null && !isDeadEnd && step.step > 0
  await tx.query(sql.keepWalker, [
    ...[run, walker, step.step, drawn.host, drawn.fp.toString(), drawn.url],
    ...[isRestart ? 1 : 0, isDeadEnd ? 1 : 0],
  ])
  return drawn
}

async function draw(tx: Tx, run: number, step: WalkStep, count: PageCount): Promise<WalkPage | null> {
  const [row] = await tx.query<PageRow>(step.from === 'given' ? sql.seedAt : sql.pageAt, [
    run,
    restartPage(step, count),
  ])
  return pageOf(row)
}

const sql = {
  forget: [
    'DELETE FROM walk_pages WHERE run < $1',
    'DELETE FROM walkers WHERE run < $1',
    'DELETE FROM walks WHERE run < $1',
  ],
  lastRun: 'SELECT coalesce(max(run), 0) AS run FROM walks',
  begin: 'INSERT INTO walks (run) VALUES ($1) ON CONFLICT DO NOTHING',
  lock: 'SELECT pages, seeds FROM walks WHERE run = $1 FOR UPDATE',
  count: 'UPDATE walks SET pages = $2, seeds = $3 WHERE run = $1',
  addPage: `INSERT INTO walk_pages (run, n, seed, host, fp, url, visits) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (run, host, fp) DO NOTHING RETURNING n`,
  visit: 'UPDATE walk_pages SET visits = visits + 1 WHERE run = $1 AND host = $2 AND fp = $3 RETURNING n',
  pageAt: 'SELECT host, fp::text AS fp, url FROM walk_pages WHERE n = $2 AND run = $1',
  seedAt: 'SELECT host, fp::text AS fp, url FROM walk_pages WHERE run = $1 AND seed = $2',
  walker: 'SELECT step, host, fp::text AS fp, url FROM walkers WHERE run = $1 AND walker = $2',
  keepWalker: `INSERT INTO walkers AS w (run, walker, step, host, fp, url, restarts, dead_ends)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (run, walker) DO UPDATE SET step = excluded.step,
    host = excluded.host, fp = excluded.fp, url = excluded.url, restarts = w.restarts + excluded.restarts,
    dead_ends = w.dead_ends + excluded.dead_ends`,
  walked: `SELECT coalesce(sum(step), 0)::bigint AS steps, coalesce(sum(restarts), 0)::bigint AS restarts,
    coalesce(sum(dead_ends), 0)::bigint AS "deadEnds" FROM walkers WHERE run = $1`,
  visited: `SELECT coalesce(sum(visits), 0)::bigint AS visits, count(*) AS pages FROM walk_pages
    WHERE run = $1 AND visits > 0`,
  top: 'SELECT url, visits, seed FROM walk_pages WHERE run = $1 AND visits > 0 ORDER BY visits DESC, n LIMIT $2',
  pages: 'SELECT url, visits, seed FROM walk_pages WHERE n >= $2 AND run = $1 ORDER BY n LIMIT $3',
} as const
