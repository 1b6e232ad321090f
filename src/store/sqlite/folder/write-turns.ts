/**
 * Whose turn it is to write the catalogue, among the threads of one process. SQLite's own lock decides; but a thread that finds it taken
 * sleeps for milliseconds, again and again, with all its work. Here it goes on with other work until it is told.
 *
 *     free ──> taken ──> free            a thread that finds it taken is told when it is free
 *
 * A turn is never waited for longer than `MAX_WAIT_MS`, whatever became of the thread that has it: it is taken from that thread, and
 * SQLite's lock keeps the two apart.
 */
export type WriteTurns = {
  /** Runs `work` when it is this thread's turn, after everything that was handed in before. */
  take<T>(work: () => T): Promise<T>
}

/** Shared by the threads. */
export type WriteTurnMemory = Int32Array<SharedArrayBuffer>

const FREE = 0
const MAX_WAIT_MS = 250

export function createWriteTurnMemory(): WriteTurnMemory {
  return new Int32Array(new SharedArrayBuffer(4))
}

/** `thread`: which of the threads, from 0. */
export function openWriteTurns(memory: WriteTurnMemory, thread: number): WriteTurns {
  const own = thread + 1
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  const isTaken = (): boolean => Atomics.compareExchange(memory, 0, FREE, own) !== FREE

  async function untilTaken(): Promise<void> {
    const endAt = performance.now() + MAX_WAIT_MS
    while (isTaken()) {
      const holder = Atomics.load(memory, 0)
      const leftMs = endAt - performance.now()
      if (leftMs <= 0 && Atomics.compareExchange(memory, 0, holder, own) === holder) return
      const told = Atomics.waitAsync(memory, 0, holder, Math.max(1, leftMs))
      if (told.async) await told.value
    }
  }

  function run<T>(work: () => T): T {
    try {
      return work()
    } finally {
      if (Atomics.compareExchange(memory, 0, own, FREE) === own) Atomics.notify(memory, 0, 1)
    }
  }

  return {
    async take(work) {
      if (waiting === 0 && !isTaken()) return run(work)
      waiting++
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      try {
        await before
        await untilTaken()
        return run(work)
      } finally {
        waiting--
        resolve()
      }
    },
  }
}
