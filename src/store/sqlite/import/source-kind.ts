import type { StatementSync } from 'node:sqlite'
import { partitionCount, partitionOf } from '../../../core/url/partition.ts'
import type { ImportCursor, ImportKind, ImportRow } from '../../contracts/import.ts'
import type { Database } from '../folder/database.ts'

export type RawValue = number | string | Uint8Array | null
export type Raw = Record<string, RawValue>

/** A column of the key, and its form in a cursor, where 64-bit numbers and bytes are strings. */
export type KeyColumn = readonly [sql: string, form: 'plain' | 'wide' | 'bytes']

export type SourceKind<Context> = {
  kind: ImportKind
  /** The table whose rows are counted. */
  table: string
  keys: readonly KeyColumn[]
  columns: string
  from: string
  /** Null to skip a row that is imported under another key. */
  toRow(raw: Raw, context: Context): ImportRow | null
  portionRows: number
}

export type KindPage = {
  rows: { raw: Raw; key: ImportCursor }[]
  /** No rows follow. */
  isLast: boolean
}

export type KindReader = {
  /** Rows after a key, each with its own key: `limit` rows, or fewer if they are large. */
  page(after: ImportCursor | null, limit?: number): KindPage
}

/** A page ends with the row that exceeds this. */
const MAX_PAGE_BYTES = 4 << 20

const spelled = ([sql, form]: KeyColumn): string => {
  if (form === 'wide') return `CAST(${sql} AS TEXT)`
  return form === 'bytes' ? `hex(${sql})` : sql
}

/** Reads a table in pages, by key. The first page has no condition, so that any key value is allowed, even the empty string. */
export function createKindReader<C>(db: Database, { keys, columns, from, portionRows }: SourceKind<C>): KindReader {
  const names = keys.map(([sql]) => sql).join(', ')
  const cursor = keys.map((key, place) => `${spelled(key)} AS key_${place}`).join(', ')
  const page = (where: string): StatementSync =>
    db.prepare(`SELECT ${columns}, ${cursor} ${from} ${where} ORDER BY ${names} LIMIT ?`)
  const first = page('')
  const next = page(`WHERE (${names}) > (${keys.map(() => '?').join(', ')})`)
  const parameter = (value: number | string, place: number) => {
    const form = keys[place]![1]
    if (form === 'wide') return BigInt(value)
    return form === 'bytes' ? Buffer.from(String(value), 'hex') : value
  }
  return {
    page: (after, limit = portionRows) =>
      db.read(() => {
        const page: KindPage = { rows: [], isLast: true }
        let bytes = 0
        const found = after === null ? first.iterate(limit) : next.iterate(...after.map(parameter), limit)
        for (const row of found) {
          const raw = row as Raw
          page.rows.push({ raw, key: keys.map((_, place) => raw[`key_${place}`] as number | string) })
          bytes += sizeOf(raw)
          page.isLast = page.rows.length < limit && bytes <= MAX_PAGE_BYTES
          if (bytes > MAX_PAGE_BYTES) break
        }
        return page
      }),
  }
}

function sizeOf(raw: Raw): number {
  let bytes = 0
  for (const name in raw) {
    const value = raw[name]
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length
  }
  return bytes
}

export const bytesOf = (value: RawValue): Buffer => {
  const bytes = value as Uint8Array
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Copies a row without its key columns and those in `left`, which were only read to compute ids. */
export function plainRow(raw: Raw, flags: readonly string[] = [], left: readonly string[] = []): ImportRow {
  const row: ImportRow = {}
  for (const name in raw) {
    const value = raw[name]!
    if (name.startsWith('key_') || left.includes(name)) continue
    if (flags.includes(name)) row[name] = value === 1
    else row[name] = value instanceof Uint8Array ? bytesOf(value) : value
  }
  return row
}

/**
 * Converts ids of a data folder to those of a shared store without a mapping table: ids in a shared store have their partition in the
 * low eight bits. The order of ids is preserved, as the higher bits are the folder's id, which is unique.
 */

/** The id of an item that belongs to a host; `host` is null if unknown. An id of 0 means none. */
export function importedId(id: number, host: string | null): number {
  return id === 0 ? 0 : id * partitionCount + (host === null ? 0 : partitionOf(host))
}

/** SQL: the host of the document that a version belongs to; null if the version was collected. */
export const hostOfVersion = (id: string): string =>
  `(SELECT hd.host FROM versions hv JOIN documents hd ON hd.id = hv.document WHERE hv.id = ${id})`

/** A mark must not be below any version that existed. The version with its own number may be in any partition, so the highest is used. */
export function importedMark(mark: number): number {
  return mark === 0 ? 0 : mark * partitionCount + partitionCount - 1
}

/** Each shard numbers its rows separately, so the shard becomes part of the new id. */
export type ShardPlace = { shard: number; shards: number }

export function importedInShard(n: number, { shard, shards }: ShardPlace): number {
  return n * shards + shard
}

export function importedHostId(id: number, place: ShardPlace, host: string | null): number {
  return importedInShard(id, place) * partitionCount + (host === null ? 0 : partitionOf(host))
}

/** The id in the folder for an imported id (not for hosts). */
export const idBeforeImport = (id: number): number => Math.floor(id / partitionCount)
