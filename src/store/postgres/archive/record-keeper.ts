import type { Clock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import type { ObjectBackend, SegmentWriter } from '../../contracts/object-backend.ts'
import { partsOfAside, placedPart, plainParts, type RecordPart } from './record-parts.ts'
import { CONFIRM_EVERY_MS, type SegmentCatalogue } from './segments.ts'

/** Prepares the rows of records before the transaction that inserts them, so that neither it nor the crawl waits for slow work. */
export type RecordKeeper = {
  /** Records stored outside of the database are durable there when it resolves. Each record is a list of chunks. */
  keep(records: readonly (readonly Uint8Array[])[]): Promise<RecordPart[][]>
  close(): Promise<void>
}

/** Keeps records in the database, compressed by other threads. */
export const insideKeeper: RecordKeeper = {
  keep: (records) => Promise.all(records.map(partsOfAside)),
  async close() {},
}

export type OutsideKeeperDeps = {
  backend: ObjectBackend
  segments: SegmentCatalogue
  /** Part of the names of segments. */
  writer: string
  clock: Clock
  /** Smaller records stay in their rows. */
  minBytes?: number
}

/** Smaller records, about what a row takes anyway, stay in their rows. */
export const MIN_PLACED_BYTES = 1_024
/** Maximum size of one append, unless a single record is larger. */
const MAX_APPEND_BYTES = 8 << 20

type Waiting = {
  pieces: readonly Uint8Array[]
  bytes: number
  resolve(parts: RecordPart[]): void
  reject(error: unknown): void
}
type Open = { id: number; writer: SegmentWriter; confirmedAt: { wall: number; steady: number }; appends: number }

/**
 * Keeps records outside of the database. Records that arrive while others are being written are batched, so that many share one disk write
 * or one request. One segment is open at a time; a new one is begun when it is full, when another process has closed it, or after a write
 * that failed for another reason than a full disk.
 */
export function createOutsideKeeper({
  backend,
  segments,
  writer,
  clock,
  minBytes = MIN_PLACED_BYTES,
}: OutsideKeeperDeps): RecordKeeper {
  const waiting: Waiting[] = []
  let current: Open | null = null
  let opening: Promise<Open> | null = null
  let underWay = 0
  /** Whether more records may still join the batch. */
  let isGathering = false
  let isDue = false

  async function begin(): Promise<Open> {
    const { id, name } = await segments.create(backend.kind, writer)
    const confirmedAt = { wall: clock.now(), steady: clock.monotonic() }
    try {
      current = { id, writer: await backend.create(name), confirmedAt, appends: 0 }
    } catch (error) {
      // Nothing was written: close the row, which is useless on its own.
      await segments.close(id, 0)
      throw error
    }
    return current
  }

  /** A process may have been suspended: the wall clock counts that time, the monotonic clock may not. */
  const isStale = ({ wall, steady }: Open['confirmedAt']): boolean =>
    Math.max(clock.now() - wall, clock.monotonic() - steady) > CONFIRM_EVERY_MS

  async function usable(): Promise<Open> {
    const open = current
    if (open === null) return begin()
    if (open.writer.isFull()) {
      await retire(open)
      return begin()
    }
    if (!isStale(open.confirmedAt)) return open
    const confirmedAt = { wall: clock.now(), steady: clock.monotonic() }
    if (await segments.confirm(open.id, open.writer.bytes)) {
      open.confirmedAt = confirmedAt
      return open
    }
    await retire(open)
    return begin()
  }

  /** Serialised, so that only one segment is begun; counts the append at once, so that the segment isn't closed before it is used. */
  async function acquire(): Promise<Open> {
    opening ??= usable().finally(() => {
      opening = null
    })
    const open = await opening
    open.appends++
    return open
  }

  async function retire(open: Open): Promise<void> {
    if (current === open) current = null
    // The last append in progress closes it.
    if (open.appends > 0) return
    await open.writer.close()
    await segments.close(open.id, open.writer.bytes)
  }

  async function append(batch: readonly Waiting[]): Promise<void> {
    let open: Open | null = null
    try {
      open = await acquire()
      const placed = await open.writer.append(batch.map(({ pieces }) => pieces))
      const { id } = open
      for (const [index, { isPacked, ...place }] of placed.entries())
        batch[index]!.resolve([placedPart({ segment: id, ...place }, isPacked)])
    } catch (error) {
      for (const { reject } of batch) reject(error)
      if (open !== null && current === open && !isAppError(error, 'store-full')) current = null
    } finally {
      if (open !== null && --open.appends === 0 && current !== open) await retire(open).catch(() => {}) // others will close its row
    }
  }

  function nextBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    while (count < waiting.length && (count === 0 || bytes + waiting[count]!.bytes <= MAX_APPEND_BYTES))
      bytes += waiting[count++]!.bytes
    return waiting.splice(0, count)
  }

  function pump(): void {
    while (isDue && waiting.length > 0 && underWay < backend.parallel) {
      underWay++
      void append(nextBatch()).finally(() => {
        underWay--
        pump()
      })
    }
    if (waiting.length === 0) isDue = false
  }

  function schedule(): void {
    if (isDue) pump()
    if (isDue || isGathering) return
    isGathering = true
    setTimeout(() => {
      isGathering = false
      isDue = true
      pump()
    }, backend.gatherMs)
  }

  function place(pieces: readonly Uint8Array[]): Promise<RecordPart[]> {
    const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (bytes < minBytes) return Promise.resolve(plainParts(pieces))
    const { promise, resolve, reject } = Promise.withResolvers<RecordPart[]>()
    waiting.push({ pieces, bytes, resolve, reject })
    schedule()
    return promise
  }

  return {
    keep: (records) => Promise.all(records.map(place)),
    async close() {
      if (current !== null) await retire(current)
    },
  }
}
