/**
 * Which of the pages that a shard fetched another shard reads. The shares follow how busy the threads are: as long as another one is less
 * busy than this, a larger share of the pages goes there, until both have equally much to do. Where all are busy the share shrinks again, for
 * a page that is read where it was fetched costs less. So a crawl of many hosts exchanges nothing, and one of few hosts uses all threads.
 */
export type ReadingShare = {
  /** The shard that reads the next page; null for this one. */
  next(): number | null
  /** A page was handed to a shard, or is back. */
  note(shard: number, pages: 1 | -1): void
}

export type ReadingShareOptions = {
  /** The own number. */
  index: number
  shards: number
  /** How much of its time a shard has work, 0 to 1; a moment old. */
  busyOf(shard: number): number
  /** Monotonic milliseconds. */
  now(): number
}

/** As often as it is measured how busy shards are. */
const ADJUST_EVERY_MS = 100
const GAIN = 0.3
/** Above it a shard has no time to spare. */
const FULL = 0.95
const SHRINK = 0.05
/** Pages that one shard may have from this one at a time: more would only wait there. */
const MAX_GIVEN = 64

export function createReadingShare({ index, shards, busyOf, now }: ReadingShareOptions): ReadingShare {
  const given = new Array<number>(shards).fill(0)
  let freest = index
  let share = 0
  /** Pages are handed on evenly: each adds its share, and a whole one is a page. */
  let credit = 0
  let adjustedAt = Number.NEGATIVE_INFINITY

  function adjust(): void {
    freest = index
    for (let shard = 0; shard < shards; shard++)
      if (shard !== index && (freest === index || busyOf(shard) < busyOf(freest))) freest = shard
    const [mine, theirs] = [busyOf(index), busyOf(freest)]
    const isFull = theirs > FULL
    share = Math.min(1, Math.max(0, share + GAIN * (mine - theirs) - (isFull ? SHRINK : 0)))
  }

  return {
    next() {
      if (shards < 2) return null
      const at = now()
      if (at - adjustedAt >= ADJUST_EVERY_MS) {
        adjustedAt = at
        adjust()
      }
      if (share === 0 || freest === index || given[freest]! >= MAX_GIVEN) return null
      credit += share
      if (credit < 1) return null
      credit -= 1
      return freest
    },
    note(shard, pages) {
      given[shard]! += pages
    },
  }
}
