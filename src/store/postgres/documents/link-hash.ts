import { hash } from 'node:crypto'

/** Tells whether two lists of links are the same without either of them travelling. */
export function linkHash(list: string, naming: number): Buffer {
  return hash('sha256', `${naming}\n${list}`, 'buffer').subarray(0, 16)
}
