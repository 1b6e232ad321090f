import type { AnnotationStore, NearDuplicateStore } from '../../store/contracts/annotations.ts'

/**
 * Mutual exclusion of near-duplicate decisions among all processors of a process. A processor holds the lock from looking up a story
 * until its annotation is stored; otherwise two processors with the same article on two pages would both take theirs for the first.
 * Everything slow (reading, matching, summaries) is done before.
 *
 *     free ──> held ──> free            a processor that finds it held sleeps until notified
 *
 * The lock names its holder, so that it can be freed for one that died (`freeNearDuplicates`).
 */
export type NearDuplicateLock = { exclusively<T>(work: () => Promise<T>): Promise<T> }

/** Shared by the threads. */
export type NearDuplicateMemory = Int32Array<SharedArrayBuffer>

const FREE = 0
/** Waiting processors also poll at this interval, so that a single notification is enough. */
const SLEEP_MS = 50

export function createNearDuplicateMemory(): NearDuplicateMemory {
  return new Int32Array(new SharedArrayBuffer(4))
}

const holderOf = (part: number): number => part + 1

/** Releases the lock of a processor that died while holding it. */
export function freeNearDuplicates(memory: NearDuplicateMemory, part: number): void {
  if (Atomics.compareExchange(memory, 0, holderOf(part), FREE) === holderOf(part)) Atomics.notify(memory, 0, 1)
}

/** `part`: index of the processor. */
export function openNearDuplicateLock(memory: NearDuplicateMemory, part = 0): NearDuplicateLock {
  async function acquire(): Promise<void> {
    for (;;) {
      const holder = Atomics.compareExchange(memory, 0, FREE, holderOf(part))
      if (holder === FREE) return
      const waiting = Atomics.waitAsync(memory, 0, holder, SLEEP_MS)
      if (waiting.async) await waiting.value
    }
  }

  return {
    async exclusively(work) {
      await acquire()
      try {
        return await work()
      } finally {
        Atomics.store(memory, 0, FREE)
        Atomics.notify(memory, 0, 1)
      }
    },
  }
}

/** Near-duplicate store of a data folder, which only one process annotates. */
export function createLockedNearDuplicates(
  lock: NearDuplicateLock,
  annotations: Pick<AnnotationStore, 'textsInBands' | 'ofCluster' | 'commit'>,
): NearDuplicateStore {
  return {
    decide: (bands, commit) =>
      lock.exclusively(async () => commit({ candidates: await annotations.textsInBands(bands), annotations })),
  }
}
