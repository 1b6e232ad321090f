/** The links of one page, by fingerprint: pages name most of their links more than once, in one spelling or several. */
export type MetLinks = {
  /** Starts the next page. */
  clear(): void
  /** False if the link was added before. Both words are signed. */
  add(hi: number, lo: number): boolean
}

const FIRST_SIZE = 1024

/** A hash table that is never cleared: slots marked with another page's number are free. */
export function createMetLinks(): MetLinks {
  let size = FIRST_SIZE
  let pages = new Uint32Array(size)
  let keys = new Int32Array(size * 2)
  let page = 1
  let count = 0

  function grow(): void {
    const [before, held, length] = [pages, keys, size]
    size *= 2
    pages = new Uint32Array(size)
    keys = new Int32Array(size * 2)
    for (let at = 0; at < length; at++) if (before[at] === page) put(held[at * 2]!, held[at * 2 + 1]!)
  }

  function put(hi: number, lo: number): boolean {
    let at = lo & (size - 1)
    while (pages[at] === page) {
      if (keys[at * 2] === hi && keys[at * 2 + 1] === lo) return false
      at = (at + 1) & (size - 1)
    }
    pages[at] = page
    keys[at * 2] = hi
    keys[at * 2 + 1] = lo
    return true
  }

  return {
    clear() {
      count = 0
      if (page === 0xffffffff) pages.fill(0)
      page = page === 0xffffffff ? 1 : page + 1
    },
    add(hi, lo) {
      if (count * 2 >= size) grow()
      if (!put(hi, lo)) return false
      count++
      return true
    },
  }
}
