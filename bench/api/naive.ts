import { openCatalogForReading } from '../../src/store/sqlite/folder/folder.ts'
import { emailOf } from './inbox-data.ts'

const TIMES = 3
const LIMIT = 50

/** What the same answers cost who keeps annotations in a table and asks it without further thought: a look at every row. */
export function timeNaive(folder: string, words: readonly string[]): { listMs: number; searchMs: number } {
  const db = openCatalogForReading(folder)
  try {
    const list = db.prepare(
      `SELECT * FROM annotations NOT INDEXED WHERE owner = ? AND read = 0 AND archived = 0 ORDER BY at DESC LIMIT ${LIMIT}`,
    )
    const search = db.prepare(
      `SELECT * FROM annotations NOT INDEXED WHERE owner = ?1 AND archived = 0 AND (title LIKE ?2 OR summary LIKE ?2)
       ORDER BY at DESC LIMIT ${LIMIT}`,
    )
    const owner = emailOf(0)
    return {
      listMs: best(() => list.all(owner)),
      searchMs: best((n) => search.all(owner, `%${words[n % words.length]!}%`)),
    }
  } finally {
    db.close()
  }
}

/** The fastest of some: the first one reads the file. */
function best(work: (n: number) => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < TIMES; n++) {
    const startedAt = performance.now()
    work(n)
    least = Math.min(least, performance.now() - startedAt)
  }
  return least
}
