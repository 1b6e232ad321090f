import type { Clock } from '../../../core/clock.ts'
import { type HostQuery, type HostReport, type HostView, hostHealths } from '../../contracts/host-view.ts'
import { compareHosts, hostRankingSql, positionValues, type RankedHost, SLOW_MS } from '../../rules/host-ranking.ts'
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
type Shard = { db: Database; portionOf: ReturnType<typeof prepare> }

/** Hosts are read in portions, of which SQLite hands over only those that may be on the page. */
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
