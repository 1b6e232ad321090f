import { hash } from 'node:crypto'
import type { Item, ItemBody, List } from '../../crawl/fetch/protocol.ts'

/** A value as JSON. Numbers keep the digits that the source wrote. */
export type Cell = string

export type Row = { readonly names: readonly string[]; readonly cells: readonly Cell[] }

/** The columns that identify rows, and the one that names them; '' for none. */
export type RowNaming = { readonly key: readonly string[]; readonly title: string }

export type RowList = RowNaming & {
  /** URL of the list. */
  url: string
  name: string
  rows: readonly Row[]
  /** If they are known independently of the rows. */
  columns?: readonly string[]
  /** Whether there are more rows than these. */
  isCapped: boolean
  maxBodyBytes: number
  /** What else was left out, as text for the owner. */
  left?: readonly string[]
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Longer values are represented by their length and digest, which still shows when they change. */
const maxBinaryBytes = 4096
const maxKeyCharacters = 1000
const maxNameCharacters = 200

export const nullCell: Cell = 'null'
export const textCell = (text: string): Cell => JSON.stringify(text.toWellFormed())
/** Values that aren't JSON numbers, such as `NaN` or `007`, are kept as text. */
export const numberCell = (digits: string): Cell => (number.test(digits) ? digits : textCell(digits))

export function binaryCell(bytes: Buffer): Cell {
  const content =
    bytes.length <= maxBinaryBytes
      ? `"base64": "${bytes.toString('base64')}"`
      : `"sha256": "${hash('sha256', bytes, 'hex')}"`
  return `{ "bytes": ${bytes.length}, ${content} }`
}

/** JSON within a row, on one line; as text if it isn't valid JSON. */
export function jsonCell(text: string): Cell {
  try {
    JSON.parse(text)
  } catch {
    return textCell(text)
  }
  return withoutGaps(text.toWellFormed())
}

/** Valid JSON without white space between its values. No regular expression, as strings may have millions of characters. */
function withoutGaps(json: string): string {
  let written = ''
  let from = 0
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') at = stringEnd(json, at)
    else if (/\s/.test(json[at]!)) {
      written += json.slice(from, at)
      from = at + 1
    }
  }
  return written + json.slice(from)
}

function stringEnd(json: string, start: number): number {
  let at = start + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** `2026-01-02 03:04:05` in ISO 8601; anything else, such as `infinity`, stays as it is. */
export function timeCell(text: string, zone: '' | 'Z'): Cell {
  const [, day, time] = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/.exec(text) ?? []
  return textCell(day === undefined ? text : `${day}T${time}${zone}`)
}

/** Makes column names unique: `id`, `id (2)`. */
export function uniqueNames(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let count = 2; seen.has(unique); count++) unique = `${name} (${count})`
    seen.add(unique)
    return unique
  })
}

/** A cell as readable text; '' for null. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined || cell === nullCell) return ''
  return cell.startsWith('"') ? (JSON.parse(cell) as string) : cell
}

/** One item per row if there is a key, otherwise the whole table as one item. */
export function listOfRows(given: RowList): List {
  const left = [...(given.left ?? [])]
  if (given.isCapped) left.push(`only the first ${given.rows.length} rows were read`)
  const items = given.key.length === 0 ? [tableItem(given)] : rowItems(given, left)
  const cut = items.filter(({ body }) => body!.isCut).length
  if (cut > 0 && given.key.length > 0) left.push(`${counted(cut, 'row')} cut at ${given.maxBodyBytes} bytes`)
  return {
    kind: 'list',
    title: given.name,
    items,
    lists: [],
    isWhole: !given.isCapped,
    cursor: '',
    hasMore: false,
    left: left.join('; '),
  }
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Rows with the same key become one item, a list in an order that doesn't depend on the query's. */
function rowItems(given: RowList, left: string[]): Item[] {
  const groups = new Map<string, Row[]>()
  let without = 0
  for (const row of given.rows) {
    const values = given.key.map((name) => row.cells[row.names.indexOf(name)])
    if (values.includes(undefined)) without++
    else {
      const key = keyOf(values as Cell[])
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [row])
      else group.push(row)
    }
  }
  const shared = given.rows.length - without - groups.size
  if (without > 0) left.push(`${counted(without, 'row')} without ${given.key.join(', ')} left out`)
  if (shared > 0) left.push(`${counted(shared, 'row')} with the key of another row: rows of one key are kept as one`)
  return [...groups].map(([key, rows]) => rowItem(given, key, rows))
}

function rowItem({ url, key, title, maxBodyBytes }: RowList, id: string, rows: readonly Row[]): Item {
  const [first] = rows as [Row]
  const written = rows.map(writeRow).toSorted()
  const whole = rows.length === 1 ? `${written[0]!}\n` : `[\n${written.join(',\n')}\n]\n`
  const textOf = (name: string): string => cellText(first.cells[first.names.indexOf(name)])
  const name = (title === '' ? '' : textOf(title)) || key.map(textOf).join(', ')
  const shown = name.replace(/\s+/g, ' ').trim().slice(0, maxNameCharacters).toWellFormed()
  return item(`${url}${url.includes('#') ? '&' : '#'}row=${id}`, shown, whole, 'application/json', maxBodyBytes)
}

function item(url: string, name: string, text: string, type: string, maxBodyBytes: number): Item & { body: ItemBody } {
  const whole = Buffer.from(text)
  const isCut = whole.length > maxBodyBytes
  const body = isCut ? whole.subarray(0, maxBodyBytes) : whole
  const validator = hash('sha256', whole, 'base64url').slice(0, 24)
  return { url, name, validator, body: { type: `${type}; charset=utf-8`, body, isCut, title: name } }
}

/** One cell per line, so that changes are shown cell by cell. */
function writeRow({ names, cells }: Row): string {
  return names.length === 0 ? '{}' : `{\n${names.map((name, at) => `  ${textCell(name)}: ${cells[at]}`).join(',\n')}\n}`
}

/**
 * Key values as a part of a URL. `!` and `,` in values are escaped: `!` alone is null, `,` separates the values of a key, and a key
 * that is too long becomes `!` and its digest.
 */
function keyOf(values: readonly Cell[]): string {
  const key = values.map((value) => (value === nullCell ? '!' : escaped(cellText(value)))).join(',')
  return key.length <= maxKeyCharacters ? key : `!${hash('sha256', key, 'base64url')}`
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** CSV, so that an inserted row changes no other line. Null is empty; empty text is in quotes. */
function tableItem({ url, name, rows, columns: known, maxBodyBytes }: RowList): Item {
  const columns = known ?? [...new Set(rows.flatMap(({ names }) => names))]
  const lines = [columns.map(field).join(',')]
  for (const { names, cells } of rows) {
    const values = names === known ? cells : columns.map((column) => cells[names.indexOf(column)] ?? nullCell)
    lines.push(values.map((cell) => (cell === nullCell ? '' : field(cellText(cell)))).join(','))
  }
  const text = `${lines.join('\r\n')}\r\n`
  return item(`${url}${url.includes('#') ? '&' : '#'}table`, name, text, 'text/csv', maxBodyBytes)
}

function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
