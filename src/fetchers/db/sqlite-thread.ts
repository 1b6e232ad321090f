import { constants, DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { binaryCell, type Cell, nullCell, numberCell, textCell, uniqueNames } from './rows.ts'
import type { ReadLimits, Table } from './sql-reader.ts'

/** Input of a thread that runs one query on one file and posts the result. */
export type SqliteJob = { path: string; query: string; limits: ReadLimits }
export type SqliteAnswer = { kind: 'table'; table: Table } | { kind: 'failed'; errcode: number; message: string }

const busyTimeoutMs = 2000
const allowed = new Set([
  ...[constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_FUNCTION, constants.SQLITE_RECURSIVE],
  // Spatial indexes prepare these before they read. The file is open read-only, so they can't be run.
  ...[constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE],
])

function isAllowed(action: number, first: string | null, second: string | null): boolean {
  // Full-text search checks whether the file has changed.
  if (action === constants.SQLITE_PRAGMA) return first === 'data_version' && second === null
  return allowed.has(action) && second !== 'load_extension'
}

function read({ path, query, limits }: SqliteJob): Table {
  const db = new DatabaseSync(path, { readOnly: true, allowExtension: false, timeout: busyTimeoutMs })
  try {
    // The schema is as untrusted as the query. Sorting stays in memory, which is limited; disk space is not.
    db.exec(
      'PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON',
    )
    db.enableDefensive(true)
    db.setAuthorizer((action, first, second) =>
      isAllowed(action, first, second) ? constants.SQLITE_OK : constants.SQLITE_DENY,
    )
    const statement = db.prepare(query)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    const table: Table = { names: uniqueNames(statement.columns().map(({ name }) => name)), rows: [], isCapped: false }
    let bytes = 0
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
      table.isCapped = table.rows.length >= limits.maxRows || bytes > limits.maxBytes
      if (table.isCapped) break
      const cells = row.map(cellOf)
      for (const cell of cells) bytes += cell.length
      table.rows.push(cells)
    }
    return table
  } finally {
    db.close()
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string') return textCell(value)
  if (typeof value === 'bigint' || typeof value === 'number') return numberCell(String(value))
  return value instanceof Uint8Array ? binaryCell(Buffer.from(value)) : nullCell
}

function answer(): SqliteAnswer {
  try {
    return { kind: 'table', table: read(workerData as SqliteJob) }
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number }
    return { kind: 'failed', errcode, message }
  }
}

parentPort?.postMessage(answer())
