/** A binary heap ordered by due time. Callers must not push an item that is already in it. */
export type TimeHeap<T> = {
  push(item: T, dueAt: number): void
  /** Removes and returns the earliest item, if it is due by `now`. */
  popDue(now: number): T | undefined
  nextDueAt(): number | undefined
  size(): number
}

export function createTimeHeap<T>(): TimeHeap<T> {
  const items: T[] = []
  const due: number[] = []

  function swap(a: number, b: number): void {
    const item = items[a]!
    const at = due[a]!
    items[a] = items[b]!
    due[a] = due[b]!
    items[b] = item
    due[b] = at
  }

  function sink(from: number): void {
    let at = from
    for (;;) {
      const left = 2 * at + 1
      if (left >= items.length) return
      const right = left + 1
      const least = right < items.length && due[right]! < due[left]! ? right : left
      if (due[least]! >= due[at]!) return
      swap(at, least)
      at = least
    }
  }

  return {
    push(item, dueAt) {
      items.push(item)
      due.push(dueAt)
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (due[parent]! <= due[at]!) break
        swap(at, parent)
        at = parent
      }
    },
    popDue(now) {
      if (items.length === 0 || due[0]! > now) return undefined
      swap(0, items.length - 1)
      const item = items.pop()
      due.pop()
      sink(0)
      return item
    },
    nextDueAt: () => due[0],
    size: () => items.length,
  }
}
