/** What is read together: enough to be worth a journey to a store that is far away, and no more than memory bears. */
const MAX_ITEMS = 16
const MAX_BYTES = 8 * 1024 * 1024

export type ReadAheadOptions<T> = {
  /** How many bytes a reading may take, roughly. */
  weigh(item: T): number
}

/** Reads several at a time, and gives them in their order. The first failure ends it. */
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
