import { inChunks } from './xml-writing.ts'

export const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** A file of many items, one in memory at a time. */
export function writeItems<T>(
  root: string,
  items: Iterable<T> | AsyncIterable<T>,
  element: (item: T) => string,
): AsyncGenerator<string, void, undefined> {
  async function* pieces() {
    yield `${declaration}<${root}>\n`
    for await (const item of items) yield element(item)
    yield `</${root}>\n`
  }
  return inChunks(pieces())
}
