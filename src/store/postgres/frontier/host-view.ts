import type { Clock } from '../../../core/clock.ts'
import { partitionOf } from '../../../core/partition.ts'
import {
  type HostHealth,
  type HostPlace,
  type HostQuery,
  type HostReport,
  type HostView,
  hostHealths,
} from '../../contracts/host-view.ts'
import type { PostgresPool } from '../connection/pool.ts'

export type HostViewOptions = { pool: PostgresPool; clock: Clock }

/** For the whole of a request: what is not looked at by then is left out. */
const MAX_MS = 2_000
/** Partitions that are asked at the same time. */
const PARALLEL = 4
/** A host that may not be asked for so long is not just being treated politely. */
const SLOW_MS = 60_000
const MAX_AGE_MS = 60_000
const MAX_COUNTED = 5_000
const MAX_DOCUMENTS = 1_000_000
const MAX_ROWS = 20_000

type Row = { health: number; host: string; queued: number; failures: number; nextAt: number }
type HostDocuments = { documents: number; failing: number }

/** What a host did in an earlier run does not count against it. */
const health = `CASE WHEN h.given_up AND h.run = f.run THEN 0 WHEN h.rests > 0 AND h.run = f.run THEN 1
  WHEN (h.failures > 0 AND h.run = f.run) OR (h.queued > 0 AND h.next_at > $2) THEN 2 ELSE 3 END`

const statements = {
  partitions: 'SELECT partition FROM frontiers WHERE hosts > 0 ORDER BY partition',
  hosts: `SELECT health, host, queued, failures, "nextAt" FROM (
      SELECT ${health} AS health, h.host COLLATE "C" AS host, h.queued,
        CASE WHEN h.run = f.run THEN h.failures ELSE 0 END AS failures, h.next_at AS "nextAt"
      FROM hosts h JOIN frontiers f ON f.partition = h.partition
      WHERE h.partition = $1 AND f.partition = $1 AND ($3 = '' OR strpos(h.host, $3) > 0)) each
    WHERE (health, -queued, host) > ($4, -$5::bigint, $6 COLLATE "C") ORDER BY health, queued DESC, host LIMIT $7`,
  documents: `SELECT (SELECT count(*) FROM (SELECT FROM documents WHERE partition = $1 AND host = $2 LIMIT ${MAX_DOCUMENTS}) d) AS documents,
    (SELECT count(*) FILTER (WHERE outcome = 'failed') FROM (
      SELECT outcome FROM documents WHERE partition = $1 AND host = $2 LIMIT ${MAX_ROWS}) d) AS failing`,
}

/** The order has no index: a change of it with every request would cost the crawl more than a look through the hosts costs here. */
export function createPostgresHostView({ pool, clock }: HostViewOptions): HostView {
  const counted = new Map<string, HostDocuments & { at: number }>()

  async function rows({ q, after, limit }: HostQuery): Promise<Row[]> {
    const left = (await pool.query<{ partition: number }>(statements.partitions)).map(({ partition }) => partition)
    const deadline = clock.monotonic() + MAX_MS
    const values = [clock.now() + SLOW_MS, q.toLowerCase(), ...placeValues(after), limit]
    let best: Row[] = []
    while (left.length > 0 && clock.monotonic() < deadline) {
      const found = await Promise.all(
        left.splice(0, PARALLEL).map((partition) => pool.query<Row>(statements.hosts, [partition, ...values])),
      )
      best = [...best, ...found.flat()].sort(compare).slice(0, limit)
    }
    return best
  }

  /** Counted once a minute. */
  async function documentsOf(host: string): Promise<HostDocuments> {
    const known = counted.get(host)
    if (known !== undefined && clock.monotonic() - known.at < MAX_AGE_MS)
      return { documents: known.documents, failing: known.failing }
    const [counts] = await pool.query<HostDocuments>(statements.documents, [partitionOf(host), host])
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

function placeValues(after: HostPlace | null): [health: number, queued: number, host: string] {
  if (after === null) return [-1, 0, '']
  return [healthNumber(after.health), after.queued, after.host]
}

const healthNumber = (name: HostHealth): number => hostHealths.indexOf(name)

function compare(a: Row, b: Row): number {
  return a.health - b.health || b.queued - a.queued || (a.host < b.host ? -1 : a.host > b.host ? 1 : 0)
}
