import { createMainText, type PlacedText } from './main-text.ts'
import { mixed, readWords } from './text-words.ts'

/**
 * What is stored of a text to find and recognise its near-duplicates:
 *
 * - bands: keys for finding it. 64 min-hashes of the shingles (runs of three words) of its main text, three to a band: texts whose
 *   shingles overlap by half share a band in 94 of 100 cases, unrelated texts in one of 50,000.
 * - shingles: a sample of at most 128 pairs of words, those with the smallest hashes, so that the samples of two texts can be compared.
 * - lines: likewise a sample of at most 255 hashes of all lines, with their lengths. They show what pages have in common.
 *
 * The same text has the same sketch in every process and release: sketches are stored.
 */
export type TextSketch = {
  readonly bands: readonly number[]
  /** Ascending. */
  readonly shingles: Uint32Array
  /** By shingle: index of its line in `lines`, or `NO_LINE`. */
  readonly lineOf: Uint8Array
  /** Ascending. */
  readonly lines: Uint32Array
  /** By line: number of words. */
  readonly words: Uint16Array
  /** By line: 1 if it is part of the main text. */
  readonly main: Uint8Array
}

export const NO_LINE = 255
const MAX_LINES = 255
const MAX_SHINGLES = 128
const MAX_WORDS = 0x7fff
/** Shingles beyond this length are not read: some 100 pages of print. */
const MAX_TEXT_WORDS = 50_000

/** Fewer words say too little: two short notes about different news could look alike. */
export const MIN_WORDS = 24
/** Lines with fewer words are menus, captions and credits: they differ between sites that carry the same article. */
const MIN_LINE_WORDS = 4

const PERMUTATIONS = 4
const BINS = 16
const ROWS = 3
export const BANDS = Math.floor((PERMUTATIONS * BINS) / ROWS)
const NONE = 0xffffffff

type ReadLine = { hash: number; words: number; isMain: boolean; pairs: number[]; triples: number[] }

/** The lines of a text, read once. `sketchOf` decides which of them count. */
export type TextLines = { readonly lines: readonly ReadLine[] }

export function readLines(texts: readonly PlacedText[]): TextLines {
  const lines: ReadLine[] = []
  const room = { hashes: new Uint32Array(1_024) }
  const isMainText = createMainText()
  let total = 0
  for (const placed of texts) {
    const { hashes, count, weight } = readWords(placed.text, room)
    if (count === 0) continue
    let hash = 0x9747b28c
    for (let at = 0; at < count; at++) hash = Math.imul(hash ^ hashes[at]!, 0x5bd1e995) ^ (hash >>> 13)
    const isMain = total < MAX_TEXT_WORDS && isMainText(placed)
    const runsOf = (length: number): number[] => (isMain ? runsOfWords(hashes, count, length) : [])
    lines.push({ hash: mixed(hash), words: weight, isMain, pairs: runsOf(2), triples: runsOf(3) })
    if (isMain) total += count
  }
  return { lines }
}

function runsOfWords(hashes: Uint32Array, count: number, length: number): number[] {
  const found: number[] = []
  const last = Math.max(1, count - length + 1)
  for (let at = 0; at < last; at++) {
    let hash = 0x2545f491
    for (let next = at; next < at + length && next < count; next++)
      hash = Math.imul((hash << 11) ^ (hash >>> 21) ^ hashes[next]!, 0x9e3779b1)
    found.push(mixed(hash))
  }
  return found
}

/**
 * Null if too little is left to compare. Lines that other pages of the host have are left out.
 */
export function sketchOf({ lines }: TextLines, isShared: (line: number) => boolean = () => false): TextSketch | null {
  const counted = lines.filter(({ isMain, hash, words }) => isMain && words >= MIN_LINE_WORDS && !isShared(hash))
  if (wordsIn(counted) < MIN_WORDS) return null
  const counts = new Set(counted)
  const kept = sampleOfLines(lines, counts)
  const placeOf = new Map(kept.map(({ hash }, place) => [hash, place]))
  const lineOf = linesOfPairs(counted, (line) => placeOf.get(line) ?? NO_LINE)
  const shingles = Uint32Array.from(lineOf.keys()).sort().slice(0, MAX_SHINGLES)
  return {
    bands: bandsOf(counted.map(({ triples }) => triples)),
    shingles,
    lineOf: Uint8Array.from(shingles, (shingle) => lineOf.get(shingle)!),
    lines: Uint32Array.from(kept, ({ hash }) => hash),
    words: Uint16Array.from(kept, ({ words }) => Math.min(words, MAX_WORDS)),
    main: Uint8Array.from(kept, (line) => Number(counts.has(line))),
  }
}

