import { randomBytes } from 'node:crypto'

/**
 * The hash of a term within this process. Both the start and the factor are random per process (and thread), so that no page can
 * be written whose words all fall into one slot of our tables. Stored or transmitted data must use another hash.
 *
 * Hashes are signed: an unsigned one above 2^31 would be allocated on the heap each time it is passed.
 *
 * The state after the first n characters is that of the prefix of length n; `finishHash` turns a state into a hash.
 */
const seeds = randomBytes(12)
export const hashStart = seeds.readInt32LE(0)
export const hashFactor = (seeds.readInt32LE(4) & 0x0ffffff8) | 0x10000005
/** For callers that need twice the bits. */
export const secondFactor = (seeds.readInt32LE(8) & 0x0ffffff8) | 0x10000003

export function finishHash(state: number): number {
  let mixed = state ^ (state >>> 16)
  mixed = Math.imul(mixed, 0x7feb352d)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}

export function hashText(text: string): number {
  let state = hashStart
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), hashFactor)
  return finishHash(state)
}

export function hashUnits(units: Uint16Array, start: number, length: number): number {
  let state = hashStart
  for (let at = start; at < start + length; at++) state = Math.imul(state ^ units[at]!, hashFactor)
  return finishHash(state)
}

/** Terms of the same spelling in different spaces (words, stems of a language, prefixes, sites) are different terms. */
export function hashInSpace(hash: number, space: number): number {
  return space === 0 ? hash : finishHash(hash ^ Math.imul(space, 0x9e3779b1))
}
