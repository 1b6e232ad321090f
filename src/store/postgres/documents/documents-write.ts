import { releaseMemory } from '../../../core/work/release-memory.ts'
import type { Tx } from '../connection/pool.ts'
import { arraysOf, bytesArray, numberArray, textArray } from '../connection/row-batch.ts'
import type { PlannedChanges, RecordRow } from './documents-plan.ts'
import {
  documentColumns,
  type LinkRow,
  reachedColumns,
  refillColumns,
  taskColumns,
  versionChangeColumns,
  versionColumns,
} from './documents-state.ts'
import { documentStatements as sql } from './documents-statements.ts'

/** Maximum size of one statement, unless a single part is larger. */
const MAX_STATEMENT_BYTES = 8 << 20

/**
 * Writes a plan: bodies first, then the rows that point at them. The statements are pipelined, and so is the commit. Returns a function
 * that frees memory, to be called once they have been sent.
 */
export function writeChanges(tx: Tx, partition: number, changes: PlannedChanges, isSpread: boolean): () => void {
  const send = (text: string, values: readonly unknown[]): void => tx.send(text, [partition, ...values])
  const statements = recordStatements(changes.records)
  const [records, ...further] = statements
  for (const values of further) send(sql.insertRecords, values)
  if (changes.newVersions.length > 0 && !isSpread) {
    send(sql.putPages, [
      ...(records ?? noRecords),
      ...linkValues(changes.links),
      ...arraysOf(versionColumns, changes.newVersions),
      ...arraysOf(documentColumns, changes.documents),
    ])
  } else {
    if (records !== undefined) send(sql.insertRecords, records)
    if (changes.links.length > 0) send(sql.putLinks, linkValues(changes.links))
    if (changes.newVersions.length > 0) send(sql.insertVersions, arraysOf(versionColumns, changes.newVersions))
    if (changes.documents.length > 0) send(sql.putDocuments, arraysOf(documentColumns, changes.documents))
  }
  if (changes.tasks.length > 0) send(sql.insertTasks, arraysOf(taskColumns, changes.tasks))
  if (changes.reached.length > 0) send(sql.insertReached, arraysOf(reachedColumns, changes.reached))
  if (changes.changedVersions.length > 0)
    send(sql.changeVersions, arraysOf(versionChangeColumns, changes.changedVersions))
  if (changes.shared.length > 0) send(sql.wantVersions, [changes.shared])
  if (changes.refills.length > 0) send(sql.refillVersions, arraysOf(refillColumns, changes.refills))
  return () => {
    for (const [bytes] of statements) releaseMemory(bytes as Buffer)
  }
}

const noRecords = [Buffer.alloc(0), ...Array.from({ length: 5 }, () => numberArray([]))]

type Packed = { bytes: Buffer[]; length: number; ids: number[]; parts: number[]; codings: number[]; lengths: number[] }

/** The values of each statement that writes records. Their bytes are one parameter, which is sent unencoded. */
export function recordStatements(records: readonly RecordRow[]): unknown[][] {
  const statements: unknown[][] = []
  const none = (): Packed => ({ bytes: [], length: 0, ids: [], parts: [], codings: [], lengths: [] })
  let packed = none()
  const finish = (): void => {
    if (packed.ids.length === 0) return
    const { bytes, ids, parts, codings, lengths } = packed
    statements.push([Buffer.concat(bytes), ...[ids, parts, codings, placesOf(lengths), lengths].map(numberArray)])
    packed = none()
  }
  for (const { id, parts } of records)
    for (const [part, { coding, bytes }] of parts.entries()) {
      if (packed.length + bytes.length > MAX_STATEMENT_BYTES) finish()
      packed.bytes.push(bytes)
      packed.length += bytes.length
      packed.ids.push(id)
      packed.parts.push(part)
      packed.codings.push(coding)
      packed.lengths.push(bytes.length)
    }
  finish()
  return statements
}

function linkValues(rows: readonly LinkRow[]): unknown[] {
  const lengths = rows.map(({ keys }) => keys.length)
  return [
    Buffer.concat(rows.map(({ keys }) => keys)),
    numberArray(rows.map(({ id }) => id)),
    numberArray(rows.map(({ naming }) => naming)),
    bytesArray(rows.map(({ hash }) => hash)),
    textArray(rows.map(({ list }) => list)),
    numberArray(placesOf(lengths)),
    numberArray(lengths),
  ]
}

/** The start of each piece in their concatenation, from 1. */
function placesOf(lengths: readonly number[]): number[] {
  let place = 1
  return lengths.map((length) => {
    const start = place
    place += length
    return start
  })
}
