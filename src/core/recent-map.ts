export type RecentMap<Key, Value> = {
  /** Looking up is a use. */
  get(key: Key): Value | undefined
  /** Looks up without using. */
  peek(key: Key): Value | undefined
  set(key: Key, value: Value, weight?: number): void
  delete(key: Key): void
  readonly size: number
  /** The sum over all entries. */
  readonly weight: number
}

type Entry<Value> = { value: Value; weight: number }

/**
 * A map with limits. The entries that were not used for longest make room for new ones; one that alone is too heavy is not kept.
 *
 * While the map is less than half full, uses are not noted: nothing is dropped soon, and noting takes longer than looking up.
 */
export function createRecentMap<Key, Value>({
  maxEntries,
  maxWeight = Number.POSITIVE_INFINITY,
}: {
  maxEntries: number
  maxWeight?: number
}): RecentMap<Key, Value> {
  // A Map keeps the order of insertion: the first entry is the least recently used.
  const entries = new Map<Key, Entry<Value>>()
  let total = 0

  function drop(key: Key): void {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }

  function makeRoom(): void {
    for (const key of entries.keys()) {
      if (entries.size <= maxEntries && total <= maxWeight) return
      drop(key)
    }
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entries.size * 2 > maxEntries || total * 2 > maxWeight) {
        entries.delete(key)
        entries.set(key, entry)
      }
      return entry.value
    },
    peek: (key) => entries.get(key)?.value,
    set(key, value, weight = 0) {
      drop(key)
      if (weight > maxWeight) return
      entries.set(key, { value, weight })
      total += weight
      makeRoom()
    },
    delete: drop,
    get size() {
      return entries.size
    },
    get weight() {
      return total
    },
  }
}
