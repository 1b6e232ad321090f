import type { Block } from '../../core/change/change.ts'

/** What of a block is held against others, in numbers, so that thousands of pairs can be compared. */
export type Features = {
  /** Hashes of its words in lower case, sorted; numbers all have the same. */
  readonly words: Int32Array
  /** By how much each counts; all together `weight`. */
  readonly weights: Float32Array
  readonly weight: number
  /** Few words: where it is says more than what they are. */
  readonly isShort: boolean
  /** Of a row. */
  readonly firstCell: string
}

/** Of a longer text the beginning speaks for the rest. */
const maxWords = 96
const maxShort = 8
const numberHash = 1

/** Words, as scanned here, are rougher than those of a diff, and found many times faster. */
export function featuresOf({ kind, text }: Block): Features {
  const found: number[] = []
  let hash = 0
  let length = 0
  let isNumber = false
  let count = 0
  const endWord = (): void => {
    if (length === 0) return
    found.push(isNumber ? numberHash : (hash & ~7) | Math.min(length, 7))
    count++
    hash = 0
    length = 0
    isNumber = false
  }
  for (let i = 0; i < text.length && count < maxWords; i++) {
    const code = text.charCodeAt(i)
    const kindOf = code < 128 ? asciiKinds[code]! : code >= 0x2e80 && code < 0xd800 ? dense : letter
    if (kindOf === sign) {
      // Separators within a number are part of it.
      if (!isNumber || (code !== 0x2e && code !== 0x2c && code !== 0x3a)) endWord()
      continue
    }
    if (kindOf === dense) endWord()
    if (kindOf === digit && length === 0) isNumber = true
    hash = Math.imul(hash ^ (code < 128 ? code | 0x20 : code), 0x01000193) + 0x9e37
    length++
    if (kindOf === dense) {
      length = 6
      endWord()
    }
  }
  endWord()
  const words = Int32Array.from(found).sort()
  const weights = new Float32Array(words.length)
  let weight = 0
  for (let i = 0; i < words.length; i++) {
    weights[i] = words[i] === numberHash ? 0.6 : (words[i]! & 7) < 4 ? 0.3 : 1
    weight += weights[i]!
  }
  const firstCell = kind === 'row' ? text.slice(0, Math.max(0, text.indexOf('\t'))) : ''
  return { words, weights, weight, isShort: words.length <= maxShort, firstCell }
}

const sign = 0
const letter = 1
const digit = 2
const dense = 3
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[a-z]/i.test(character) ? letter : /\d/.test(character) ? digit : sign
})

/** From 0, nothing in common, to 1, the same words. */
export function sharedWords(one: Features, other: Features): number {
  const total = one.weight + other.weight
  if (total === 0) return 0
  let shared = 0
  const [a, b] = [one.words, other.words]
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i]! < b[j]!) i++
    else if (a[i]! > b[j]!) j++
    else {
      shared += one.weights[i]!
      i++
      j++
    }
  }
  return (2 * shared) / total
}

/** Whether one can have become the other at all. */
export function areOfAKind(one: Block, other: Block): boolean {
  const [a, b] = [classes[one.kind], classes[other.kind]]
  return a === b
}

export const classes = { title: 0, heading: 1, paragraph: 2, item: 2, line: 2, row: 3, entry: 4, value: 5 } as const
