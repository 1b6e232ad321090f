import type { Spans } from '../../core/text/word-tokens.ts'

/** The words of a text, as ranges of its codes, which start at `offset`. */
export type CodedWords = {
  readonly text: string
  readonly codes: Uint16Array
  readonly offset: number
  readonly spans: Spans
}

/** Numbers of the words of both texts, the older one's first. The array may be longer. */
export type WordNumbers = { readonly numbers: Int32Array; readonly count: number }

type Table = { slots: Int32Array; hashes: Int32Array; firsts: Int32Array; numbers: Int32Array }

const keptWords = 2_048
const kept = createTable(keptWords)
/** A longer probe sequence suggests words chosen to collide: then they are looked up as strings. */
const maxProbes = 256

function createTable(words: number): Table {
  return {
    slots: new Int32Array(slotsFor(words)),
    hashes: new Int32Array(words),
    firsts: new Int32Array(words),
    numbers: new Int32Array(words),
  }
}

/** A power of two, so that at most half of the slots are used. */
function slotsFor(words: number): number {
  return 2 ** Math.max(6, Math.ceil(Math.log2(2 * words)))
}

/**
 * Numbers the words of two texts, equal ones alike. Words are compared by their codes, without creating strings. For short texts the
 * result is valid only until the next call.
 */
export function numberWords(old: CodedWords, next: CodedWords): WordNumbers {
  const words = old.spans.starts.length + next.spans.starts.length
  const table = words <= keptWords ? kept : createTable(words)
  const mask = slotsFor(words) - 1
  table.slots.fill(0, 0, mask + 1)
  let count = addWords(table, mask, 0, old, next, false)
  if (count !== -1) count = addWords(table, mask, count, old, next, true)
  return count === -1 ? numberTexts(old, next) : { numbers: table.numbers, count }
}

/** Returns the number of distinct words so far; -1 if it takes too many probes. */
function addWords(
  table: Table,
  mask: number,
  known: number,
  old: CodedWords,
  next: CodedWords,
  isNext: boolean,
): number {
  const { slots, hashes, firsts, numbers } = table
  const oldCount = old.spans.starts.length
  const { codes, offset, spans } = isNext ? next : old
  const { starts, ends } = spans
  const before = isNext ? oldCount : 0
  let count = known
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]! + offset
    const end = ends[i]! + offset
    let hash = end - start
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ codes[at]!, 0x01000193)
    hash ^= hash >>> 15
    let slot = hash & mask
    for (let probes = 0; ; probes++) {
      const number = slots[slot]! - 1
      if (number === -1) {
        slots[slot] = count + 1
        hashes[count] = hash
        firsts[count] = before + i
        numbers[before + i] = count++
        break
      }
      if (hashes[number] === hash) {
        const first = firsts[number]!
        const isEqual =
          first < oldCount ? equals(old, first, codes, start, end) : equals(next, first - oldCount, codes, start, end)
        if (isEqual) {
          numbers[before + i] = number
          break
        }
      }
      if (probes > maxProbes) return -1
      slot = (slot + 1) & mask
    }
  }
  return count
}

function equals(
  { codes, offset, spans }: CodedWords,
  word: number,
  other: Uint16Array,
  start: number,
  end: number,
): boolean {
  let at = spans.starts[word]! + offset
  if (spans.ends[word]! + offset - at !== end - start) return false
  for (let i = start; i < end; i++) if (codes[at++] !== other[i]) return false
  return true
}

function numberTexts(old: CodedWords, next: CodedWords): WordNumbers {
  const known = new Map<string, number>()
  const numbers: number[] = []
  for (const { text, spans } of [old, next]) {
    for (const [i, start] of spans.starts.entries()) {
      const word = text.slice(start, spans.ends[i])
      const number = known.get(word) ?? known.size
      if (number === known.size) known.set(word, number)
      numbers.push(number)
    }
  }
  return { numbers: Int32Array.from(numbers), count: known.size }
}
