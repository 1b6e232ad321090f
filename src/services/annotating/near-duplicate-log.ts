import {
  createNearDuplicateIndex,
  type NearDuplicateIndex,
} from '../../matching/near-duplicate/near-duplicate-index.ts'
import type { AnnotationStore, NearDuplicateStore } from '../../store/contracts/annotations.ts'

/**
 * The near-duplicate clusters seen so far, shared by all processors of a process. Each has its own near-duplicate index; what one
 * adds, the others read from a ring in shared memory before they decide. Deciding is `exclusive`: from looking up a cluster to
 * the moment that its annotation is stored no other processor decides, or two processors with the same article on two pages would both
 * take theirs for the first. All that takes long (reading, matching, summaries) is done before.
 *
 *     free ──> held ──> free            a processor that finds it held sleeps until notified
 *
 * The lock names its holder, so that it can be freed for one that died (`freeNearDuplicates`).
 *
 * A processor that was away for longer than the ring is long has missed what its index would have forgotten as well.
 */
export type NearDuplicateLog = {
  /** While `work` runs, everything added by others before is known. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** The cluster that a text belongs to, or null. */
  find(hash: bigint): number | null
  /** For others too; within `exclusively` only. */
  add(cluster: number, hash: bigint): void
  /** Clusters from the store, at start; for this processor alone. */
  load(known: Iterable<{ cluster: number; hash: bigint }>): void
}

export type NearDuplicateMemory = {
  lock: Int32Array<SharedArrayBuffer>
  /** How many were added; like all else but the lock touched by its holder alone. */
  added: Float64Array<SharedArrayBuffer>
  clusters: Float64Array<SharedArrayBuffer>
  hashes: BigUint64Array<SharedArrayBuffer>
}

const FREE = 0
/** As many as an index of near-duplicates has room for. */
const CAPACITY = 100_000
/** A sleeping processor also polls now and then, so that one notification is enough. */
const SLEEP_MS = 50

export function createNearDuplicateMemory(capacity = CAPACITY): NearDuplicateMemory {
  return {
    lock: new Int32Array(new SharedArrayBuffer(4)),
    added: new Float64Array(new SharedArrayBuffer(8)),
    clusters: new Float64Array(new SharedArrayBuffer(capacity * 8)),
    hashes: new BigUint64Array(new SharedArrayBuffer(capacity * 8)),
  }
}

const holderOf = (part: number): number => part + 1

/** For a processor that ended while it was deciding: the others need not wait for it. */
export function freeNearDuplicates({ lock }: NearDuplicateMemory, part: number): void {
  if (Atomics.compareExchange(lock, 0, holderOf(part), FREE) === holderOf(part)) Atomics.notify(lock, 0, 1)
}

export function openNearDuplicateLog(
  { lock, added, clusters, hashes }: NearDuplicateMemory,
  near: NearDuplicateIndex = createNearDuplicateIndex(),
  /** Which of the processors, from 0. */
  part = 0,
): NearDuplicateLog {
  const capacity = clusters.length
  let taken = 0

  async function acquire(): Promise<void> {
    for (;;) {
      const holder = Atomics.compareExchange(lock, 0, FREE, holderOf(part))
      if (holder === FREE) return
      const waiting = Atomics.waitAsync(lock, 0, holder, SLEEP_MS)
      if (waiting.async) await waiting.value
    }
  }

  function release(): void {
    Atomics.store(lock, 0, FREE)
    Atomics.notify(lock, 0, 1)
  }

  function catchUp(): void {
    taken = Math.max(taken, added[0]! - capacity)
    for (; taken < added[0]!; taken++) near.add(clusters[taken % capacity]!, hashes[taken % capacity]!)
  }

  return {
    async exclusively(work) {
      await acquire()
      try {
        catchUp()
        return await work()
      } finally {
        release()
      }
    },
    find: (hash) => near.find(hash)[0]?.id ?? null,
    add(cluster, hash) {
      clusters[taken % capacity] = cluster
      hashes[taken % capacity] = hash
      taken++
      added[0] = taken
      near.add(cluster, hash)
    },
    load(known) {
      for (const { cluster, hash } of known) near.add(cluster, hash)
    },
  }
}

/** Stories of a data folder, which one process alone annotates. */
export function createLoggedNearDuplicates(log: NearDuplicateLog, annotations: AnnotationStore): NearDuplicateStore {
  return {
    decide: (hash, commit) =>
      log.exclusively(async () => {
        const { cluster, result } = await commit({ cluster: log.find(hash), annotations })
        log.add(cluster, hash)
        return result
      }),
  }
}
