import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { AppError, isAppError } from '../../../core/errors.ts'
import { leftoversIn } from '../archive/archive-copy.ts'
import type { Migration } from '../folder/database.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { archiveFileName, type Manifest, refused } from './backup-manifest.ts'

/**
 * Checks whether the databases of a backup can be used here. They are as untrusted as the backup: they must not contain anything that
 * runs by itself, such as triggers, or archive files outside the folder, since files in the catalogue are written to,
 * truncated and removed.
 */
export function checkRestoredDatabases(data: string, { entries }: Manifest): void {
  const frontiers = entries.map(({ name }) => name).filter((name) => name.startsWith('frontier/'))
  const shards = look(data, 'catalog.db', catalogMigrations, (db) => {
    for (const { name } of db.prepare('SELECT name FROM files').iterate() as Iterable<{ name: unknown }>)
      checkFileName(name)
    for (const name of leftoversIn(db)) checkFileName(name)
    const row = db.prepare(`SELECT value FROM facts WHERE name = 'shards'`).get() as { value: unknown } | undefined
    return Number(row?.value)
  })
  const expected = Array.from(
    { length: frontiers.length },
    (_, shard) => `frontier/${String(shard).padStart(2, '0')}.db`,
  )
  if (shards !== frontiers.length || expected.some((name) => !frontiers.includes(name)))
    throw refused(`its catalogue is of ${shards} shards, and there are frontiers of ${frontiers.length}`)
  for (const name of frontiers) look(data, name, frontierMigrations, () => 0)
}

function checkFileName(name: unknown): void {
  if (typeof name !== 'string' || !archiveFileName.test(name))
    throw refused(`its catalogue names an archive file ${JSON.stringify(String(name).slice(0, 100))}`)
}

function look<T>(data: string, name: string, migrations: readonly Migration[], work: (db: DatabaseSync) => T): T {
  // Immutable: reading leaves no files next to the database.
  const url = pathToFileURL(join(data, name))
  url.searchParams.set('immutable', '1')
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(url, { readOnly: true })
    const { user_version: schema } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    const newest = migrations.at(-1)!.id
    if (schema > newest)
      throw new AppError('store-too-new', `${name} in the backup has schema ${schema}, this program knows ${newest}`)
    checkActing(db, name, migrations.slice(0, schema))
    return work(db)
  } catch (error) {
    throw isAppError(error) ? error : refused(`${name}: ${(error as Error).message}`, error)
  } finally {
    db?.close()
  }
}

/**
 * Triggers and virtual tables must be exactly those that the migrations create: any other could run by itself, and without them the
 * data they maintain would become wrong.
 */
function checkActing(db: DatabaseSync, name: string, migrations: readonly Migration[]): void {
  const own = new DatabaseSync(':memory:')
  try {
    for (const { sql } of migrations) own.exec(sql)
    const expected = new Map(actingIn(own).map(({ what, sql }) => [what, sql]))
    const found = actingIn(db)
    if (found.some(({ what, sql }) => expected.get(what) !== sql))
      throw refused(`${name} holds more than tables and what belongs to them`)
    const missing = [...expected.keys()].find((key) => !found.some(({ what }) => what === key))
    if (missing !== undefined) throw refused(`${name} lacks the ${missing}`)
  } finally {
    own.close()
  }
}

function actingIn(db: DatabaseSync): { what: string; sql: string }[] {
  return db
    .prepare(
      `SELECT type || ' ' || name AS what, sql FROM sqlite_schema
       WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'`,
    )
    .all() as { what: string; sql: string }[]
}
