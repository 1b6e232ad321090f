import type { Clock } from '../../../core/clock.ts'
import { type HostQuery, type HostReport, type HostView, hostHealths } from '../../contracts/host-view.ts'
import { compareHosts, hostRankingSql, positionValues, type RankedHost, SLOW_MS } from '../../rules/host-ranking.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createHostPlaces } from '../documents/host-places.ts'

export type HostViewOptions = { pool: PostgresPool; clock: Clock }

/** Time limit per request: partitions not read by then are left out. */
const MAX_MS = 2_000
/** Partitions queried at the same time. */
const PARALLEL = 4
const MAX_AGE_MS = 60_000
const MAX_COUNTED = 5_000
const MAX_DOCUMENTS = 1_000_000
const MAX_ROWS = 20_000

type HostDocuments = { documents: number; failing: number }

const statements = {
  partitions: 'SELECT partition FROM frontiers WHERE hosts > 0 ORDER BY partition',
  hosts: hostRankingSql({
    hosts: `hosts h JOIN frontiers f ON f.partition = h.partition
      WHERE h.partition = $1 AND f.partition = $1 AND ($3 = '' OR strpos(h.host, $3) > 0)`,
    host: 'h.host COLLATE "C"',
    run: 'f.run',
    slowAt: '$2',
    after: ['$4', '$5::bigint', '$6 COLLATE "C"'],
    limit: '$7',
  }),
  documents: `SELECT (SELECT count(*) FROM (SELECT 1 FROM documents WHERE partition = $1 AND host = $2 LIMIT ${MAX_DOCUMENTS}) d) AS documents,
    (SELECT count(*) FILTER (WHERE outcome = 'failed') FROM (
      SELECT outcome FROM documents WHERE partition = $1 AND host = $2 LIMIT ${MAX_ROWS}) d) AS failing`,
}

export function createPostgresHostView({ pool, clock }: HostViewOptions): HostView {
  const places = createHostPlaces(pool)
  const counted = new Map<string, HostDocuments & { at: number }>()

  async function rows({ q, after, limit }: HostQuery): Promise<RankedHost[]> {
    const left = (await pool.query<{ partition: number }>(statements.partitions)).map(({ partition }) => partition)
    const deadline = clock.monotonic() + MAX_MS
    const values = [clock.now() + SLOW_MS, q.toLowerCase(), ...positionValues(after), limit]
    let best: RankedHost[] = []
    while (left.length > 0 && clock.monotonic() < deadline) {
      const found = await Promise.all(
        left.splice(0, PARALLEL).map((partition) => pool.query<RankedHost>(statements.hosts, [partition, ...values])),
      )
      best = [...best, ...found.flat()].sort(compareHosts).slice(0, limit)
    }
    return best
  }

  /** Cached for a minute. */
  async function documentsOf(host: string): Promise<HostDocuments> {
    const known = counted.get(host)
    if (known !== undefined && clock.monotonic() - known.at < MAX_AGE_MS)
      return { documents: known.documents, failing: known.failing }
    const [counts] = await pool.query<HostDocuments>(statements.documents, [await places.one(host), host])
    counted.delete(host)
    counted.set(host, { ...counts!, at: clock.monotonic() })
    if (counted.size > MAX_COUNTED) counted.delete(counted.keys().next().value!)
    return counts!
  }

  return {
    async hosts(query) {
      const reports: HostReport[] = []
      for (const row of await rows(query)) {
        const nextAt = row.nextAt > clock.now() ? row.nextAt : 0
        reports.push({ ...row, health: hostHealths[row.health]!, nextAt, ...(await documentsOf(row.host)) })
      }
      return reports
    },
    close() {},
  }
}
