/** Values that many rows share, kept once and named by a small number. A value goes when the last row lets go of it. */
export type Interner<T> = {
  /** One more row has the value; `make` is called where it is new. */
  acquire(key: string, make: () => T): number
  release(number: number): void
  get(number: number): T
  size(): number
}

type Entry<T> = { key: string; value: T; rows: number }

export function createInterner<T>(): Interner<T> {
  const numbers = new Map<string, number>()
  const entries: (Entry<T> | undefined)[] = []
  const free: number[] = []

  return {
    acquire(key, make) {
      const known = numbers.get(key)
      if (known !== undefined) {
        entries[known]!.rows++
        return known
      }
      const value = make()
      const number = free.pop() ?? entries.length
      entries[number] = { key, value, rows: 1 }
      numbers.set(key, number)
      return number
    },
    release(number) {
      const entry = entries[number]!
      if (--entry.rows > 0) return
      numbers.delete(entry.key)
      entries[number] = undefined
      free.push(number)
    },
    get: (number) => entries[number]!.value,
    size: () => numbers.size,
  }
}
