import type { WalkPage, WalkStats, WalkStep, WalkStore } from '../../contracts/walks.ts'
import { restartPage, type VisitRow, visitsOf } from '../../rules/walks.ts'
import type { Database } from '../folder/database.ts'

type PageRow = { host: string; fp: bigint; url: string }

/** Walks in the catalogue, which all shards write to. Pages are numbered without gaps, so that one can be chosen by number. */
export function createSqliteWalks(db: Database): WalkStore {
  const sql = prepareStatements(db)

  const countOf = (run: number) => sql.count.get(run, run) as { pages: number; seeds: number }
  const pageOf = (row: unknown): WalkPage | null => {
    const page = row as PageRow | undefined
    return page === undefined ? null : { host: page.host, fp: page.fp, url: page.url }
  }

  /** Runs in a transaction. */
  function recordOne(run: number, step: WalkStep): WalkPage | null {
    const { walker, visited, next, isDeadEnd } = step
    const known = sql.walker.get(run, walker) as (PageRow & { step: bigint }) | undefined
    if (known !== undefined && Number(known.step) >= step.step)
      return Number(known.step) === step.step ? pageOf(known) : null
    if (visited !== null && sql.visit.run(run, visited.host, visited.fp).changes === 0)
      sql.addPage.run(run, countOf(run).pages + 1, null, visited.host, visited.fp, visited.url, 1)
    const number = next === null ? restartPage(step, countOf(run)) : 0
    const target = next ?? pageOf((step.from === 'given' ? sql.seedAt : sql.pageAt).get(run, number))
    if (target === null) return null
    const isRestart = next === null && !isDeadEnd && step.step > 0
    sql.keepWalker.run(
      ...([run, walker, step.step, target.host, target.fp, target.url] as const),
      ...([isRestart ? 1 : 0, isDeadEnd ? 1 : 0] as const),
    )
    return target
  }

  return {
    async addSeeds(run, pages) {
      db.write(() => {
        sql.forgetPages.run(run)
        sql.forgetWalkers.run(run)
        for (const { host, fp, url } of pages) {
          const count = countOf(run)
          sql.addPage.run(run, count.pages + 1, count.seeds + 1, host, fp, url, 0)
        }
      })
    },
    async record(run, steps) {
      return db.write(() => steps.map((step) => recordOne(run, step)))
    },
    async lastRun() {
      return (db.read(() => sql.lastRun.get()) as { run: number }).run
    },
    async stats(run, top) {
      return db.readTogether(() => {
        const walked = sql.walked.get(run) as Pick<WalkStats, 'steps' | 'restarts' | 'deadEnds'>
        const visited = sql.visited.get(run) as Pick<WalkStats, 'visits' | 'pages'>
        return { ...walked, ...visited, top: (sql.top.all(run, top) as VisitRow[]).map(visitsOf) }
      })
    },
    async visits(run, from, limit) {
      return (db.read(() => sql.pages.all(run, from, limit)) as VisitRow[]).map(visitsOf)
    },
  }
}

function prepareStatements(db: Database) {
  const wide = (text: string) => {
    const statement = db.prepare(text)
    statement.setReadBigInts(true) // fingerprints need all 64 bits
    return statement
  }
  return {
    count: db.prepare(
      `SELECT coalesce((SELECT max(n) FROM walk_pages WHERE run = ?), 0) AS pages,
       coalesce((SELECT max(seed) FROM walk_pages WHERE run = ? AND seed IS NOT NULL), 0) AS seeds`,
    ),
    addPage: db.prepare(
      `INSERT INTO walk_pages (run, n, seed, host, fp, url, visits) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run, host, fp) DO NOTHING`,
    ),
    visit: db.prepare('UPDATE walk_pages SET visits = visits + 1 WHERE run = ? AND host = ? AND fp = ?'),
    pageAt: wide('SELECT host, fp, url FROM walk_pages WHERE run = ? AND n = ?'),
    seedAt: wide('SELECT host, fp, url FROM walk_pages WHERE run = ? AND seed = ?'),
    walker: wide('SELECT step, host, fp, url FROM walkers WHERE run = ? AND walker = ?'),
    keepWalker: db.prepare(
      `INSERT INTO walkers (run, walker, step, host, fp, url, restarts, dead_ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET step = excluded.step, host = excluded.host, fp = excluded.fp, url = excluded.url,
       restarts = restarts + excluded.restarts, dead_ends = dead_ends + excluded.dead_ends`,
    ),
    lastRun: db.prepare('SELECT coalesce(max(run), 0) AS run FROM walk_pages'),
    forgetPages: db.prepare('DELETE FROM walk_pages WHERE run < ?'),
    forgetWalkers: db.prepare('DELETE FROM walkers WHERE run < ?'),
    walked: db.prepare(
      `SELECT coalesce(sum(step), 0) AS steps, coalesce(sum(restarts), 0) AS restarts,
       coalesce(sum(dead_ends), 0) AS deadEnds FROM walkers WHERE run = ?`,
    ),
    visited: db.prepare(
      'SELECT coalesce(sum(visits), 0) AS visits, count(*) AS pages FROM walk_pages WHERE run = ? AND visits > 0',
    ),
    top: db.prepare(
      'SELECT url, visits, seed FROM walk_pages WHERE run = ? AND visits > 0 ORDER BY visits DESC, n LIMIT ?',
    ),
    pages: db.prepare('SELECT url, visits, seed FROM walk_pages WHERE run = ? AND n >= ? ORDER BY n LIMIT ?'),
  }
}
