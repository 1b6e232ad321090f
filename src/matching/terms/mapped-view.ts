import { grown } from './grown.ts'
import { hashText } from './term-hash.ts'
import { TermTable } from './term-table.ts'
import { type Numbering, TermView, type ViewTerms, type Word } from './term-view.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Maps a word to what it is compared as: without accents, or its stem. */
export type WordMapping = (word: string) => string

/**
 * Cache of what the words of a vocabulary are compared as, by their numbers. All words of a document are mapped as soon as one profile
 * needs it. Cleared when a document comes with another vocabulary.
 */
export class MappedWords {
  /** Results by number; their spellings are in the table. */
  results = new TermTable()
  private vocabulary: Vocabulary | null = null
  /** By word: its result plus one; 0 if not mapped yet. */
  private resultOf = new Uint32Array(1024)
  private readonly map: WordMapping

  constructor(map: WordMapping) {
    this.map = map
  }

  /** The same tokens, with terms by mapped word. */
  view(spelled: TermView): TermView {
    const { terms, tokens, table } = spelled
    this.turnTo(table)
    const mapped = new MappedTerms(this.results, terms)
    const idOf = new Uint32Array(terms)
    for (let term = 0; term < terms; term++) idOf[term] = mapped.add(this.find(table, term))
    const counts = new Uint32Array(mapped.size)
    for (let term = 0; term < terms; term++) counts[idOf[term]!]! += spelled.counts[term]!
    const termOf = new Uint32Array(tokens)
    for (let token = 0; token < tokens; token++) termOf[token] = idOf[spelled.termOf[token]!]!
    return new TermView(mapped, tokens, termOf, counts)
  }

  private turnTo({ origin }: TermTable): void {
    const { vocabulary } = origin!
    if (this.vocabulary !== vocabulary) {
      this.vocabulary = vocabulary
      this.resultOf = new Uint32Array(1024)
      this.results = new TermTable()
    }
    if (this.resultOf.length < vocabulary.size)
      this.resultOf = grown(this.resultOf, new Uint32Array(vocabulary.offsets.length))
  }

  /** The number of the result. */
  private find(table: TermTable, term: number): number {
    const word = table.origin!.words[term]!
    const known = this.resultOf[word]!
    return known === 0 ? this.learn(table, term, word) : known - 1
  }

  private learn(table: TermTable, term: number, word: number): number {
    const text = this.map(table.textOf(term))
    const result = this.results.addText(hashText(text), 0, text)
    this.resultOf[word] = result + 1
    return result
  }
}

/** The same for a mapping that leaves most words unchanged: its results are also words of the vocabulary. */
export class RespelledWords {
  private vocabulary: Vocabulary | null = null
  /** By word: the number of its result plus one. */
  private resultOf = new Uint32Array(1024)
  /** By word: the last document that had it. */
  private documentOf = new Uint32Array(1024)
  private documents = 0
  private readonly map: WordMapping

  constructor(map: WordMapping) {
    this.map = map
  }

  /** The same tokens, with the terms in `changed` (in order) mapped and all others unchanged. */
  view(
    spelled: TermView,
    changed: readonly number[],
    aliasOf: (table: TermTable, term: number) => string | null,
  ): TermView {
    const { vocabulary, words } = spelled.table.origin!
    if (this.vocabulary !== vocabulary) {
      this.vocabulary = vocabulary
      this.resultOf = new Uint32Array(1024)
      this.documentOf = new Uint32Array(1024)
      this.documents = 0
    }
    const mapped = this.respell(spelled, changed, words)
    const { idOf } = mapped
    const aliases = new Map<string, number>()
    for (const term of changed) {
      const alias = aliasOf(spelled.table, term)
      if (alias !== null) aliases.set(alias, idOf === null ? term : idOf[term]!)
    }
    return mapped.view(aliases.size === 0 ? null : aliases)
  }

  /** Term numbers stay the same, unless two terms become one. */
  private respell(spelled: TermView, changed: readonly number[], words: Uint32Array): Respelled {
    const { tokens, termOf, counts } = spelled
    const respelled = words.slice()
    for (const term of changed) respelled[term] = this.find(spelled.table, term, words[term]!)
    if (this.areDistinct(respelled)) {
      const table = TermTable.ofWords(this.vocabulary!, respelled)
      return { idOf: null, view: (aliases) => new TermView(table, tokens, termOf, counts, aliases) }
    }
    return this.merge(spelled, changed, words, respelled)
  }

