import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import type { WatchRow, WatchStore } from '../../store/contracts/watches.ts'

/** Lists up to this length are never cached; also the batch size of reads. */
const FEW = 500
const MAX_AGE_MS = 10_000
const MAX_ROWS = 200_000

/** Rows by watch id. */
export type RowsById = ReadonlyMap<number, WatchRow>

export type WatchRows = {
  /** Current values. */
  now(ids: readonly number[]): Promise<RowsById>
  /** For counts over many: current, or a few seconds old if no check was announced since. */
  roughly(ids: readonly number[]): Promise<RowsById>
  /** Call when the row has changed. */
  forget(id: number): void
  /** Number of cached rows. */
  kept(): number
}

/**
 * Rows of watches, which change with every check. Showing a page of fifty must not read all of an owner's ten thousand, so such long
 * lists are cached, and only for some seconds.
 */
export function createWatchRows(watches: Pick<WatchStore, 'find'>, clock: Clock): WatchRows {
  /** Oldest first. A watch without a row is kept too. */
  const kept = new Map<number, { row: WatchRow | undefined; readAt: number }>()

  async function read(ids: readonly number[], keep = false): Promise<Map<number, WatchRow>> {
    const found = new Map<number, WatchRow>()
    for (let at = 0; at < ids.length; at += FEW) {
      if (at > 0) await turn()
      const some = ids.slice(at, at + FEW)
      const readAt = clock.monotonic()
      for (const row of await watches.find(some)) found.set(row.id, row)
      for (const id of keep ? some : []) {
        kept.delete(id)
        kept.set(id, { row: found.get(id), readAt })
      }
    }
    return found
  }

  function dropOld(): void {
    const oldest = clock.monotonic() - MAX_AGE_MS
    for (const [id, { readAt }] of kept) {
      if (readAt >= oldest && kept.size <= MAX_ROWS) return
      kept.delete(id)
    }
  }

  async function readMany(ids: readonly number[]): Promise<RowsById> {
    const known = ids.flatMap((id) => kept.get(id)?.row ?? [])
    const found = await read(
      ids.filter((id) => !kept.has(id)),
      true,
    )
    for (const row of known) found.set(row.id, row)
    return found
  }

  return {
    now: read,
    async roughly(ids) {
      dropOld()
      return ids.length <= FEW ? read(ids) : readMany(ids)
    },
    forget: (id) => void kept.delete(id),
    kept: () => kept.size,
  }
}
