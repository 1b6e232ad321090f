import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { StatusReport, StoreStatus } from '../../../core/reports/status-report.ts'
import type { KeptCounts } from '../../contracts/store-set.ts'
import { isGivenUpSql, isRestingSql } from '../../rules/host-ranking.ts'
import { createTurns, type Database, openDatabase } from './database.ts'
import { openCatalogForReading, paths, readFacts } from './folder.ts'
import { frontierMigrations } from './schema-frontier.ts'

const LAST_SHOWN = 10

/** Status of a data folder, read from outside, also while a crawl is running in it. */
export function readStatus(folder: string): Omit<StoreStatus, 'lastCollection'> {
  const catalog = openCatalogForReading(folder)
  try {
    const one = (sql: string) => catalog.prepare(sql).get() as Record<string, number>
    const run = catalog.prepare('SELECT id, started_at, finished_at FROM runs ORDER BY id DESC LIMIT 1').get() as
      | { id: number; started_at: number; finished_at: number | null }
      | undefined
    const last = catalog
      .prepare('SELECT url, outcome, checked_at FROM documents ORDER BY checked_at DESC LIMIT ?')
      .all(LAST_SHOWN)
    const { documents, versions, bodies } = one(
      'SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM versions) AS versions, (SELECT count(*) FROM bodies) AS bodies',
    )
    const watching = one(
      `SELECT (SELECT count(*) FROM profiles) AS profiles, (SELECT count(DISTINCT watch) FROM urds) AS sources,
       (SELECT count(*) FROM tasks WHERE aside_at = 0) AS tasks, (SELECT count(*) FROM annotations) AS annotations`,
    ) as StatusReport['watching']
    return {
      watching: { ...watching },
      sources: readSources(catalog),
      frontier: readFrontiers(folder, readFacts(catalog)?.shards ?? 0, run?.id ?? 0),
      documents: { documents: documents!, versions: versions!, bodies: bodies! },
      disk: readDisk(folder),
      lastRun:
        run === undefined
          ? null
          : {
              id: run.id,
              startedAt: iso(run.started_at),
              finishedAt: run.finished_at === null ? null : iso(run.finished_at),
            },
      lastOutcomes: (last as { url: string; outcome: string; checked_at: number }[]).map(
        ({ url, outcome, checked_at }) => ({ url, outcome, at: iso(checked_at) }),
      ),
    }
  } finally {
    catalog.close()
  }
}

/** The most recently checked sources. */
function readSources(catalog: Database): StatusReport['sources'] {
  const rows = catalog
    .prepare(
      `SELECT uri, outcome, status, checked_at FROM watches WHERE id IN (SELECT watch FROM urds)
       ORDER BY checked_at DESC LIMIT ?`,
    )
    .all(LAST_SHOWN) as { uri: string; outcome: string; status: number; checked_at: number }[]
  return rows.map(({ uri, outcome, status, checked_at }) => ({
    uri,
    outcome: outcome === '' ? 'not checked yet' : outcome,
    status,
    checkedAt: checked_at === 0 ? null : iso(checked_at),
  }))
}

function readFrontiers(folder: string, shards: number, run: number) {
  const sum = { queued: 0, seen: 0, hosts: 0, hostsResting: 0, hostsGivenUp: 0 }
  for (let shard = 0; shard < shards; shard++) {
    const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, readOnly: true })
    try {
      for (const { name, value } of db.prepare('SELECT name, value FROM facts').all() as {
        name: string
        value: number
      }[]) {
        if (name === 'queued' || name === 'seen') sum[name] += value
      }
      const hosts = db
        .prepare(
          `SELECT count(*) AS hosts, coalesce(sum(${isRestingSql} AND run = :run), 0) AS resting,
           coalesce(sum(${isGivenUpSql(':run')}), 0) AS givenUp FROM hosts`,
        )
        .get({ run }) as { hosts: number; resting: number; givenUp: number }
      sum.hosts += hosts.hosts
      sum.hostsResting += hosts.resting
      sum.hostsGivenUp += hosts.givenUp
    } finally {
      db.close()
    }
  }
  return sum
}

export function readDisk(folder: string) {
  const archive = paths.archive(folder)
  const names = existsSync(archive) ? readdirSync(archive) : []
  const databases = [
    paths.catalog(folder),
    ...readdirSync(join(folder, 'frontier')).map((name) => join(folder, 'frontier', name)),
  ]
  const { bavail, bsize } = statfsSync(folder)
  const bytesOf = (files: string[]): number =>
    files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  return {
    archiveFiles: names.length,
    archiveBytes: bytesOf(names.map((name) => join(archive, name))),
    databaseBytes: bytesOf(databases),
    freeBytes: bavail * bsize,
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

const MAX_MS = 10_000
const PORTION = 50_000

/** Counts in batches and using only indexes, so that others aren't blocked if there are millions of rows. */
export function createSqliteKeptCounter(db: Database): () => Promise<KeptCounts> {
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
