import type { KeptCounts } from '../../contracts/kept-counts.ts'
import type { Database } from '../folder/database.ts'
import { createTurns } from '../frontier/turns.ts'

const MAX_MS = 10_000
const PORTION = 50_000

/** Counts by indexes alone and in portions, so that nobody has to wait where millions are kept. */
export function createKeptCounter(db: Database): () => Promise<KeptCounts> {
  // Documents are never removed, and numbered without gaps.
  const documents = db.prepare('SELECT coalesce(max(id), 0) AS n FROM documents')
  const versions = db.prepare('SELECT count(*) AS n FROM versions WHERE document > ? AND document <= ?')
  const lastWatch = db.prepare('SELECT coalesce(max(watch), 0) AS n FROM urds')
  const sources = db.prepare('SELECT count(DISTINCT watch) AS n FROM urds WHERE watch > ? AND watch <= ?')
  const profiles = db.prepare('SELECT count(*) AS n FROM profiles')
  const annotations = db.prepare('SELECT coalesce(sum(shown + archived), 0) AS n FROM inbox_counts')
  const one = (statement: typeof documents, ...values: number[]): number =>
    (db.read(() => statement.get(...values)) as { n: number }).n

  async function inPortions(statement: typeof documents, last: number): Promise<number> {
    const turns = createTurns({ maxMs: MAX_MS, turnMs: 0 })
    let sum = 0
    for (let from = 0; from < last && (await turns.next()); from += PORTION) sum += one(statement, from, from + PORTION)
    return sum
  }

  return async () => {
    const all = one(documents)
    return {
      documents: all,
      versions: await inPortions(versions, all),
      annotations: one(annotations),
      profiles: one(profiles),
      sources: await inPortions(sources, one(lastWatch)),
    }
  }
}