/** Pairs of words, with the first line that has each. For a long text, where most pairs are not kept, only the smaller hashes. */
function linesOfPairs(counted: readonly ReadLine[], placeOf: (line: number) => number): Map<number, number> {
  const total = counted.reduce((sum, { pairs }) => sum + pairs.length, 0)
  for (let end = (2 ** 32 * 4 * MAX_SHINGLES) / total; ; end *= 8) {
    const lineOf = new Map<number, number>()
    for (const { hash, pairs } of counted)
      for (const pair of pairs) if (pair < end && !lineOf.has(pair)) lineOf.set(pair, placeOf(hash))
    // Texts with many repetitions leave fewer.
    if (lineOf.size >= MAX_SHINGLES || end >= 2 ** 32) return lineOf
  }
}

function wordsIn(lines: readonly ReadLine[]): number {
  return lines.reduce((sum, { words }) => sum + words, 0)
}

/** Distinct lines, those with the smallest hashes. */
function sampleOfLines(lines: readonly ReadLine[], counted: ReadonlySet<ReadLine>): ReadLine[] {
  const byHash = new Map<number, ReadLine>()
  for (const line of lines) {
    const known = byHash.get(line.hash)
    if (known === undefined || (!counted.has(known) && counted.has(line))) byHash.set(line.hash, line)
  }
  return [...byHash.values()].sort((a, b) => a.hash - b.hash).slice(0, MAX_LINES)
}

/**
 * One-permutation hashing, four times over: a permutation assigns each shingle to one of 16 bins and keeps the smallest of each, so
 * that 64 min-hashes cost four steps per shingle. An empty bin borrows from one determined by its number, the same for all texts.
 */
function bandsOf(lines: readonly (readonly number[])[]): number[] {
  const least = new Uint32Array(PERMUTATIONS * BINS).fill(NONE)
  for (let permutation = 0; permutation < PERMUTATIONS; permutation++) {
    const seed = mixed(permutation + 1)
    const from = permutation * BINS
    for (const triples of lines)
      for (let at = 0; at < triples.length; at++) {
        const hash = mixed(triples[at]! ^ seed)
        const bin = from + (hash >>> 28)
        const rest = hash & 0x0fffffff
        if (rest < least[bin]!) least[bin] = rest
      }
  }
  const filled = least.slice()
  for (let bin = 0; bin < filled.length; bin++)
    for (let step = 1; filled[bin] === NONE; step++) filled[bin] = least[mixed(bin * 1_024 + step) % least.length]!
  return Array.from({ length: BANDS }, (_, band) => keyOf(filled, band))
}

/** The band number and 32 bits. The rows of a band come from different permutations. */
function keyOf(hashes: Uint32Array, band: number): number {
  let key = 0
  for (let row = 0; row < ROWS; row++) key = mixed(Math.imul(key, 31) ^ hashes[band + row * BANDS]!)
  return band * 2 ** 32 + key
}

const HEADER = 4
const FORMAT = 1

/** Without the bands, which the store keeps separately. */
export function encodeSketch({ shingles, lineOf, lines, words, main }: TextSketch): Buffer {
  const bytes = Buffer.alloc(sizeOf(shingles.length, lines.length))
  bytes[0] = FORMAT
  bytes[1] = shingles.length
  bytes[2] = lines.length
  let at = HEADER
  for (const shingle of shingles) at = bytes.writeUInt32LE(shingle, at)
  for (const line of lines) at = bytes.writeUInt32LE(line, at)
  for (let line = 0; line < lines.length; line++) at = bytes.writeUInt16LE(words[line]! | (main[line]! << 15), at)
  bytes.set(lineOf, at)
  return bytes
}

const sizeOf = (shingles: number, lines: number): number => HEADER + 5 * shingles + 6 * lines

export type StoredSketch = Omit<TextSketch, 'bands'>

/** Null if it isn't a sketch, or has another format. */
export function decodeSketch(bytes: Uint8Array): StoredSketch | null {
  const [format, shingleCount = 0, lineCount = 0] = bytes
  if (format !== FORMAT || bytes.length !== sizeOf(shingleCount, lineCount)) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const shingles = new Uint32Array(shingleCount)
  const lines = new Uint32Array(lineCount)
  let at = HEADER
  for (let n = 0; n < shingleCount; n++, at += 4) shingles[n] = view.getUint32(at, true)
  for (let n = 0; n < lineCount; n++, at += 4) lines[n] = view.getUint32(at, true)
  const words = new Uint16Array(lineCount)
  const main = new Uint8Array(lineCount)
  for (let n = 0; n < lineCount; n++, at += 2) {
    const both = view.getUint16(at, true)
    words[n] = both & MAX_WORDS
    main[n] = both >> 15
  }
  return { shingles, lineOf: Uint8Array.from(bytes.subarray(at)), lines, words, main }
}
