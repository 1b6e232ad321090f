import type { Block } from '../../core/change/change.ts'
import { codesOf } from '../../core/text/text-codes.ts'
import { sharedEnd, sharedStart } from './shared-ends.ts'

/** Features of a block as numbers, so that thousands of pairs can be compared. */
export type Features = {
  /** Hashes of its words in lower case, sorted. All numbers have the same hash. */
  readonly words: readonly number[]
  /** Total weight of the words. */
  readonly weight: number
  /** Few words: the position says more than the words do. */
  readonly isShort: boolean
  /** First cell of a row; '' for other blocks. */
  readonly firstCell: string
}

/** A longer text is represented by its beginning. */
const maxWords = 48
const maxShort = 8
const numberHash = 1

/** Splits words more coarsely than a diff does, and many times faster. */
export function featuresOf(block: Block): Features {
  const { text } = block
  const codes = codesOf(text, 0)
  const max = Math.min(maxWords, (text.length >> 1) + 1)
  let count = 0
  let hash = 0
  let length = 0
  let isNumber = false
  for (let i = 0; i <= text.length && count < max; i++) {
    const code = i < text.length ? codes[i]! : 0x20
    const kindOf = code < 128 ? asciiKinds[code]! : code >= 0x2e80 && code < 0xd800 ? dense : letter
    // Separators within a number are part of it.
    const isWithin = isNumber && (code === 0x2e || code === 0x2c || code === 0x3a)
    if (length > 0 && (kindOf === dense || (kindOf === sign && !isWithin))) {
      found[count++] = isNumber ? numberHash : wordHash(hash, length)
      hash = 0
      length = 0
      isNumber = false
    }
    if (kindOf === sign) continue
    if (kindOf === dense) {
      if (count < max) found[count++] = wordHash(code * 0x9e3779b1, 7)
      continue
    }
    if (kindOf === digit && length === 0) isNumber = true
    hash = (Math.imul(hash ^ (code < 128 ? code | 0x20 : code), 0x01000193) + 0x9e37) | 0
    length++
  }
  const words = sorted(count)
  let weight = 0
  for (let i = 0; i < count; i++) weight += weightOf(words[i]!)
  return { words, weight, isShort: count <= maxShort, firstCell: firstCellOf(block) }
}

/** Word hashes of the text being read. */
const found = new Int32Array(maxWords)

/** Sorts the first `count` of `found` with Shell sort (gaps of 10, 4 and 1), as they are few. */
function sorted(count: number): number[] {
  for (let step = count > 10 ? 10 : count > 4 ? 4 : 1; step > 0; step = step === 10 ? 4 : step === 4 ? 1 : 0) {
    for (let i = step; i < count; i++) {
      const word = found[i]!
      let at = i
      for (; at >= step && found[at - step]! > word; at -= step) found[at] = found[at - step]!
      found[at] = word
    }
  }
  const words: number[] = []
  for (let i = 0; i < count; i++) words.push(found[i]!)
  return words
}

/** First cell of a row; '' for other blocks. */
export function firstCellOf({ kind, text }: Block): string {
  return kind === 'row' ? text.slice(0, Math.max(0, text.indexOf('\t'))) : ''
}

/** The low bits hold the length of the word. */
function wordHash(hash: number, length: number): number {
  return (hash & ~7) | Math.min(length, 7)
}

/** Short words occur in every text, and numbers may have changed: both count less. */
function weightOf(word: number): number {
  return word === numberHash ? 0.6 : (word & 7) < 4 ? 0.3 : 1
}

const sign = 0
const letter = 1
const digit = 2
const dense = 3
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[a-z]/i.test(character) ? letter : /\d/.test(character) ? digit : sign
})

/** From 0 (nothing in common) to 1 (the same words). */
export function sharedWords(one: Features, other: Features): number {
  const total = one.weight + other.weight
  if (total === 0) return 0
  let shared = 0
  const [a, b] = [one.words, other.words]
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i]! < b[j]!) i++
    else if (a[i]! > b[j]!) j++
    else {
      shared += weightOf(a[i]!)
      i++
      j++
    }
  }
  return (2 * shared) / total
}

/** Number of equal characters at the beginning and the end. */
export function sharedEnds(one: string, other: string): number {
  const [a, b] = [codesOf(one, 0), codesOf(other, 1)]
  const shorter = Math.min(one.length, other.length)
  const start = sharedStart(a, b, shorter)
  return start + sharedEnd(a, one.length, b, other.length, shorter - start)
}

/** Whether one can have become the other at all. */
export function areOfAKind(one: Block, other: Block): boolean {
  const [a, b] = [classes[one.kind], classes[other.kind]]
  return a === b
}

export const classes = { title: 0, heading: 1, paragraph: 2, item: 2, line: 2, row: 3, entry: 4, value: 5 } as const
