import { AppError } from '../../../core/errors.ts'
import { type ImportState, importKinds } from '../../contracts/import.ts'
import type { Sender } from '../connection/pool.ts'

/** A node without a heartbeat for this long is considered gone. */
const SILENT = `interval '15 seconds'`

const liveNode = `SELECT role || ' ' || name AS who FROM nodes WHERE seen_at > now() - ${SILENT}
  UNION ALL SELECT 'worker ' || name FROM holders WHERE until > now()`

const statements = {
  read: `SELECT value FROM control WHERE name = 'moving'`,
  insert: `INSERT INTO control (name, value) VALUES ('moving', $1)`,
  /** Changes nothing if another import has advanced the state, or a node is using the store. */
  advance: `UPDATE control SET value = $1 WHERE name = 'moving' AND (value->>'n')::bigint = $2::bigint AND value->>'source' = $3
    AND NOT EXISTS (${liveNode}) RETURNING 1`,
  live: `${liveNode} LIMIT 1`,
}

export async function readMark(sender: Sender): Promise<ImportState | null> {
  const [row] = await sender.query<{ value: ImportState }>(statements.read)
  return row?.value ?? null
}

export async function insertMark(sender: Sender, mark: ImportState): Promise<void> {
  await sender.query(statements.insert, [JSON.stringify(mark)])
}

export async function advanceMark(sender: Sender, before: ImportState, after: ImportState): Promise<void> {
  const rows = await sender.query(statements.advance, [JSON.stringify(after), before.n, before.source])
  if (rows.length > 0) return
  await refuseLiveNodes(sender)
  throw new AppError('store-locked', 'another process moves a folder into this store; it went on meanwhile')
}

/** Throws while nodes are running: an import needs exclusive use of the store. */
export async function refuseLiveNodes(sender: Sender): Promise<void> {
  const [live] = await sender.query<{ who: string }>(statements.live)
  if (live === undefined) return
  throw new AppError('store-locked', `The store is in use by ${live.who}. Stop every serve and worker of it first.`)
}

/**
 * Called before a process starts to use a store: throws if a folder is being moved into it. Rows written before the import is complete
 * would conflict with those still to come.
 */
export async function refuseWhileImporting(sender: Sender): Promise<void> {
  const mark = await readMark(sender)
  if (mark === null || mark.phase === 'done') return
  throw new AppError(
    'store-locked',
    'A data folder is being moved into this store. Wait for it, or repeat erace migrate --from … --to … until it is done.',
  )
}

export const firstImportState = (source: string): ImportState => ({
  n: 0,
  source,
  phase: 'copying',
  kind: importKinds[0],
  after: null,
  rows: 0,
  checked: {},
  bytes: 0,
  bodies: 0,
  ms: 0,
  faults: [],
  faultCount: 0,
})
