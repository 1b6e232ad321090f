import { grown } from './slot-table.ts'

/** What is kept of each URD: some sixty bytes, and no object. Names, expressions and windows are numbers of interners. */
export type UrdColumns = {
  /** The slot of its watch, and its neighbours among the owners of that. */
  watch: Int32Array
  next: Int32Array
  previous: Int32Array
  owner: Int32Array
  level: Uint8Array
  paused: Uint8Array
  everyMs: Float32Array
  everyMaxMs: Float32Array
  urgency: Float32Array
  depth: Int32Array
  /** A nearness that is covered; 0 for an expression. */
  scope: Uint8Array
  pattern: Int32Array
  window: Int32Array
}

export function createUrdColumns(capacity: number): UrdColumns {
  return {
    watch: new Int32Array(capacity),
    next: new Int32Array(capacity),
    previous: new Int32Array(capacity),
    owner: new Int32Array(capacity),
    level: new Uint8Array(capacity),
    paused: new Uint8Array(capacity),
    everyMs: new Float32Array(capacity),
    everyMaxMs: new Float32Array(capacity),
    urgency: new Float32Array(capacity),
    depth: new Int32Array(capacity),
    scope: new Uint8Array(capacity),
    pattern: new Int32Array(capacity),
    window: new Int32Array(capacity),
  }
}

export function growUrdColumns(columns: UrdColumns, capacity: number): void {
  const byName = columns as Record<string, UrdColumns[keyof UrdColumns]>
  for (const name of Object.keys(byName)) byName[name] = grown(byName[name]!, capacity)
}
