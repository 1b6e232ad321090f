// Findings, as numbers for the program: it reads them whenever the buffer is full, and at the end of the page.
import { classesOf, endOf, startOf } from './attributes.ts'
import { MAX_FINDING } from './wire.ts'

const CAPACITY: usize = 4096
const numbers: usize = memory.data(16384, 4)
let count: usize = 0

export function place(): usize {
  return numbers
}

export function clear(): void {
  count = 0
}

export function isFull(): bool {
  return count + MAX_FINDING > CAPACITY
}

export function size(): usize {
  return count
}

export function put(number: i32): void {
  store<i32>(numbers + (count++ << 2), number)
}

/** Writes places as offsets in the page. */
export function putRange(range: usize, page: usize): void {
  const start = startOf(range)
  put(start === 0 ? -1 : <i32>(start - page))
  put(<i32>(endOf(range) - page))
  put(classesOf(range))
}
