import { createHash } from 'node:crypto'
import type { CountedTable, ImportFacts } from '../../contracts/import.ts'
import type { Database } from '../folder/database.ts'

export const numberFrom = (db: Database, sql: string): number =>
  (db.read(() => db.prepare(sql).get()) as { n: number }).n

/** Whoever opens the folder for a crawl makes the epoch grow. */
export function identityOf(db: Database, seed: readonly number[]): string {
  const epoch = numberFrom(db, `SELECT coalesce((SELECT value FROM facts WHERE name = 'epoch'), 0) AS n`)
  return `${createHash('sha256')
    .update(`erace ${seed.join(' ')}`)
    .digest('hex')
    .slice(0, 24)}-${epoch}`
}

export function readImportFacts(db: Database, frontiers: readonly Database[], seed: [number, number]): ImportFacts {
  const fact = (name: string): unknown =>
    (db.read(() => db.prepare('SELECT value FROM facts WHERE name = ?').get(name)) as { value: unknown } | undefined)
      ?.value
  const setup = fact('setup')
  const shardFacts = (name: string): number[] =>
    frontiers.map((file) =>
      numberFrom(file, `SELECT coalesce((SELECT value FROM facts WHERE name = '${name}'), 0) AS n`),
    )
  return {
    seed,
    run: Math.max(0, ...shardFacts('run')),
    clean: shardFacts('clean').every((clean) => clean === 1),
    setup: setup instanceof Uint8Array ? Buffer.from(setup).toString('hex') : null,
    revisions: { profiles: Number(fact('profiles') ?? 0), accounts: Number(fact('accounts') ?? 0) },
    highest: readHighest(db),
  }
}

/** Numbers of rows that are gone count too where they may still be named somewhere. */
function readHighest(db: Database): Record<CountedTable, number> {
  const highest = (...columns: [table: string, column: string][]): number =>
    Math.max(
      0,
      ...columns.map(([table, column]) => numberFrom(db, `SELECT coalesce(max(${column}), 0) AS n FROM ${table}`)),
    )
  const given = (table: string): number =>
    Math.max(
      highest([table, 'id']),
      numberFrom(db, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0) AS n`),
    )
  return {
    ids: Math.max(
      given('tasks'),
      highest(['documents', 'id'], ['versions', 'id'], ['links', 'id'], ['bodies', 'version'], ['holds', 'version']),
      highest(['annotations', 'version'], ['also_at', 'version'], ['stories', 'version'], ['watches', 'mark']),
    ),
    accounts: given('accounts'),
    sessions: given('sessions'),
    tokens: given('tokens'),
    watches: highest(['watches', 'id']),
    urds: given('urds'),
    annotations: given('annotations'),
  }
}
