import type { Clock } from '../../../core/clock.ts'
import {
  type HostHealth,
  type HostPlace,
  type HostReport,
  type HostView,
  hostHealths,
} from '../../contracts/host-view.ts'
import { createDocumentCounter } from '../documents/document-counter.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { paths, readFacts } from '../folder/folder.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { createTurns } from './turns.ts'

export type HostViewOptions = {
  folder: string
  /** The catalogue. */
  db: Database
  clock: Clock
  /** Rows that are looked at in one go. */
  portion?: number
}

/** For the whole of a request: what is not counted by then is told as far as it was. */
const MAX_MS = 2_000
const PORTION = 4_000
/** A host that may not be asked for so long is not just being treated politely. */
const SLOW_MS = 60_000

type Row = { health: number; host: string; queued: number; failures: number; nextAt: number }
type Shard = { db: Database; portionOf: ReturnType<typeof prepare> }

/**
 * The order has no index: a change of it with every request would cost the crawl more than a look through the hosts costs here. They are
 * read in portions, of which SQLite hands over only those that may be on the page.
 */
export function createSqliteHostView({ folder, db: catalog, clock, portion = PORTION }: HostViewOptions): HostView {
  const documents = createDocumentCounter(catalog, clock)
  let shards: Shard[] | null = null

  function open(): Shard[] {
    const count = readFacts(catalog)?.shards ?? 0
    return Array.from({ length: count }, (_, shard) => {
      const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, readOnly: true })
      return { db, portionOf: prepare(db) }
    })
  }

  async function rows(query: { q: string; after: HostPlace | null; limit: number }): Promise<Row[]> {
    shards ??= open()
    const turns = createTurns({ maxMs: MAX_MS })
    let best: Row[] = []
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
            ...placeValues(query.after),
          }),
        ) as Row[]
        best = [...best, ...found].sort(compare).slice(0, query.limit)
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

/** What a host did in an earlier run does not count against it. */
const health = `CASE WHEN given_up AND run = :run THEN 0 WHEN rests > 0 AND run = :run THEN 1
  WHEN (failures > 0 AND run = :run) OR (queued > 0 AND next_at > :slowAt) THEN 2 ELSE 3 END`

function prepare(db: Database) {
  return {
    last: db.prepare('SELECT coalesce(max(id), 0) AS last FROM hosts'),
    run: db.prepare(`SELECT value FROM facts WHERE name = 'run'`),
    hosts: db.prepare(
      `SELECT health, host, queued, failures, nextAt FROM (
         SELECT ${health} AS health, host, queued, iif(run = :run, failures, 0) AS failures, next_at AS nextAt FROM hosts
         WHERE id > :from AND id <= :to AND (:q = '' OR instr(host, :q) > 0))
       WHERE (health, -queued, host) > (:afterHealth, -:afterQueued, :afterHost)
       ORDER BY health, queued DESC, host LIMIT :limit`,
    ),
  }
}

function placeValues(after: HostPlace | null) {
  if (after === null) return { afterHealth: -1, afterQueued: 0, afterHost: '' }
  return { afterHealth: healthNumber(after.health), afterQueued: after.queued, afterHost: after.host }
}

const healthNumber = (name: HostHealth): number => hostHealths.indexOf(name)

function compare(a: Row, b: Row): number {
  return a.health - b.health || b.queued - a.queued || (a.host < b.host ? -1 : a.host > b.host ? 1 : 0)
}
