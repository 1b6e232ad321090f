import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { storeError } from './database.ts'
import { openCatalogForReading, paths, readFacts } from './folder.ts'

export type StoreFault = { file: string; offset: null; url: string | null; message: string }

const MAX_MESSAGES = 20

/** What is wrong with the databases themselves: their pages, and rows of the catalogue that point at nothing. */
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
    faults.push(fault(paths.catalog(folder), storeError(error, paths.catalog(folder)).message))
  } finally {
    catalog.close()
  }
  return faults
}

const danglingRows: readonly [what: string, sql: string][] = [
  [
    'documents whose current version is not there',
    'SELECT count(*) AS n FROM documents d WHERE version > 0 AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.id = d.version)',
  ],
  [
    'versions of documents that are not there',
    'SELECT count(*) AS n FROM versions v WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = v.document)',
  ],
  [
    'versions in archive files that are not there',
    'SELECT count(*) AS n FROM versions v WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.id = v.file)',
  ],
  [
    'repeated bodies whose original is not there',
    'SELECT count(*) AS n FROM versions v WHERE original <> id AND NOT EXISTS (SELECT 1 FROM versions o WHERE o.id = v.original AND o.digest = v.digest)',
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
    return [fault(path, `${storeError(error, path).message}. Restore it from a backup.`)]
  } finally {
    db?.close()
  }
}

function fault(file: string, message: string): StoreFault {
  return { file, offset: null, url: null, message }
}
