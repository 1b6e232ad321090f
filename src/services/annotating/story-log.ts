import type { NearDuplicateIndex } from '../../annotate/near-duplicate/near-duplicate-index.ts'
import { createNearDuplicateIndex } from '../../annotate/near-duplicate/near-duplicate-index.ts'

/**
 * The stories that were met, known to all filtering processors of a process. Each has its own index of near-duplicates; what one
 * adds, the others read from a ring in shared memory before they decide. Deciding is `exclusive`: from the look for a story to
 * the moment that its annotation is kept nobody else decides, or two processors with the same story on two pages would both
 * take theirs for the first. All that takes long (reading, matching, summaries) is done before.
 *
 *     free ──> held ──> free            whoever finds it held sleeps until it is told
 *
 * A processor that was away for longer than the ring is long has missed what its index would have forgotten as well.
 */
export type StoryLog = {
  /** What others have met before is known while `work` runs. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** The story that a text is part of, or null. */
  find(hash: bigint): number | null
  /** For others too; within `exclusively` only. */
  add(story: number, hash: bigint): void
  /** What is in the store from before; for this processor alone. */
  load(stories: Iterable<{ story: number; hash: bigint }>): void
}

export type StoryLogMemory = {
  /** The lock, and how many stories were added. */
  head: Int32Array<SharedArrayBuffer>
  stories: Float64Array<SharedArrayBuffer>
  hashes: BigUint64Array<SharedArrayBuffer>
}

const LOCK = 0
const FREE = 0
const HELD = 1
/** At a thousand a second this would be reached after 24 days; the number then goes on from below, as all arithmetic here does. */
const ADDED = 1
/** As many as an index of near-duplicates has room for. */
const CAPACITY = 100_000
/** A sleeper looks by itself now and then, so that nobody need be told twice. */
const SLEEP_MS = 50

export function createStoryLogMemory(capacity = CAPACITY): StoryLogMemory {
  return {
    head: new Int32Array(new SharedArrayBuffer(8)),
    stories: new Float64Array(new SharedArrayBuffer(capacity * 8)),
    hashes: new BigUint64Array(new SharedArrayBuffer(capacity * 8)),
  }
}

export function openStoryLog(
  { head, stories, hashes }: StoryLogMemory,
  near: NearDuplicateIndex = createNearDuplicateIndex(),
): StoryLog {
  const capacity = stories.length
  let taken = 0

  async function lock(): Promise<void> {
    while (Atomics.compareExchange(head, LOCK, FREE, HELD) !== FREE) {
      const waiting = Atomics.waitAsync(head, LOCK, HELD, SLEEP_MS)
      if (waiting.async) await waiting.value
    }
  }

  function unlock(): void {
    Atomics.store(head, LOCK, FREE)
    Atomics.notify(head, LOCK, 1)
  }

  function catchUp(): void {
    const added = Atomics.load(head, ADDED)
    taken = Math.max(taken, added - capacity)
    for (; taken < added; taken++) near.add(stories[taken % capacity]!, hashes[taken % capacity]!)
  }

  return {
    async exclusively(work) {
      await lock()
      try {
        catchUp()
        return await work()
      } finally {
        unlock()
      }
    },
    find: (hash) => near.find(hash)[0]?.id ?? null,
    add(story, hash) {
      const added = Atomics.load(head, ADDED)
      stories[added % capacity] = story
      hashes[added % capacity] = hash
      Atomics.store(head, ADDED, added + 1)
      near.add(story, hash)
      taken = added + 1
    },
    load(known) {
      for (const { story, hash } of known) near.add(story, hash)
    },
  }
}
