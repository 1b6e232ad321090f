import { AppError } from '../../../core/errors.ts'
import type { ImportFacts, ImportKind, ImportRow, ImportState, ImportTarget } from '../../contracts/import.ts'
import type { RecordKeeper } from '../archive/record-keeper.ts'
import { storedLength } from '../archive/record-parts.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { partitionOfId } from '../connection/row-batch.ts'
import { trySessionLock } from '../connection/session-lock.ts'
import { counterFaults, setImportCounters } from './import-counters.ts'
import { advanceMark, firstImportState, insertMark, readMark, refuseLiveNodes } from './import-progress.ts'
import { importTables, recordTable } from './import-tables.ts'
import { compareRows, insertRows, type Statement } from './row-statements.ts'

type Packed = { send: readonly Statement[]; bytes: number }

/** Any number that no other advisory lock uses. */
const LOCK = 7_252_021
/** Maximum size of the records in one statement, unless a single part is larger. */
const MAX_STATEMENT_BYTES = 8 << 20

const statements = {
  seed: `INSERT INTO control (name, value) VALUES ('seed', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  originals: `SELECT r.place FROM unnest($1::smallint[], $2::bigint[], $3::bytea[]) WITH ORDINALITY
      AS r(partition, original, digest, place)
    JOIN versions x ON x.partition = r.partition AND x.id = r.original AND x.digest = r.digest
    WHERE x.body = 'kept' AND x.original = x.id`,
}

/** The store that a folder is moved into. One process at a time: a lock on a dedicated connection keeps others out. */
export async function openImportTarget(pool: PostgresPool, keeper: RecordKeeper): Promise<ImportTarget> {
  const lock = await trySessionLock(pool, LOCK)
  if (lock === null)
    throw new AppError('store-locked', 'Another process is moving a folder into this store. Wait for it or stop it.')

  async function begin(source: string, facts: ImportFacts): Promise<ImportState> {
    await refuseLiveNodes(pool)
    const known = await readMark(pool)
    if (known !== null) return continued(known, source)
    const fresh = firstImportState(source)
    await pool.transaction(async (tx) => {
      await refuseFilled(tx)
      await tx.query(statements.seed, [JSON.stringify(facts.seed)])
      await insertMark(tx, fresh)
    })
    return fresh
  }

  return {
    begin,
    mark: () => readMark(pool),
    async pack(kind, rows) {
      const { send, bytes } = await pack(kind, rows, keeper)
      return {
        bytes,
        write: (before, after) =>
          pool.transaction(async (tx) => {
            for (const { text, values } of send) await tx.query(text, values)
            await advanceMark(tx, before, after)
          }),
      }
    },
    note: (before, after) => advanceMark(pool, before, after),
    async settle(facts, before, after) {
      await pool.transaction(async (tx) => {
        await setImportCounters(tx, facts)
        await advanceMark(tx, before, after)
      })
      await analyse(pool)
    },
    async compare(kind, rows) {
      if (rows.length === 0) return []
      const places = new Set<number>()
      for (const table of importTables[kind]) {
        const { text, values } = compareRows(table, rows)
        for (const place of othersOf(rows, await pool.query<Placed>(text, values))) places.add(place)
      }
      return [...places].sort((a, b) => a - b)
    },
    async strays(versions) {
      if (versions.length === 0) return []
      const found = await pool.query<Placed>(statements.originals, [
        versions.map(({ original }) => partitionOfId(original as number)),
        versions.map(({ original }) => original),
        versions.map(({ digest }) => digest),
      ])
      return othersOf(versions, found)
    },
    checkDerived: async () => (await pool.query<{ fault: string }>(counterFaults)).map(({ fault }) => fault),
    count: (kind) =>
      pool.transaction(async (tx) => {
        await tx.unhurried()
        return (await tx.query<{ n: number }>(`SELECT count(*) AS n FROM ${importTables[kind][0]!.name}`))[0]!.n
      }),
    async close() {
      await keeper.close()
      await lock.release()
      await pool.close()
    },
  }
}

type Placed = { place: number }

/** The indexes (from 0) of items that weren't found; `found` counts from 1. */
function othersOf(all: readonly unknown[], found: readonly Placed[]): number[] {
  const places = new Set(found.map(({ place }) => place - 1))
  return [...all.keys()].filter((place) => !places.has(place))
}

/** Updates the planner's statistics for the new rows. Failures are ignored: autovacuum will do it before long. */
async function analyse(pool: PostgresPool): Promise<void> {
  const client = await pool.connection()
  try {
    await client.query('SET statement_timeout = 0')
    await client.query('ANALYZE')
    await client.query('RESET statement_timeout')
    client.release()
  } catch {
    client.release(true)
  }
}

function continued(known: ImportState, source: string): ImportState {
  const [folder] = source.split('-')
  if (known.source === source && (known.phase !== 'done' || known.faultCount > 0)) return known
  if (known.source === source)
    throw new AppError('store-refused', 'This folder was moved into this store already, and all of it was found there.')
  throw new AppError(
    'store-refused',
    known.source.startsWith(`${folder}-`)
      ? 'The folder was used since it began to be moved into this store. Empty the database and move it again.'
      : 'Another folder was moved into this store. A folder can only be moved into an empty one.',
  )
}

async function refuseFilled(tx: Tx): Promise<void> {
  const names = new Set(Object.values(importTables).flatMap((tables) => tables.map(({ name }) => name)))
  for (const name of [...names, 'records']) {
    const [row] = await tx.query<{ filled: boolean }>(`SELECT EXISTS (SELECT 1 FROM ${name}) AS filled`)
    if (row?.filled === true)
      throw new AppError(
        'store-refused',
        `The store is not empty (${name}). A folder can only be moved into an empty one.`,
      )
  }
}

async function pack(kind: ImportKind, rows: readonly ImportRow[], keeper: RecordKeeper): Promise<Packed> {
  if (rows.length === 0) return { send: [], bytes: 0 }
  if (kind === 'versions') return packVersions(rows, keeper)
  return { send: importTables[kind].map((table) => insertRows(table, rows)), bytes: 0 }
}

/** Stores records as when they are fetched; the resulting lengths go into the rows of their versions. */
async function packVersions(rows: readonly ImportRow[], keeper: RecordKeeper): Promise<Packed> {
  const send: Statement[] = []
  const versions: ImportRow[] = []
  let records: ImportRow[] = []
  let pending = 0
  let bytes = 0
  const contents = rows.flatMap(({ content }) => (content === null ? [] : [content as Buffer]))
  const kept = (await keeper.keep(contents.map((content) => [content]))).values()
  const finish = (): void => {
    if (records.length > 0) send.push(insertRows(recordTable, records))
    records = []
    pending = 0
  }
  for (const row of rows) {
    const content = row.content as Buffer | null
    let length = 0
    if (content !== null) {
      bytes += content.length
      const parts = kept.next().value!
      length = storedLength(parts)
      for (const [part, { coding, bytes: stored }] of parts.entries()) {
        if (pending + stored.length > MAX_STATEMENT_BYTES) finish()
        records.push({ partition: row.partition!, id: row.id!, part, coding, bytes: stored })
        pending += stored.length
      }
    }
    versions.push({ ...row, length })
  }
  finish()
  send.push(insertRows(importTables.versions[0]!, versions))
  return { send, bytes }
}
