import { firstOf } from '../../../core/work/race.ts'
import type { PartitionLease } from '../../frontier/partition-lease.ts'

/**
 * Results waiting to be written, in one buffer per lease, since a write covers one partition. A buffer is
 * - empty;
 * - growing: until it is large enough, or its first item has waited long enough;
 * - due: queued for writing;
 * - being written: items that arrive in the meantime are kept apart.
 */
export type WriteBuffers<T> = {
  add(lease: PartitionLease, item: T): void
  /** Stops waiting for more items, now and later: the lease is ending. */
  hurry(lease: PartitionLease): void
  /** Writes everything added so far, immediately. */
  flush(): Promise<void>
  /** The items being written have been written: `all` no longer lists them. */
  written(lease: PartitionLease): void
  /** Items that wait or are being written. */
  all(lease: PartitionLease): T[]
  size(): number
  bytes(): number
}

export type WriteBuffersOptions<T> = {
  maxItems: number
  maxBytes: number
  maxWaitMs: number
  /** Added to the wait of a buffer for each other growing buffer; 0 by default. */
  waitMsForEach?: number
  /** Number of buffers written concurrently; 1 by default. */
  parallel?: number
  bytesOf(item: T): number
  /** Never rejects. */
  write(items: T[], lease: PartitionLease): Promise<void>
  /** Called when `size` and `bytes` have become smaller. */
  onWritten?(): void
}

type WriteBuffer<T> = {
  lease: PartitionLease
  state: 'empty' | 'growing' | 'due' | 'writing'
  items: T[]
  bytes: number
  writing: T[]
  /** Time at which it comes due. */
  dueAt: number
}

export function createWriteBuffers<T>(options: WriteBuffersOptions<T>): WriteBuffers<T> {
  const { maxItems, maxBytes, maxWaitMs, waitMsForEach = 0, parallel = 1, bytesOf, write } = options
  const writeBuffers = new Map<PartitionLease, WriteBuffer<T>>()
  /** Growing buffers in the order in which they come due; an entry whose time differs from its buffer's is stale. */
  let growing: { writeBuffer: WriteBuffer<T>; dueAt: number }[] = []
  const due: WriteBuffer<T>[] = []
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let bytes = 0

  function writeBufferOf(lease: PartitionLease): WriteBuffer<T> {
    const known = writeBuffers.get(lease)
    if (known !== undefined) return known
    const writeBuffer: WriteBuffer<T> = { lease, state: 'empty', items: [], bytes: 0, writing: [], dueAt: 0 }
    writeBuffers.set(lease, writeBuffer)
    return writeBuffer
  }

  /** Advances the state of a buffer that is empty or growing, or was just written. */
  function grow(writeBuffer: WriteBuffer<T>): void {
    if (writeBuffer.items.length === 0) {
      writeBuffer.state = 'empty'
      if (writeBuffer.lease.state === 'ended') writeBuffers.delete(writeBuffer.lease)
    } else if (
      writeBuffer.items.length >= maxItems ||
      writeBuffer.bytes >= maxBytes ||
      writeBuffer.lease.state !== 'held'
    ) {
      writeBuffer.state = 'due'
      due.push(writeBuffer)
      startDue()
    } else if (writeBuffer.state !== 'growing') {
      writeBuffer.state = 'growing'
      const waitMs = maxWaitMs + waitMsForEach * growing.length
      // Buffers come due in the order in which they began to wait.
      writeBuffer.dueAt = Math.max(growing.at(-1)?.dueAt ?? 0, performance.now() + waitMs)
      growing.push({ writeBuffer, dueAt: writeBuffer.dueAt })
      timer ??= setTimeout(ripen, waitMs)
    }
  }

  function isGrowing({ writeBuffer, dueAt }: { writeBuffer: WriteBuffer<T>; dueAt: number }): boolean {
    return writeBuffer.state === 'growing' && writeBuffer.dueAt === dueAt
  }

  function ripen(): void {
    timer = null
    // Timers may fire slightly early.
    const now = performance.now() + 1
    const at = growing.findIndex((each) => isGrowing(each) && each.dueAt > now)
    const ripe = at < 0 ? growing : growing.slice(0, at)
    growing = at < 0 ? [] : growing.slice(at)
    for (const each of ripe) {
      if (!isGrowing(each)) continue
      each.writeBuffer.state = 'due'
      due.push(each.writeBuffer)
    }
    const next = growing[0]
    if (next !== undefined) timer = setTimeout(ripen, Math.max(1, next.dueAt - now))
    startDue()
  }

  function startDue(): void {
    if (timer !== null && !growing.some(isGrowing)) {
      clearTimeout(timer)
      timer = null
      growing = []
    }
    while (running.size < parallel && due.length > 0) start(due.shift()!)
  }

  function start(writeBuffer: WriteBuffer<T>): void {
    const writtenBytes = writeBuffer.bytes
    writeBuffer.state = 'writing'
    writeBuffer.writing = writeBuffer.items
    writeBuffer.items = []
    writeBuffer.bytes = 0
    const run = write(writeBuffer.writing, writeBuffer.lease).finally(() => {
      writeBuffer.writing = []
      bytes -= writtenBytes
      running.delete(run)
      grow(writeBuffer)
      startDue()
      options.onWritten?.()
    })
    running.add(run)
  }

  function hurry(writeBuffer: WriteBuffer<T>): void {
    if (writeBuffer.state !== 'growing') return
    writeBuffer.state = 'due'
    due.push(writeBuffer)
  }

  return {
    add(lease, item) {
      const writeBuffer = writeBufferOf(lease)
      writeBuffer.items.push(item)
      const size = bytesOf(item)
      writeBuffer.bytes += size
      bytes += size
      if (writeBuffer.state === 'empty' || writeBuffer.state === 'growing') grow(writeBuffer)
    },
    hurry(lease) {
      const writeBuffer = writeBuffers.get(lease)
      if (writeBuffer === undefined) return
      hurry(writeBuffer)
      startDue()
    },
    async flush() {
      for (;;) {
        for (const writeBuffer of writeBuffers.values()) hurry(writeBuffer)
        startDue()
        if (running.size === 0) return
        await firstOf(running)
      }
    },
    written(lease) {
      const writeBuffer = writeBuffers.get(lease)
      if (writeBuffer !== undefined) writeBuffer.writing = []
    },
    all(lease) {
      const writeBuffer = writeBuffers.get(lease)
      return writeBuffer === undefined ? [] : [...writeBuffer.writing, ...writeBuffer.items]
    },
    size() {
      let size = 0
      for (const { items } of writeBuffers.values()) size += items.length
      return size
    },
    bytes: () => bytes,
  }
}
