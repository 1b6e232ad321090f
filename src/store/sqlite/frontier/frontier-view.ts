import type { KeptRobots } from '../../contracts/frontier.ts'
import type { FrontierView, ViewedHost } from '../../contracts/frontier-view.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { droppedOfShards } from './dropped-links.ts'

/** Maximum rows read of a host's queue; reading millions would take seconds. */
const MAX_LOOKED_AT = 100_000

/** Opens the files of all shards on the first read. Each host is in one of them; the view doesn't need to know which. */
export function createSqliteFrontierView(folder: string, shards: number): FrontierView {
  let opened: ReturnType<typeof openShard>[] | null = null

  function all() {
    opened ??= Array.from({ length: shards }, (_, shard) => openShard(paths.frontier(folder, shard)))
    return opened
  }

  return {
    async robots(origin) {
      let newest: KeptRobots | null = null
      for (const { db, sql } of all()) {
        const found = db.read(() => sql.robots?.get(origin)) as KeptRobots | undefined
        if (found !== undefined && (newest === null || found.expiresAt > newest.expiresAt)) newest = { ...found }
      }
      return newest
    },
    async host(host) {
      for (const { db, sql } of all()) {
        const found = db.read(() => sql.host.get(host)) as
          | (Omit<ViewedHost, 'givenUp'> & { givenUp: number })
          | undefined
        if (found !== undefined) return { ...found, givenUp: found.givenUp !== 0 }
      }
      return null
    },
    async isQueued({ host, fp }) {
      return all().some(({ db, sql }) => db.read(() => sql.queued.get(host, fp)) !== undefined)
    },
    dropped: async (after, limit) =>
      droppedOfShards(
        all().map(({ db }) => db),
        after,
        limit,
      ),
    close() {
      for (const { db } of opened ?? []) db.close()
      opened = null
    },
  }
}

function openShard(path: string): { db: Database; sql: ReturnType<typeof prepare> } {
  const db = openDatabase(path, { migrations: frontierMigrations, readOnly: true, cacheKib: 1024 })
  try {
    return { db, sql: prepare(db) }
  } catch (error) {
    db.close()
    throw error
  }
}

function prepare(db: Database) {
  // A file from an older version, which the next crawl migrates, has robots.txt as text that may have lost rules.
  const hasBytes = db.prepare(`SELECT 1 FROM pragma_table_info('robots') WHERE name = 'body'`).get() !== undefined
  return {
    robots: !hasBytes ? null : db.prepare('SELECT kind, body, expires_at AS expiresAt FROM robots WHERE origin = ?'),
    host: db.prepare(
      'SELECT queued, next_at AS nextAt, failures, rests, given_up AS givenUp FROM hosts WHERE host = ?',
    ),
    queued: db.prepare(
      `SELECT 1 FROM (SELECT fp FROM queue WHERE host = (SELECT id FROM hosts WHERE host = ?)
       ORDER BY priority, seq LIMIT ${MAX_LOOKED_AT}) WHERE fp = ? LIMIT 1`,
    ),
  }
}
