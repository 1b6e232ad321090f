import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ImportKind, type ImportRow, type ImportValue, importKinds } from '../../contracts/import.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { type ColumnType, type ImportTable, importTables } from './import-tables.ts'
import { compareRows, insertRows } from './row-statements.ts'

usePostgres()

const awkward = [
  '',
  'NULL',
  'null',
  '{a,b}',
  '"quoted"',
  'back\\slash\\',
  "it's",
  'new\nline',
  'null \0 byte',
  '研究 🙂',
  '\\x41',
]

function sampleOf(type: ColumnType, n: number): ImportValue {
  switch (type) {
    case 'bigint':
      return n % 2 === 0 ? (n + 1) * 256 : String(9_007_199_254_740_993n + BigInt(n))
    case 'int':
    case 'smallint':
      return n + 1
    case 'float8':
      return n + 0.1
    case 'boolean':
      return n % 2 === 0
    case 'bytea':
    case 'packed':
      return Buffer.from([n, 0, 255, 92, 34])
    default:
      return `${awkward[n % awkward.length]}${n}`
  }
}

/** Values in the form that derived columns need. */
const special: Record<string, (n: number) => ImportValue> = {
  summary: (n) => JSON.stringify({ text: `words ${n} \0` }),
  url: (n) => `http://example.org/${n}`,
  list: (n) => `list ${awkward[n % awkward.length]}`,
  naming: (n) => n,
  finished_at: (n) => (n === 0 ? null : n),
  notice: (n) => (n === 0 ? null : awkward[n]!),
  text: (n) => (n === 0 ? null : Buffer.from([n])),
}

function rowOf(kind: ImportKind, n: number): ImportRow {
  const row: ImportRow = {}
  for (const { columns } of importTables[kind])
    for (const { name, type } of columns) {
      const isText = type === 'text' && name === 'text'
      row[name] = isText ? sampleOf(type, n) : (special[name]?.(n) ?? (special[name] ? null : sampleOf(type, n)))
    }
  return row
}

describe('imported rows', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
    // This index allows only one unfinished run, which isn't tested here.
    await database.pool.query('DROP INDEX runs_current')
  })
  after(() => database.destroy())

  /** Places of rows that are missing or differ. */
  const placesOf = async (table: ImportTable, rows: readonly ImportRow[]): Promise<number[]> => {
    const { text, values } = compareRows(table, rows)
    const same = new Set((await database.pool.query<{ place: number }>(text, values)).map(({ place }) => place))
    return rows.map((_, n) => n + 1).filter((place) => !same.has(place))
  }

  for (const kind of importKinds)
    test(`${kind}: arrive unchanged, and a difference in any column is detected`, async () => {
      const rows = awkward.map((_, n) => rowOf(kind, n))
      for (const table of importTables[kind]) {
        assert.deepEqual(
          await placesOf(table, rows),
          rows.map((_, n) => n + 1),
          'none is there yet',
        )
        const { text, values } = insertRows(table, rows)
        await database.pool.query(text, values)
        assert.deepEqual(await placesOf(table, rows), [], table.name)
        for (const { name, type, checked } of table.columns) {
          if (!checked || type === 'tsvector' || table.derive !== undefined) continue
          const before = rows[1]![name]
          const other = typeof before === 'boolean' ? !before : sampleOf(type, 77)
          assert.deepEqual(
            await placesOf(table, [rows[0]!, { ...rows[1]!, [name]: other }]),
            [2],
            `${table.name}.${name}`,
          )
        }
      }
    })
})
