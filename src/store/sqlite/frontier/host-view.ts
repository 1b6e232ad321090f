import type { Clock } from '../../../core/clock.ts'
import { type HostQuery, type HostReport, type HostView, hostHealths } from '../../contracts/host-view.ts'
import { compareHosts, hostRankingSql, positionValues, type RankedHost, SLOW_MS } from '../../rules/host-ranking.ts'
import { createTurns, type Database, openDatabase, type Turns } from '../folder/database.ts'
import { paths, readFacts } from '../folder/folder.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'

export type HostViewOptions = {
  folder: string
  /** The catalogue. */
  db: Database
  clock: Clock
  /** Rows read per batch. */
  portion?: number
}

/** Time limit of a request: counts not complete by then are returned as they are. */
const MAX_MS = 2_000
const HOSTS_AT_ONCE = 4_000
type Shard = { db: Database; portionOf: ReturnType<typeof prepare> }

/** Reads hosts in batches, of which SQLite returns only those that may be on the page. */
export function createSqliteHostView({
  folder,
  db: catalog,
  clock,
  portion = HOSTS_AT_ONCE,
}: HostViewOptions): HostView {
  const documents = createDocumentCounter(catalog, clock)
  let shards: Shard[] | null = null

  function open(): Shard[] {
    const count = readFacts(catalog)?.shards ?? 0
    return Array.from({ length: count }, (_, shard) => {
      const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, readOnly: true })
      return { db, portionOf: prepare(db) }
    })
  }

  async function rows(query: HostQuery): Promise<RankedHost[]> {
    shards ??= open()
    const turns = createTurns({ maxMs: MAX_MS })
    const [afterHealth, afterQueued, afterHost] = positionValues(query.after)
    let best: RankedHost[] = []
    for (const { portionOf, db } of shards) {
      const { last } = db.read(() => portionOf.last.get()) as { last: number }
      const run = (db.read(() => portionOf.run.get()) as { value: number } | undefined)?.value ?? 0
      for (let from = 0; from < last && (await turns.next()); from += portion) {
        const found = db.read(() =>
          portionOf.hosts.all({
            run,
            from,
            to: from + portion,
            slowAt: clock.now() + SLOW_MS,
            q: query.q.toLowerCase(),
            limit: query.limit,
            afterHealth,
            afterQueued,
            afterHost,
          }),
        ) as RankedHost[]
        best = [...best, ...found].sort(compareHosts).slice(0, query.limit)
      }
    }
    return best
  }

  return {
    async hosts(query) {
      const turns = createTurns({ maxMs: MAX_MS })
      const reports: HostReport[] = []
      for (const row of await rows(query)) {
        const nextAt = row.nextAt > clock.now() ? row.nextAt : 0
        const counts = await documents.count(row.host, turns)
        reports.push({ ...row, health: hostHealths[row.health]!, nextAt, ...counts })
      }
      return reports
    },
    close() {
      for (const { db } of shards ?? []) db.close()
      shards = null
    },
  }
}

function prepare(db: Database) {
  return {
    last: db.prepare('SELECT coalesce(max(id), 0) AS last FROM hosts'),
    run: db.prepare(`SELECT value FROM facts WHERE name = 'run'`),
    hosts: db.prepare(
      hostRankingSql({
        hosts: `hosts h WHERE h.id > :from AND h.id <= :to AND (:q = '' OR instr(h.host, :q) > 0)`,
        host: 'h.host',
        run: ':run',
        slowAt: ':slowAt',
        after: [':afterHealth', ':afterQueued', ':afterHost'],
        limit: ':limit',
      }),
    ),
  }
}

export type HostDocuments = { documents: number; failing: number }

const MAX_AGE_MS = 60_000
const MAX_HOSTS = 5_000
/** Index entries per batch. */
const PORTION = 5_000
/** Rows per batch, fewer since they are scattered. */
const ROW_PORTION = 500
const MAX_ROWS = 20_000
const LEAST_FP = -(2n ** 63n)

type Counted = HostDocuments & { at: number }

/** Counts the documents of a host in batches, and caches the result for a minute. */
function createDocumentCounter(catalog: Database, clock: Clock) {
  const known = new Map<string, Counted>()
  const entries = catalog.prepare(
    `SELECT count(*) AS documents, 0 AS failing, max(fp) AS last
     FROM (SELECT fp FROM documents WHERE host = ? AND fp > ? ORDER BY fp LIMIT ${PORTION})`,
  )
  const rows = catalog.prepare(
    `SELECT count(*) AS documents, coalesce(sum(outcome = 'failed'), 0) AS failing, max(fp) AS last
     FROM (SELECT fp, outcome FROM documents WHERE host = ? AND fp > ? ORDER BY fp LIMIT ${ROW_PORTION})`,
  )
  // Fingerprints use all 64 bits, more than a JavaScript number can hold.
  entries.setReadBigInts(true)
  rows.setReadBigInts(true)

  /** False if time ran out before all were counted. */
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
