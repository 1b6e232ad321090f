import type { Clock } from '../../../core/clock.ts'
import type { Database } from '../folder/database.ts'
import type { Turns } from '../frontier/turns.ts'

export type HostDocuments = { documents: number; failing: number }

const MAX_AGE_MS = 60_000
const MAX_HOSTS = 5_000
/** Entries of an index. */
const PORTION = 5_000
/** Rows, which lie scattered. */
const ROW_PORTION = 500
const MAX_ROWS = 20_000
const LEAST_FP = -(2n ** 63n)

type Counted = HostDocuments & { at: number }

/** Documents of a host, counted in portions and remembered for a minute. */
export function createDocumentCounter(catalog: Database, clock: Clock) {
  const known = new Map<string, Counted>()
  const entries = catalog.prepare(
    `SELECT count(*) AS documents, 0 AS failing, max(fp) AS last
     FROM (SELECT fp FROM documents WHERE host = ? AND fp > ? ORDER BY fp LIMIT ${PORTION})`,
  )
  const rows = catalog.prepare(
    `SELECT count(*) AS documents, coalesce(sum(outcome = 'failed'), 0) AS failing, max(fp) AS last
     FROM (SELECT fp, outcome FROM documents WHERE host = ? AND fp > ? ORDER BY fp LIMIT ${ROW_PORTION})`,
  )
  // Fingerprints use all 64 bits, more than a number holds.
  entries.setReadBigInts(true)
  rows.setReadBigInts(true)

  /** False when the time was over before all were counted. */
  async function countAll(host: string, turns: Turns, counts: HostDocuments): Promise<boolean> {
    let after = LEAST_FP
    while (await turns.next()) {
      const looksAtRows = counts.documents < MAX_ROWS
      const found = catalog.read(() => (looksAtRows ? rows : entries).get(host, after)) as {
        documents: bigint
        failing: bigint
        last: bigint | null
      }
      counts.documents += Number(found.documents)
      counts.failing += Number(found.failing)
      if (found.last === null || found.documents < (looksAtRows ? ROW_PORTION : PORTION)) return true
      after = found.last
    }
    return false
  }

  return {
    async count(host: string, turns: Turns): Promise<HostDocuments> {
      const last = known.get(host)
      if (last !== undefined && clock.monotonic() - last.at < MAX_AGE_MS)
        return { documents: last.documents, failing: last.failing }
      const counts = { documents: 0, failing: 0 }
      if (!(await countAll(host, turns, counts))) return counts
      known.delete(host)
      known.set(host, { ...counts, at: clock.monotonic() })
      if (known.size > MAX_HOSTS) known.delete(known.keys().next().value!)
      return counts
    },
  }
}
