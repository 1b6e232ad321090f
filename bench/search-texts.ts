import type { IndexedText } from '../src/store/contracts/search.ts'
import { createRandom, type Random } from './origin/random.ts'

const onsets = ['b', 'c', 'd', 'f', 'g', 'h', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'st', 'tr', 'pl', 'qu', 'sh']
const nuclei = ['a', 'e', 'i', 'o', 'u', 'ea', 'io', 'ou', 'ai']
const codas = ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'ck', 'rm']

const WORDS = 60_000
const HOSTS = 1_000
const TABLE_BITS = 20
/** About 3 KB of text on average. */
const MIN_WORDS = 150
const MORE_WORDS = 250

/** Documents of an artificial language whose nth most common word has the frequency 1/n (Zipf). */
export type SearchTexts = {
  /** Most common first. */
  words: readonly string[]
  /** The nth document, always the same. */
  textAt(n: number): IndexedText
}

export function createSearchTexts(): SearchTexts {
  const words = makeWords(createRandom(1))
  const table = makeTable()
  const pick = (random: Random): string => words[table[random.below(table.length)]!]!
  const textOf = (random: Random, length: number): string => Array.from({ length }, () => pick(random)).join(' ')
  return {
    words,
    textAt(n) {
      const random = createRandom(1_000 + n)
      const host = `www.site-${random.below(HOSTS)}.example`
      const title = textOf(random, 5)
      const text = textOf(random, MIN_WORDS + random.below(MORE_WORDS))
      return { versionId: n + 1, documentId: n + 1, host, at: Date.UTC(2026, 0, 1) + n * 1_000, title, text }
    },
  }
}

function makeWords(random: Random): string[] {
  const words = new Set<string>()
  while (words.size < WORDS) {
    let word = ''
    for (let syllables = 1 + random.below(4); syllables > 0; syllables--)
      word += random.pick(onsets) + random.pick(nuclei) + random.pick(codas)
    words.add(word)
  }
  return [...words]
}

/** Indexes of words, repeated in proportion to their frequency, so that a random pick is one look-up. */
function makeTable(): Uint32Array {
  const sums = new Float64Array(WORDS)
  let sum = 0
  for (let rank = 0; rank < WORDS; rank++) sums[rank] = sum += 1 / (rank + 2.7)
  const table = new Uint32Array(1 << TABLE_BITS)
  for (let at = 0, rank = 0; at < table.length; at++) {
    while (sums[rank]! < ((at + 0.5) / table.length) * sum) rank++
    table[at] = rank
  }
  return table
}
