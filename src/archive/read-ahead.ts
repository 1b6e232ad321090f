/** Batch limits: enough to be worth a round trip to a remote store, and no more than fits into memory. */
const MAX_ITEMS = 16
const MAX_BYTES = 8 * 1024 * 1024

export type ReadAheadOptions<T> = {
  /** Approximate bytes that reading the item takes. */
  weigh(item: T): number
}

/** Reads items in concurrent batches, and yields them in order. The first failure ends it. */
export async function* readAhead<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  read: (item: T) => Promise<R>,
  { weigh }: ReadAheadOptions<T>,
): AsyncGenerator<[item: T, result: R], void, undefined> {
  for await (const portion of portionsOf(items, weigh)) {
    const results = await Promise.all(portion.map(read))
    for (const [index, item] of portion.entries()) yield [item, results[index]!]
  }
}

async function* portionsOf<T>(
  items: AsyncIterable<T> | Iterable<T>,
  weigh: (item: T) => number,
): AsyncGenerator<T[], void, undefined> {
  let portion: T[] = []
  let bytes = 0
  for await (const item of items) {
    portion.push(item)
    bytes += weigh(item)
    if (portion.length < MAX_ITEMS && bytes < MAX_BYTES) continue
    yield portion
    portion = []
    bytes = 0
  }
  if (portion.length > 0) yield portion
}
