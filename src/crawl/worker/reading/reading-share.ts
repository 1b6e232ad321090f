/**
 * Decides which pages fetched by this shard are read by another one. The share adapts to the load of the threads: while another thread is
 * less busy than this one, a growing share of the pages goes there, until both are equally busy. If all are busy the share shrinks again,
 * since a page is cheaper to read where it was fetched. So a crawl of many hosts exchanges nothing, and one of few hosts uses all threads.
 */
export type ReadingShare = {
  /** The shard that reads the next page; null for this one. */
  next(): number | null
  /** Called when a page was handed to a shard (1), or came back (-1). */
  note(shard: number, pages: 1 | -1): void
}

export type ReadingShareOptions = {
  /** Index of this shard. */
  index: number
  shards: number
  /** Utilisation of a shard, 0 to 1; slightly out of date. */
  busyOf(shard: number): number
  /** Monotonic milliseconds. */
  now(): number
}

/** The interval at which utilisation is measured. */
const ADJUST_EVERY_MS = 100
const GAIN = 0.3
/** Utilisation above which a shard has no time to spare. */
const FULL = 0.95
const SHRINK = 0.05
/** Maximum number of pages at one other shard at a time: more would only wait there. */
const MAX_GIVEN = 64

export function createReadingShare({ index, shards, busyOf, now }: ReadingShareOptions): ReadingShare {
  const given = new Array<number>(shards).fill(0)
  let freest = index
  let share = 0
  /** Spreads the given pages evenly: each page adds `share`, and every whole 1 gives a page away. */
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
