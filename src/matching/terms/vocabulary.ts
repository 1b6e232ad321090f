import { grown } from './grown.ts'
import { WIDE } from './scanner/assembly/wire.ts'
import { WordScanner } from './scanner/word-scanner.ts'
import { finishHash, hashFactor, hashStart } from './term-hash.ts'

/** A vocabulary with more words is replaced: its slots should stay in the processor's cache. */
const MAX_WORDS = 1 << 15
const MAX_STAMP = 2 ** 30
/** A vocabulary whose scanner uses more memory is not kept. */
const MAX_KEPT_BYTES = 1 << 23

/**
 * The words of recently read documents, by number. Documents repeat each other's words, so most words of a document are already here
 * with their spelling and hash, and what is known of a word (its stem) is found by its number.
 *
 * The scanner finds words by their letters, and numbers them. A word of the current document has a stamp there: its number in the
 * document, above those of all documents before, so nothing has to be cleared between documents. Only one document is read at a time: a
 * vocabulary is taken, and given back when the document is read. A concurrent reader gets a vocabulary of its own.
 */
export class Vocabulary {
  readonly scanner: WordScanner
  /** Number of words learnt from the scanner. */
  size = 0
  offsets = new Uint32Array(1 << 11)
  lengths = new Uint8Array(1 << 11)
  hashes = new Int32Array(1 << 11)
  /** 1 if a word has other than ASCII characters. */
  accents = new Uint8Array(1 << 11)
  /** Stamp of the next document's first term. */
  stamp = 1
  /** The spellings. Append-only, as tables of documents refer to it. */
  units = new Uint16Array(1 << 14)
  private unitsUsed = 0
  private hasScanner = true

  constructor(scanner: WordScanner) {
    this.scanner = scanner
  }

  /** Resets the scanner and returns it for reuse. What has been learnt stays, as documents refer to it. */
  retire(): WordScanner {
    this.hasScanner = false
    this.scanner.forgetWords()
    return this.scanner
  }

  /** The number of a word, which is added if new. */
  intern(text: string): number {
    if (!this.hasScanner) throw new Error('a vocabulary that was given up takes in no words')
    const word = this.scanner.intern(text)
    this.learn()
    return word
  }

  /** Copies the words that the scanner has found since the last call. */
  learn(): void {
    const { words } = this.scanner
    if (words === this.size) return
    const { places, bytes } = this.scanner.letters()
    if (words > this.offsets.length) this.growWords(words)
    while (this.size < words) this.add(bytes, places[this.size]!)
  }

  private add(bytes: Uint8Array, place: number): void {
    const word = this.size++
    const length = bytes[place]!
    const isWide = bytes[place + 1]! * 256 === WIDE
    const offset = this.unitsUsed
    if (offset + length > this.units.length) this.units = grown(this.units, new Uint16Array(this.units.length * 2))
    const { units } = this
    let state = hashStart
    let from = place + 8
    for (let at = offset; at < offset + length; at++) {
      const unit = isWide ? bytes[from++]! | (bytes[from++]! << 8) : bytes[from++]!
      units[at] = unit
      state = Math.imul(state ^ unit, hashFactor)
    }
    this.unitsUsed = offset + length
    this.offsets[word] = offset
    this.lengths[word] = length
    this.hashes[word] = finishHash(state)
    this.accents[word] = isWide ? 1 : 0
  }

  private growWords(needed: number): void {
    const room = Math.max(needed, this.offsets.length * 2)
    this.offsets = grown(this.offsets, new Uint32Array(room))
    this.lengths = grown(this.lengths, new Uint8Array(room))
    this.hashes = grown(this.hashes, new Int32Array(room))
    this.accents = grown(this.accents, new Uint8Array(room))
  }
}

let free: Vocabulary | null = null

export function takeVocabulary(): Vocabulary {
  const vocabulary = free
  free = null
  if (vocabulary === null) return new Vocabulary(new WordScanner())
  const isFull = vocabulary.size > MAX_WORDS || vocabulary.stamp >= MAX_STAMP
  return isFull ? new Vocabulary(vocabulary.retire()) : vocabulary
}

/** Call it after each document. */
export function giveBack(vocabulary: Vocabulary): void {
  vocabulary.stamp = vocabulary.scanner.endDocument()
  if (vocabulary.scanner.memoryBytes <= MAX_KEPT_BYTES) free = vocabulary
}