  private areDistinct(words: Uint32Array): boolean {
    const { size, offsets } = this.vocabulary!
    if (this.documentOf.length < size) this.documentOf = grown(this.documentOf, new Uint32Array(offsets.length))
    const { documentOf } = this
    const document = ++this.documents
    for (let term = 0; term < words.length; term++) {
      const word = words[term]!
      if (documentOf[word] === document) return false
      documentOf[word] = document
    }
    return true
  }

  private merge(spelled: TermView, changed: readonly number[], words: Uint32Array, respelled: Uint32Array): Respelled {
    const { terms, tokens } = spelled
    const same = new Uint32Array(terms - changed.length)
    const idOf = new Uint32Array(terms)
    let next = 0
    for (let term = 0; term < terms; term++) {
      if (changed[next] === term) next++
      else {
        same[term - next] = words[term]!
        idOf[term] = term - next
      }
    }
    const table = TermTable.ofWords(this.vocabulary!, same)
    for (const term of changed) idOf[term] = table.addWord(respelled[term]!)
    const all = new Uint32Array(table.limit)
    for (let term = 0; term < terms; term++) all[idOf[term]!] = respelled[term]!
    table.origin = { vocabulary: this.vocabulary!, words: all }
    const counts = new Uint32Array(table.limit)
    for (let term = 0; term < terms; term++) counts[idOf[term]!]! += spelled.counts[term]!
    const termOf = new Uint32Array(tokens)
    for (let token = 0; token < tokens; token++) termOf[token] = idOf[spelled.termOf[token]!]!
    return { idOf, view: (aliases) => new TermView(table, tokens, termOf, counts, aliases) }
  }

  private find(table: TermTable, term: number, word: number): number {
    if (word >= this.resultOf.length)
      this.resultOf = grown(this.resultOf, new Uint32Array(this.vocabulary!.offsets.length))
    const known = this.resultOf[word]!
    if (known !== 0) return known - 1
    const result = this.vocabulary!.intern(this.map(table.textOf(term)))
    this.resultOf[word] = result + 1
    return result
  }
}

/** `idOf` maps each spelled term to its new number; null if they are the same. */
type Respelled = {
  readonly idOf: Uint32Array | null
  view(aliases: ReadonlyMap<string, number> | null): TermView
}

/** The results that one document has, in document order, looked up by their numbers in the table of all. */
class MappedTerms implements ViewTerms {
  size = 0
  private readonly all: TermTable
  private readonly results: Uint32Array
  /** Per slot: the result's number plus one, and its number here. */
  private readonly slots: Uint32Array
  private readonly mask: number

  constructor(all: TermTable, most: number) {
    this.all = all
    this.results = new Uint32Array(most)
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(8, most) * 2)) * 2)
    this.mask = this.slots.length - 2
  }

  add(result: number): number {
    const { slots } = this
    const at = this.slotOf(result)
    if (slots[at] === 0) {
      slots[at] = result + 1
      slots[at + 1] = this.size
      this.results[this.size++] = result
    }
    return slots[at + 1]!
  }

  find(word: Word): number {
    const result = this.all.findText(word.hash, 0, word.text)
    if (result === -1) return -1
    const at = this.slotOf(result)
    return this.slots[at] === 0 ? -1 : this.slots[at + 1]!
  }

  get numbering(): Numbering {
    return { owner: this.all, numbers: this.results.subarray(0, this.size) }
  }

  toTable(): TermTable {
    const { units, offsets, lengths, hashes } = this.all
    const table = new TermTable(this.size)
    for (let term = 0; term < this.size; term++) {
      const result = this.results[term]!
      table.append(hashes[result]!, units, offsets[result]!, lengths[result]!)
    }
    return table
  }

  private slotOf(result: number): number {
    const { slots, mask } = this
    let at = ((Math.imul(result, 0x9e3779b1) >>> 8) << 1) & mask
    while (slots[at] !== 0 && slots[at] !== result + 1) at = (at + 2) & mask
    return at
  }
}
