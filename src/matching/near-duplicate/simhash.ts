import type { DocumentTerms } from '../terms/document-terms.ts'

/**
 * 64 bits that are nearly the same for texts that are nearly the same (Charikar's simhash over pairs of neighbouring words). The same
 * text has the same bits in every process and release: they are kept. Longer runs of words would change more bits for each changed word.
 */
/** Fewer words say too little: two short notes of different news could look alike. */
const MIN_TOKENS = 24
const PLANES = 21

/** Null where the document is too short to be compared. Title and body count alike. */
export function simhash({ plain, tokens }: DocumentTerms): bigint | null {
  if (tokens < MIN_TOKENS) return null
  const { low, high } = termHashes(plain)
  const { termOf } = plain
  const lowPlanes = new Uint32Array(PLANES)
  const highPlanes = new Uint32Array(PLANES)
  for (let at = 1; at < tokens; at++) {
    const first = termOf[at - 1]!
    const second = termOf[at]!
    // The order of the two counts: one of them is turned.
    addBits(lowPlanes, mixed(low[first]! ^ turned(low[second]!, 11)))
    addBits(highPlanes, mixed(high[first]! ^ turned(high[second]!, 11)))
  }
  const half = (tokens - 1) / 2
  return (BigInt(majority(highPlanes, half)) << 32n) | BigInt(majority(lowPlanes, half))
}

export function hammingDistance(a: bigint, b: bigint): number {
  const different = a ^ b
  return countBits(Number(different & 0xffffffffn)) + countBits(Number((different >> 32n) & 0xffffffffn))
}

export function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** 32 counters at once: plane n holds the nth binary digit of each. Adding mostly touches the first two planes. */
function addBits(planes: Uint32Array, bits: number): void {
  let carry = bits
  for (let plane = 0; carry !== 0 && plane < PLANES; plane++) {
    const before = planes[plane]!
    planes[plane] = before ^ carry
    carry &= before
  }
}

/** The bits whose counters are above `half`. */
function majority(planes: Uint32Array, half: number): number {
  let word = 0
  for (let bit = 0; bit < 32; bit++) {
    let count = 0
    for (let plane = 0; plane < PLANES; plane++) count += ((planes[plane]! >>> bit) & 1) * 2 ** plane
    if (count > half) word |= 1 << bit
  }
  return word >>> 0
}

function termHashes({ table }: DocumentTerms['plain']): { low: Int32Array; high: Int32Array } {
  const low = new Int32Array(table.limit)
  const high = new Int32Array(table.limit)
  for (let term = 0; term < table.limit; term++) {
    const end = table.offsets[term]! + table.lengths[term]!
    let a = 0x2545f491
    let b = 0x1b873593
    for (let at = table.offsets[term]!; at < end; at++) {
      a = Math.imul(a ^ table.units[at]!, 0x01000193)
      b = Math.imul(b ^ table.units[at]!, 0x5bd1e995)
    }
    low[term] = mixed(a)
    high[term] = mixed(b)
  }
  return { low, high }
}

function turned(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}

function mixed(word: number): number {
  let next = word ^ (word >>> 16)
  next = Math.imul(next, 0x7feb352d)
  next ^= next >>> 15
  next = Math.imul(next, 0x846ca68b)
  return next ^ (next >>> 16)
}

/** Lines with fewer words are menus, captions and credits: they differ between sites that carry the same article. */
const MIN_WORDS = 8

/** The prose of a page: lines of its text that are long enough to be sentences. The whole text where there are none. */
export function proseOf(text: string): string {
  const prose = text.split('\n').filter(isSentence).join('\n')
  return prose === '' ? text : prose
}

function isSentence(line: string): boolean {
  let words = 1
  for (let at = line.indexOf(' '); at !== -1 && words < MIN_WORDS; at = line.indexOf(' ', at + 1)) words++
  // Where words are not set apart by spaces, length has to do.
  return words >= MIN_WORDS || line.length > MIN_WORDS * 8
}
