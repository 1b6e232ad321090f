import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import type { WatchRow, WatchStore } from '../../store/contracts/watches.ts'

/** Up to this many are read each time. */
const FEW = 500
const MAX_AGE_MS = 10_000
const MAX_ROWS = 200_000

type Kept = { row: WatchRow | undefined; readAt: number }

/** Rows by watch id. */
export type RowsById = { get(watch: number): WatchRow | undefined }

export type WatchRows = {
  /** Current values. */
  now(ids: readonly number[]): Promise<RowsById>
  /** For counts over many: current, or a few seconds old if no check was announced since. */
  roughly(ids: readonly number[]): Promise<RowsById>
  /** The row has changed. */
  forget(id: number): void
}

/** Rows of watches, which every check changes: a page of fifty must not read all of an owner's ten thousand. */
export function createWatchRows(watches: Pick<WatchStore, 'find'>, clock: Clock): WatchRows {
  const kept = new Map<number, Kept>()

  async function read(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += FEW) {
      if (at > 0) await turn()
      const some = ids.slice(at, at + FEW)
      const readAt = clock.monotonic()
      for (const id of some) kept.set(id, { row: undefined, readAt })
      for (const row of await watches.find(some)) kept.set(row.id, { row, readAt })
    }
  }

  const rows: RowsById = { get: (watch) => kept.get(watch)?.row }

  return {
    async now(ids) {
      await read(ids)
      return rows
    },
    async roughly(ids) {
      if (kept.size > MAX_ROWS) kept.clear()
      const oldest = clock.monotonic() - MAX_AGE_MS
      const isOld = (id: number) => (kept.get(id)?.readAt ?? Number.NEGATIVE_INFINITY) < oldest
      await read(ids.length <= FEW ? ids : ids.filter(isOld))
      return rows
    },
    forget: (id) => void kept.delete(id),
  }
}
