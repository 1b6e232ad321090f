import type { Row, Sender } from './pool.ts'
/** Columns of a batch of rows that is sent as one array per column, with the element types of the arrays. */
export type Columns<T> = readonly (readonly [name: string & keyof T, type: string])[]

/** Columns from a text such as `id:bigint url:text`. */
export function columnsOf<T>(text: string): Columns<T> {
  return text.split(/\s+/).map((column) => column.split(':') as [string & keyof T, string])
}

/** `unnest($3::bigint[], …) AS r(id, …)`, where the first array is parameter number `first`. */
export function unnestOf<T>(columns: Columns<T>, first: number): string {
  const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`)
  return `unnest(${arrays.join(', ')}) AS r(${columns.map(([name]) => `"${name}"`).join(', ')})`
}

export function arraysOf<T>(columns: Columns<T>, rows: readonly T[]): unknown[] {
  return columns.map(([name, type]) =>
    arrayOf(
      type,
      rows.map((row) => row[name]),
    ),
  )
}

/** Numbers and booleans are written unquoted. */
function arrayOf(type: string, values: readonly unknown[]): string {
  if (type === 'text') return textArray(values as (string | null)[])
  return type === 'bytea' ? bytesArray(values as (Uint8Array | null)[]) : numberArray(values as number[])
}

/** Ids carry their partition in the low eight bits. */
export function partitionOfId(id: number): number {
  return id % 256
}

/** Groups items by partition, so that each statement names one. */
export function byPartition<T>(items: Iterable<T>, partitionOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const partition = partitionOf(item)
    const group = groups.get(partition)
    if (group === undefined) groups.set(partition, [item])
    else group.push(item)
  }
  return groups
}

/** A PostgreSQL array literal. Not left to the driver, which quotes and escapes every number. */
export function numberArray(values: readonly (number | bigint | boolean)[]): string {
  return `{${values.join(',')}}`
}

export function textArray(values: readonly (string | null)[]): string {
  let text = '{'
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? null
    if (value === null) {
      text += at === 0 ? 'NULL' : ',NULL'
      continue
    }
    text += at === 0 ? '"' : ',"'
    text += needsEscape.test(value) ? storable(value).replace(/["\\]/g, '\\$&') : value
    text += '"'
  }
  return `${text}}`
}

/** Nulls stay null. */
export function bytesArray(values: readonly (Uint8Array | null)[]): string {
  let text = '{'
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    if (at > 0) text += ','
    text +=
      value === null ? 'NULL' : `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`
  }
  return `${text}}`
}

const needsEscape = /["\\\0]/

/** PostgreSQL can't store NUL in text, so it is replaced like any other character that can't be shown. Equal texts stay equal. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

/**
 * One statement can't lock rows of several servers (citus.ts), so statements that lock rows are sent per partition. Locking in the order
 * of partitions prevents deadlocks.
 */
export function inPartitions(ids: readonly number[]): [partition: number, ids: number[]][] {
  return [...byPartition(ids, partitionOfId)].sort(([a], [b]) => a - b)
}

/** Runs the statement for each partition: `$1` is the partition, `$2` its ids. */
export async function lockInPartitions<T = Row>(
  sender: Sender,
  statement: string,
  ids: readonly number[],
  ...further: readonly unknown[]
): Promise<T[]> {
  const rows: T[] = []
  for (const [partition, own] of inPartitions(ids))
    rows.push(...(await sender.query<T>(statement, [partition, own, ...further])))
  return rows
}
