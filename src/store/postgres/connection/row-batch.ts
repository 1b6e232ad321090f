import { bytesArray, numberArray, textArray } from './array-values.ts'

/** Columns of a batch of rows that travels as one array per column, with the types that the arrays have. */
export type Columns<T> = readonly (readonly [name: string & keyof T, type: string])[]

/** `unnest($3::bigint[], …) AS r(id, …)`, its first array being parameter number `first`. */
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

/** Numbers and truth values are written as they are. */
function arrayOf(type: string, values: readonly unknown[]): string {
  if (type === 'text') return textArray(values as string[])
  return type === 'bytea' ? bytesArray(values as (Uint8Array | null)[]) : numberArray(values as number[])
}

/** Ids carry their partition in the low eight bits. */
export function partitionOfId(id: number): number {
  return id % 256
}

/** What lies in the same partition together, so that each statement names one. */
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
