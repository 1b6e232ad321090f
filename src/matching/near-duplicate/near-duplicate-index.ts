import { storyLimits } from '../../store/contracts/stories.ts'
import type { PlacedText } from './main-text.ts'
import { type KnownText, sketchBeside, storyOf } from './same-story.ts'
import { readLines } from './text-sketch.ts'

/**
 * The last texts, in memory, for callers that only count near-duplicates. It selects candidates as the stores do: the newest of each
 * band, those with the most bands in common first.
 */
export type NearDuplicateIndex = {
  /** Returns the first text of the same story, which may be this one; null if it is too short to compare. */
  add(id: number, page: { host: string; texts: readonly PlacedText[] }): number | null
}

const CAPACITY = 20_000

export function createNearDuplicateIndex({ capacity = CAPACITY } = {}): NearDuplicateIndex {
  const texts = new Map<number, KnownText & { bands: readonly number[] }>()
  const bands = new Map<number, number[]>()
  const hosts = new Map<string, number[]>()

  /** Newest first. */
  const newestOf = (places: readonly number[] | undefined, limit: number): number[] =>
    (places ?? []).slice(-limit).reverse()

  function candidatesFor(keys: readonly number[]): KnownText[] {
    const met = new Map<number, number>()
    for (const key of keys)
      for (const place of newestOf(bands.get(key), storyLimits.ofBand)) met.set(place, (met.get(place) ?? 0) + 1)
    return [...met]
      .sort(([a, n], [b, m]) => m - n || b - a)
      .slice(0, storyLimits.candidates)
      .map(([place]) => texts.get(place)!)
  }

  function forget(place: number): void {
    const { host, bands: keys } = texts.get(place)!
    texts.delete(place)
    for (const key of keys) drop(bands, key, place)
    drop(hosts, host, place)
  }

  let added = 0
  return {
    add(id, { host, texts: given }) {
      const ofHost = newestOf(hosts.get(host), storyLimits.pagesOfHost).map((place) => texts.get(place)!)
      const sketch = sketchBeside(readLines(given), ofHost)
      if (sketch === null) return null
      const cluster = storyOf({ host, sketch }, candidatesFor(sketch.bands), ofHost) ?? id
      const place = added++
      const { bands: keys, ...kept } = sketch
      texts.set(place, { host, cluster, sketch: kept, bands: keys })
      for (const key of new Set(keys)) append(bands, key, place)
      append(hosts, host, place)
      if (texts.size > capacity) forget(place - capacity)
      return cluster
    },
  }
}

function append<K>(lists: Map<K, number[]>, key: K, place: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [place])
  else list.push(place)
}

function drop<K>(lists: Map<K, number[]>, key: K, place: number): void {
  const list = lists.get(key)?.filter((each) => each !== place) ?? []
  if (list.length === 0) lists.delete(key)
  else lists.set(key, list)
}
