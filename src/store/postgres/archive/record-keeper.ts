import type { Clock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import type { ObjectBackend, SegmentWriter } from '../../contracts/object-backend.ts'
import { partsOfAside, placedPart, plainParts, type RecordPart } from './record-parts.ts'
import { CONFIRM_EVERY_MS, type SegmentCatalogue } from './segments.ts'

/** Prepares the rows of records before the transaction that inserts them, so that neither it nor the crawl waits for what takes long. */
export type RecordKeeper = {
  /** What lies outside of the database is safe there when it resolves. Records come in pieces. */
  keep(records: readonly (readonly Uint8Array[])[]): Promise<RecordPart[][]>
  close(): Promise<void>
}

/** In the database: compressed by other threads. */
export const insideKeeper: RecordKeeper = {
  keep: (records) => Promise.all(records.map(partsOfAside)),
  async close() {},
}

export type OutsideKeeperDeps = {
  backend: ObjectBackend
  segments: SegmentCatalogue
  /** Seen in the names of segments. */
  writer: string
  clock: Clock
  /** Records that are smaller stay in their rows. */
  minBytes?: number
}

/** What a row takes anyway: smaller records stay in it. */
export const MIN_PLACED_BYTES = 1_024
/** What one append carries, beside a single record that is larger. */
const MAX_APPEND_BYTES = 8 << 20

type Waiting = {
  pieces: readonly Uint8Array[]
  bytes: number
  resolve(parts: RecordPart[]): void
  reject(error: unknown): void
}
type Open = { id: number; writer: SegmentWriter; confirmedAt: { wall: number; steady: number }; appends: number }

/**
 * Outside of the database. Records that come while others are on their way are written together, so that many share one write to
 * the disk, or one request. One segment is open at a time; another is begun when it is full, when others have closed it, or after a write
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
  /** Others may still join. */
  let isGathering = false
  let isDue = false

  async function begin(): Promise<Open> {
    const { id, name } = await segments.create(backend.kind, writer)
    const confirmedAt = { wall: clock.now(), steady: clock.monotonic() }
    try {
      current = { id, writer: await backend.create(name), confirmedAt, appends: 0 }
    } catch (error) {
      // Nothing was written: the row alone is of no use.
      await segments.close(id, 0)
      throw error
    }
    return current
  }

  /** A process may have been suspended: the wall clock counts that time, the other one may not. */
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

  /** One at a time, so that no two segments are begun; counted at once, so that it isn't closed before it is used. */
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
    // Closed once nobody writes to it any more.
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
      if (open !== null && --open.appends === 0 && current !== open) await retire(open).catch(() => {}) // its row is closed by others in time
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
