import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { collectableSql } from '../../rules/collectable.ts'
import type { LostVersions } from '../../rules/versioning.ts'
import { markLost } from '../documents/lost-versions.ts'
import type { Database } from './database.ts'
import { storeError } from './database.ts'
import { openCatalogForReading, paths, readFacts } from './folder.ts'

export type StoreFault = { file: string; offset: null; url: string | null; message: string }

const MAX_MESSAGES = 20

/** Faults of the databases themselves: damaged pages, and dangling references in the catalogue. */
export function checkDatabases(folder: string): StoreFault[] {
  const catalog = openCatalogForReading(folder)
  const faults: StoreFault[] = []
  try {
    const shards = readFacts(catalog)?.shards ?? 0
    const files = [
      paths.catalog(folder),
      ...Array.from({ length: shards }, (_, shard) => paths.frontier(folder, shard)),
    ]
    for (const file of files) faults.push(...checkPages(file))
    const count = (sql: string): number => (catalog.prepare(sql).get() as { n: number }).n
    for (const [what, sql] of danglingRows) {
      const n = count(sql)
      if (n > 0) faults.push(fault(paths.catalog(folder), `${n} ${what}`))
    }
  } catch (error) {
    faults.push(fault(paths.catalog(folder), damageIn(error, paths.catalog(folder))))
  } finally {
    catalog.close()
  }
  return faults
}

/** Conditions for versions `v` whose body can't be read, judging by the catalogue alone. */
export const damagedRows = {
  strayed: 'v.file <> 0 AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = v.file)',
  bare: collectableSql.hasNoRecord('file'),
  orphaned: collectableSql.hasNoOriginal('o.id = v.original'),
} as const

const danglingRows: readonly [what: string, sql: string][] = [
  [
    'documents whose current version is not there',
    'SELECT count(*) AS n FROM documents d WHERE version > 0 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.id = d.version)',
  ],
  [
    'documents whose current version is not their newest',
    `SELECT count(*) AS n FROM documents d WHERE version <>
     coalesce((SELECT v.id FROM versions v WHERE v.document = d.id ORDER BY v.n DESC LIMIT 1), version)`,
  ],
  [
    'versions that are older than one with a smaller number',
    `SELECT count(*) AS n FROM
     (SELECT id, lag(id) OVER (PARTITION BY document ORDER BY n) AS before FROM versions) WHERE before > id`,
  ],
  [
    'versions of documents that are not there',
    'SELECT count(*) AS n FROM versions v WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = v.document)',
  ],
  ['versions in archive files that are not there', `SELECT count(*) AS n FROM versions v WHERE ${damagedRows.strayed}`],
  [
    'versions outside of the range of their archive file',
    'SELECT count(*) AS n FROM versions v JOIN files f ON f.id = v.file WHERE v.id NOT BETWEEN f.first_version AND f.last_version',
  ],
  ['kept versions without a record', `SELECT count(*) AS n FROM versions v WHERE ${damagedRows.bare}`],
  [
    'repeated bodies whose original is not there or not kept',
    `SELECT count(*) AS n FROM versions v WHERE ${damagedRows.orphaned}`,
  ],
  [
    'known bodies that are not kept',
    `SELECT count(*) AS n FROM bodies b WHERE NOT EXISTS
     (SELECT 1 FROM versions v WHERE v.id = b.version AND v.digest = b.digest AND v.body = 'kept')`,
  ],
  [
    'held versions that are not there',
    'SELECT count(*) AS n FROM holds h WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.id = h.version)',
  ],
]

function checkPages(path: string): StoreFault[] {
  if (!existsSync(path)) return [fault(path, 'the file is missing. Restore it from a backup.')]
  let db: DatabaseSync | null = null
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: 20_000 })
    const rows = db.prepare(`PRAGMA integrity_check(${MAX_MESSAGES})`).all() as { integrity_check: string }[]
    return rows
      .filter((row) => row.integrity_check !== 'ok')
      .map((row) => fault(path, `${row.integrity_check}. Restore it from a backup.`))
  } catch (error) {
    return [fault(path, `${damageIn(error, path)}. Restore it from a backup.`)]
  } finally {
    db?.close()
  }
}

/** What the error says about the file; throws if it says nothing, as on a full disk. */
function damageIn(error: unknown, path: string): string {
  const failure = storeError(error, path)
  if (failure.code === 'store-full' || failure.code === 'store-locked') throw failure
  return failure.message
}

function fault(file: string, message: string): StoreFault {
  return { file, offset: null, url: null, message }
}

export type ArchiveDamage = {
  /** Versions whose records can't be read. */
  versionIds: number[]
  /** Archive files that are missing. */
  missingFiles: number[]
  /** Archive files that are shorter than the catalogue says. */
  shortFiles: number[]
}

/** Corrects rows that follow from others: current versions, ranges of archive files, pins of versions that are not there. */
const derivedRows = `
  UPDATE documents SET version = newest.id
  FROM (SELECT id, document, max(n) FROM versions GROUP BY document) AS newest
  WHERE newest.document = documents.id AND documents.version <> newest.id;
  UPDATE documents SET version = 0
  WHERE version > 0 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = documents.id);
  UPDATE files SET first_version = min(first_version, held.low), last_version = max(last_version, held.high)
  FROM (SELECT file, min(id) AS low, max(id) AS high FROM versions GROUP BY file) AS held
  WHERE held.file = files.id AND (first_version > held.low OR last_version < held.high);
  DELETE FROM holds WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.id = holds.version);
`

export type Repair = { lost: LostVersions; forgottenFiles: number }

/**
 * Marks everything that can no longer be read as lost, in one transaction, so that the catalogue refers only to what is in the archive,
 * and corrects what follows from other rows. The archive itself is left unchanged. No other process may be writing.
 */
export function giveUpSqliteDamage(db: Database, { versionIds, missingFiles, shortFiles }: ArchiveDamage): Repair {
  return db.write(() => {
    const inFile = db.prepare('SELECT id FROM versions WHERE file = ?')
    db.exec(derivedRows)
    const idsOf = (rows: unknown[]): number[] => (rows as { id: number }[]).map(({ id }) => id)
    const ids = new Set(versionIds)
    for (const fileId of missingFiles) for (const id of idsOf(inFile.all(fileId))) ids.add(id)
    for (const condition of Object.values(damagedRows))
      for (const id of idsOf(db.prepare(`SELECT v.id FROM versions v WHERE ${condition}`).all())) ids.add(id)
    const lost = markLost(db, ids)
    db.exec(`DELETE FROM bodies WHERE NOT EXISTS
      (SELECT 1 FROM versions v WHERE v.id = bodies.version AND v.digest = bodies.digest AND v.body = 'kept')`)
    for (const fileId of missingFiles) db.prepare('DELETE FROM files WHERE id = ?').run(fileId)
    // Bytes after the last needed record don't count; the next record starts a new file.
    const shorten = db.prepare(
      `UPDATE files SET state = iif(state = 'open', 'closed', state),
       length = (SELECT coalesce(max(offset + length), 0) FROM versions v WHERE v.file = files.id) WHERE id = ?`,
    )
    for (const fileId of shortFiles) shorten.run(fileId)
    return { lost, forgottenFiles: missingFiles.length }
  })
}
