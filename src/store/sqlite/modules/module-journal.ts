import type { JournalPage, ModuleCheckpoint, ModuleJournal } from '../../contracts/module-journal.ts'
import type { Database } from '../folder/database.ts'

/** The journal in a data folder, which one process at a time uses exclusively. */
export function createSqliteModuleJournal(db: Database): ModuleJournal {
  const sql = {
    dropOtherPages: db.prepare('DELETE FROM module_pages WHERE run NOT IN (0, ?)'),
    dropOtherCheckpoints: db.prepare('DELETE FROM module_checkpoints WHERE run NOT IN (0, ?)'),
    pages: db.prepare('SELECT seq, answer, body FROM module_pages WHERE run = ? ORDER BY seq'),
    checkpoints: db.prepare('SELECT module, seq, report, state FROM module_checkpoints WHERE run = ? ORDER BY module'),
    append: db.prepare('INSERT INTO module_pages (run, seq, answer, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    save: db.prepare(`INSERT INTO module_checkpoints (run, module, seq, report, state) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (run, module) DO UPDATE SET seq = excluded.seq, report = excluded.report, state = excluded.state`),
    drop: db.prepare('DELETE FROM module_pages WHERE run = ? AND seq <= ?'),
    clearPages: db.prepare('DELETE FROM module_pages WHERE run = ?'),
    clearCheckpoints: db.prepare('DELETE FROM module_checkpoints WHERE run = ?'),
  }
  let run = 0
  return {
    async open(given) {
      run = given
      return db.write(() => {
        // A service keeps the pages of an interrupted crawl, which may be continued.
        if (run > 0) {
          sql.dropOtherPages.run(run)
          sql.dropOtherCheckpoints.run(run)
        }
        const checkpoints = sql.checkpoints.all(run) as ModuleCheckpoint[]
        return { checkpoints, pages: sql.pages.all(run) as JournalPage[] }
      })
    },
    async append(pages) {
      db.write(() => {
        for (const { seq, answer, body } of pages) sql.append.run(run, seq, answer, body)
      })
    },
    async save({ module, seq, report, state }, dropTo) {
      db.write(() => {
        sql.save.run(run, module, seq, report, state)
        sql.drop.run(run, dropTo)
      })
    },
    async drop(dropTo) {
      db.write(() => sql.drop.run(run, dropTo))
    },
    async clear() {
      db.write(() => {
        sql.clearPages.run(run)
        sql.clearCheckpoints.run(run)
      })
    },
    async close() {},
  }
}
