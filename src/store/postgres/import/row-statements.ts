import type { ImportRow, ImportValue } from '../../contracts/import.ts'
import { storable, textArray } from '../connection/row-batch.ts'
import type { ColumnType, ImportColumn, ImportTable } from './import-tables.ts'

/**
 * Rows are written from one array per column and compared from JSON: two independent encodings, so that a bug in either shows as a
 * difference.
 */

export type Statement = { text: string; values: readonly unknown[] }

const integers: ReadonlySet<ColumnType> = new Set(['bigint', 'int', 'smallint'])

/** The value as the database will return it. Fractions of a millisecond are rounded. */
function kept(type: ColumnType, value: ImportValue | undefined): ImportValue {
  if (value === undefined || value === null) return null
  if (type === 'text' || type === 'tsvector') return storable(value as string)
  return integers.has(type) && typeof value === 'number' ? Math.round(value) : value
}

const serverType = (type: ColumnType): string => (type === 'packed' ? 'bytea' : type)
const quoted = (name: string): string => `"${name}"`

const writes = new Map<string, string>()

/** One statement that inserts these rows into a table. */
export function insertRows(table: ImportTable, rows: readonly ImportRow[]): Statement {
  const given = table.derive === undefined ? rows : rows.map(table.derive)
  const values: unknown[] = []
  for (const { name, type } of table.columns) {
    const column = given.map((row) => kept(type, row[name]))
    if (type === 'packed') values.push(...packed(column as Buffer[]))
    else values.push(arrayOf(type, column))
  }
  const text = writes.get(table.name) ?? insertText(table)
  writes.set(table.name, text)
  return { text, values }
}

/** A packed column takes three parameters: all bytes, and the offsets and lengths of each row's. */
function insertText({ name, columns, isShared }: ImportTable): string {
  const arrays: string[] = []
  const aliases: string[] = []
  const selected: string[] = []
  let parameter = 0
  for (const column of columns) {
    const alias = quoted(column.name)
    if (column.type !== 'packed') {
      arrays.push(`$${++parameter}::${arrayType(column)}[]`)
      aliases.push(alias)
      selected.push(column.type === 'tsvector' ? `r.${alias}::tsvector` : `r.${alias}`)
      continue
    }
    const bytes = ++parameter
    arrays.push(`$${++parameter}::int[]`, `$${++parameter}::int[]`)
    aliases.push(quoted(`${column.name}_at`), quoted(`${column.name}_length`))
    selected.push(`substring($${bytes}::bytea FROM r.${aliases.at(-2)} FOR r.${aliases.at(-1)})`)
  }
  const names = columns.map((column) => quoted(column.name)).join(', ')
  return `INSERT INTO ${name} (${names}) SELECT ${isShared === true ? 'DISTINCT ' : ''}${selected.join(', ')}
    FROM unnest(${arrays.join(', ')}) AS r(${aliases.join(', ')})${isShared === true ? ' ON CONFLICT DO NOTHING' : ''}`
}

const arrayType = ({ type }: ImportColumn): string => (type === 'tsvector' ? 'text' : serverType(type))

function packed(column: readonly Buffer[]): [bytes: Buffer, places: string, lengths: string] {
  let place = 1
  const places = column.map(({ length }) => {
    const start = place
    place += length
    return start
  })
  return [Buffer.concat(column), `{${places.join(',')}}`, `{${column.map(({ length }) => length).join(',')}}`]
}

function arrayOf(type: ColumnType, column: readonly ImportValue[]): string {
  if (type === 'text' || type === 'tsvector') return textArray(column as (string | null)[])
  if (type !== 'bytea') return `{${column.map((value) => (value === null ? 'NULL' : String(value))).join(',')}}`
  const items = column.map((value) => (value === null ? 'NULL' : `"\\\\x${(value as Buffer).toString('hex')}"`))
  return `{${items.join(',')}}`
}

const compares = new Map<string, string>()

/** Returns the indexes (from 1) of rows that exist and are equal. */
export function compareRows(table: ImportTable, rows: readonly ImportRow[]): Statement {
  const given = table.derive === undefined ? rows : rows.map(table.derive)
  const checked = table.columns.filter((column) => column.checked)
  const list = given.map((row, place) => {
    const item: Record<string, unknown> = { place_: place + 1 }
    for (const { name, type } of checked) item[name] = jsonValue(kept(type, row[name]))
    return item
  })
  const text = compares.get(table.name) ?? compareText(table, checked)
  compares.set(table.name, text)
  return { text, values: [JSON.stringify(list)] }
}

const jsonValue = (value: ImportValue): unknown => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)

function compareText({ name, key }: ImportTable, checked: readonly ImportColumn[]): string {
  const definition = checked.map((column) => `${quoted(column.name)} ${serverType(column.type)}`).join(', ')
  const at = key.map((column) => `x.${quoted(column)} = r.${quoted(column)}`).join(' AND ')
  const sides = (side: string): string => checked.map((column) => `${side}.${quoted(column.name)}`).join(', ')
  return `SELECT r.place_ AS place FROM json_to_recordset($1::json) AS r(place_ int, ${definition})
    JOIN ${name} x ON ${at} WHERE ROW(${sides('x')}) IS NOT DISTINCT FROM ROW(${sides('r')})`
}
