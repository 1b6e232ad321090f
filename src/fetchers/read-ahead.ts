/** `Source` is what is read; a `length` above the limit means that it was truncated. */
export type ReadAheadDeps<Source extends { length: number }> = {
  maxBodyBytes: number
  /** Size according to the server; undefined if it doesn't say. */
  sizeOf(url: string): Promise<number | undefined>
  /** Sources by URL, each truncated at `maxBytes`; without those that no longer exist. */
  fetch(urls: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, Source>>
}

export type ReadAhead<Source> = {
  /** Sets the messages of a list, in the order in which they are likely to be read. */
  expect(urls: readonly string[]): void
  /** Null if it no longer exists. */
  read(url: string): Promise<Source | null>
}

const maxAhead = 50
const maxSmallBytes = 256 * 1024

/**
 * Reads small messages ahead: most are small, and fetching each by itself is mostly waiting. Once messages are read in the order of their
 * list, the next ones are fetched along, never more than were read in order so far. So little is wasted if some are stored already.
 */
export function createReadAhead<Source extends { length: number }>({
  maxBodyBytes,
  sizeOf,
  fetch,
}: ReadAheadDeps<Source>): ReadAhead<Source> {
  const maxSmall = Math.min(maxSmallBytes, maxBodyBytes)
  const ahead = new Map<string, Source>()
  let order: readonly string[] = []
  let places: ReadonlyMap<string, number> = new Map()
  let last = -2
  let inOrder = 0
  let turn: Promise<unknown> = Promise.resolve()

  const isSmall = async (url: string): Promise<boolean> => ((await sizeOf(url)) ?? maxSmall + 1) <= maxSmall

  async function batchFrom(at: number): Promise<string[]> {
    const batch: string[] = []
    for (const url of order.slice(at, at + 1 + Math.min(inOrder, maxAhead))) {
      if (!(await isSmall(url))) break
      batch.push(url)
    }
    return batch
  }

  async function next(url: string): Promise<Source | null> {
    const at = places.get(url) ?? -2
    inOrder = at >= 0 && at === last + 1 ? inOrder + 1 : 0
    last = at
    const there = ahead.get(url)
    if (there !== undefined) {
      ahead.delete(url)
      return there
    }
    ahead.clear()
    const batch = inOrder === 0 ? [] : await batchFrom(at)
    if (batch.length > 1) {
      // A message that is longer than the server said is fetched by itself.
      for (const [each, source] of await fetch(batch, maxSmall + 1))
        if (source.length <= maxSmall) ahead.set(each, source)
      const own = ahead.get(url)
      ahead.delete(url)
      if (own !== undefined) return own
    }
    return (await fetch([url], maxBodyBytes + 1)).get(url) ?? null
  }

  return {
    expect(urls) {
      order = urls
      places = new Map(urls.map((url, at) => [url, at]))
      last = -2
    },
    read(url) {
      const read = turn.then(() => next(url))
      turn = read.catch(() => {})
      return read
    },
  }
}
