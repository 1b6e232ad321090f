import type { AnnotationStore, NearDuplicateStore } from '../../store/contracts/annotations.ts'

/**
 * One decision on near-duplicates at a time among all processors of a process: from looking up a story to the moment that its
 * annotation is stored no other processor decides, or two processors with the same article on two pages would both take theirs for the
 * first. All that takes long (reading, matching, summaries) is done before.
 *
 *     free ──> held ──> free            a processor that finds it held sleeps until notified
 *
 * The lock names its holder, so that it can be freed for one that died (`freeNearDuplicates`).
 */
export type NearDuplicateLock = { exclusively<T>(work: () => Promise<T>): Promise<T> }

/** Shared by the threads. */
export type NearDuplicateMemory = Int32Array<SharedArrayBuffer>

const FREE = 0
/** A sleeping processor also polls now and then, so that one notification is enough. */
const SLEEP_MS = 50

export function createNearDuplicateMemory(): NearDuplicateMemory {
  return new Int32Array(new SharedArrayBuffer(4))
}

const holderOf = (part: number): number => part + 1

/** For a processor that ended while it was deciding: the others need not wait for it. */
export function freeNearDuplicates(memory: NearDuplicateMemory, part: number): void {
  if (Atomics.compareExchange(memory, 0, holderOf(part), FREE) === holderOf(part)) Atomics.notify(memory, 0, 1)
}

/** `part`: which of the processors, from 0. */
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

/** Stories of a data folder, which one process alone annotates. */
export function createLockedNearDuplicates(
  lock: NearDuplicateLock,
  annotations: Pick<AnnotationStore, 'textsInBands' | 'ofCluster' | 'commit'>,
): NearDuplicateStore {
  return {
    decide: (bands, commit) =>
      lock.exclusively(async () => commit({ candidates: await annotations.textsInBands(bands), annotations })),
  }
}
