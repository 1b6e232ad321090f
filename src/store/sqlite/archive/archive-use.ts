import { AppError } from '../../../core/errors.ts'
import type { ArchiveFile } from '../../contracts/objects.ts'
import type { Database } from '../folder/database.ts'

/** How much of an archive file is still referenced. */
export type FileUse = Omit<ArchiveFile, 'kind' | 'path'> & {
  livingBytes: number
  records: number
  /** Range of version ids that includes all its records. */
  firstVersion: number
  lastVersion: number
  /** It has the highest id: its row must stay, or the next file would get the same id. */
  isLast: boolean
}

type SumRow = { file: number; bytes: number; records: number; low: number; high: number }

/** Versions per statement: short statements let others write in between. */
const STEP = 50_000

/** Measures the files that exist at the start; files added meanwhile are too new to contain waste. */
export function measureFiles(db: Database): FileUse[] {
  const files = new Map(selectFiles(db, 'TRUE').map((file) => [file.id, file]))
  const sums = db.prepare(
    `SELECT file, sum(length) AS bytes, count(*) AS records, min(id) AS low, max(id) AS high FROM versions
     WHERE id BETWEEN ? AND ? AND file > 0 GROUP BY file`,
  )
  const newest = highestVersion(db)
  for (let from = 1; from <= newest; from += STEP) {
    const rows = db.read(() => sums.all(from, from + STEP - 1)) as SumRow[]
    for (const row of rows) add(files.get(row.file), row)
  }
  return [...files.values()]
}

/** The current use of one file. */
export function fileOf(db: Database, id: number): FileUse {
  const [file] = selectFiles(db, `id = ${Math.trunc(id)}`)
  if (file === undefined) throw new AppError('store-failed', `archive file ${id} is not there any more`)
  const row = db
    .prepare(
      `SELECT file, sum(length) AS bytes, count(*) AS records, min(id) AS low, max(id) AS high FROM versions
       WHERE file = ? GROUP BY file`,
    )
    .get(id) as SumRow | undefined
  if (row !== undefined) add(file, row)
  return file
}

function add(file: FileUse | undefined, { bytes, records, low, high }: SumRow): void {
  if (file === undefined) return
  file.firstVersion = file.records === 0 ? low : Math.min(file.firstVersion, low)
  file.lastVersion = Math.max(file.lastVersion, high)
  file.livingBytes += bytes
  file.records += records
}

function selectFiles(db: Database, condition: string): FileUse[] {
  const rows = db
    .prepare(
      `SELECT id, name, state, length, id = (SELECT max(id) FROM files) AS last FROM files WHERE ${condition} ORDER BY id`,
    )
    .all() as (Omit<ArchiveFile, 'kind' | 'path'> & { last: 0 | 1 })[]
  return rows.map(({ last, ...file }) => ({
    ...file,
    livingBytes: 0,
    records: 0,
    firstVersion: 0,
    lastVersion: 0,
    isLast: last === 1,
  }))
}

function highestVersion(db: Database): number {
  return (db.prepare('SELECT coalesce(max(id), 0) AS id FROM versions').get() as { id: number }).id
}
