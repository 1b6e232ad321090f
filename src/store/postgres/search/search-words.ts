import { searchableText } from '../../../core/search-query/searchable-text.ts'

/**
 * How the index reads words: runs of letters, digits and marks of a searchable text, in lower case, without the accents of Latin and
 * Greek (in other scripts, marks make different letters). A change here invalidates every existing index.
 */

const wordPattern = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const plain = /^[a-z0-9]*$/
const plainWord = /[a-z0-9]+/g
const onlyAscii = /^[\0-\x7f]*$/
const accented = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu
/** Longer words are truncated. The server takes 2 KB, and a character may need four bytes. */
const MAX_WORD_CHARS = 400

export function foldWord(word: string): string {
  const small = word.toLowerCase()
  if (plain.test(small)) return small.slice(0, MAX_WORD_CHARS)
  const bare = small.normalize('NFD').replace(accented, '$1').normalize('NFC').replaceAll('ς', 'σ')
  return bare.slice(0, MAX_WORD_CHARS).toWellFormed()
}

export type PlacedWord = { word: string; start: number; end: number }

/** The words of a text with their offsets in it. */
export function* placedWords(text: string): Generator<PlacedWord> {
  const { text: searchable, origin } = searchableText(text)
  for (const { 0: found, index } of searchable.matchAll(wordPattern)) {
    const last = index + found.length - 1
    // Compute the end from the last character: after it, characters may have been inserted or left out.
    yield { word: foldWord(found), start: origin(index), end: origin(last) + 1 }
  }
}

/** The server stores 14-bit positions, and at most this many per word. */
const MAX_POSITION = 16_383
const MAX_POSITIONS = 255
/** The server's limit is 1 MiB. */
const MAX_VECTOR_BYTES = 900_000
const BYTES_PER_WORD = 8
const BYTES_PER_POSITION = 2
/** Keeps phrases from matching across title and text. */
const GAP = 8

/** `A` in titles, `B` for sites; words of the text have none. */
export type WordLabel = 'A' | 'B' | ''

/** A `tsvector` literal. Words contain neither quotes nor backslashes. */
export function wordVector({ title, text, site }: { title: string; text: string; site: readonly string[] }): string {
  const entries = new Map<string, Entry>()
  let bytes = 0
  let position = 0
  const add = (word: string, label: WordLabel): void => {
    if (word === '') return
    const known = entries.get(word)
    if (known !== undefined && known.count >= MAX_POSITIONS) return
    bytes += known === undefined ? BYTES_PER_WORD + Buffer.byteLength(word) : BYTES_PER_POSITION
    if (bytes > MAX_VECTOR_BYTES) return
    const place = `${Math.min(position, MAX_POSITION)}${label}`
    if (known === undefined) entries.set(word, { text: `'${word}':${place}`, count: 1 })
    else {
      known.text += `,${place}`
      known.count++
    }
  }
  const addAll = (words: string, label: WordLabel): void => {
    for (const word of foldedWords(searchableText(words).text)) {
      position++
      add(word, label)
    }
  }
  position = 1
  for (const word of site) add(word, 'B')
  addAll(title, 'A')
  position += GAP
  addAll(text, '')
  let vector = ''
  for (const { text: entry } of entries.values()) vector += vector === '' ? entry : ` ${entry}`
  return vector
}

type Entry = { text: string; count: number }

/** Applies `foldWord` to each word; ASCII text, the common case, is folded as a whole. */
function foldedWords(text: string): string[] {
  if (!onlyAscii.test(text)) return (text.match(wordPattern) ?? []).map(foldWord)
  const words: string[] = text.toLowerCase().match(plainWord) ?? []
  return words.map((word) => (word.length > MAX_WORD_CHARS ? word.slice(0, MAX_WORD_CHARS) : word))
}
