import type { CrawlStore } from '../../contracts/crawls.ts'
import { crawlOf, isForgettableSql, isOpenSql, type KeptCrawl, MAX_OVER, requestOf } from '../../rules/crawls.ts'
import type { Database } from '../folder/database.ts'

const columns = `SELECT id, asked_by AS askedBy, asked_at AS askedAt, request, state, stop_asked AS stopAsked, started_at AS startedAt,
  ended_at AS endedAt, queued, counts, reason, NULL AS pagesLeft FROM crawls`

export function createSqliteCrawls(db: Database): CrawlStore {
  const sql = {
    countOpen: db.prepare(`SELECT count(*) AS n FROM crawls WHERE ${isOpenSql}`),
    add: db.prepare('INSERT INTO crawls (asked_by, asked_at, request) VALUES (?, ?, ?)'),
    find: db.prepare(`${columns} WHERE id = ?`),
    list: db.prepare(`${columns} WHERE id < ? ORDER BY id DESC LIMIT ?`),
    newestOf: db.prepare(`${columns} WHERE asked_by = ? ORDER BY id DESC LIMIT 1`),
    open: db.prepare(`${columns} WHERE ${isOpenSql} ORDER BY id`),
    askStop: db.prepare(`UPDATE crawls SET stop_asked = 1 WHERE id = ? AND ${isOpenSql}`),
    save: db.prepare(
      `UPDATE crawls SET state = ?, started_at = ?, ended_at = ?, queued = ?, counts = ?, reason = ? WHERE id = ? AND ${isOpenSql}`,
    ),
    dropOld: db.prepare(
      `DELETE FROM crawls WHERE NOT ${isOpenSql} AND ${isForgettableSql} AND id <= (SELECT id FROM crawls WHERE NOT ${isOpenSql}
       ORDER BY id DESC LIMIT 1 OFFSET ${MAX_OVER})`,
    ),
  }
  const rowsOf = (rows: unknown[]) => (rows as KeptCrawl[]).map(crawlOf)

  return {
    async add(draft, maxOpen) {
      return db.write(() => {
        if ((sql.countOpen.get() as { n: number }).n >= maxOpen) return null
        return Number(sql.add.run(draft.askedBy, draft.askedAt, requestOf(draft)).lastInsertRowid)
      })
    },
    find: async (id) => rowsOf(db.read(() => sql.find.all(id)))[0] ?? null,
    list: async ({ before, limit }) => rowsOf(db.read(() => sql.list.all(before, limit))),
    newestOf: async (askedBy) => rowsOf(db.read(() => sql.newestOf.all(askedBy)))[0] ?? null,
    open: async () => rowsOf(db.read(() => sql.open.all())),
    askStop: async (id) => db.write(() => sql.askStop.run(id).changes === 1),
    async save(progress) {
      if (progress.length === 0) return
      db.write(() => {
        for (const { id, state, startedAt, endedAt, queued, counts, reason } of progress)
          sql.save.run(state, startedAt, endedAt, queued, JSON.stringify(counts), reason, id)
        sql.dropOld.run()
      })
    },
  }
}
