import { grown } from '../terms/grown.ts'
import { PREFIXES } from '../terms/spaces.ts'
import { hashInSpace } from '../terms/term-hash.ts'
import { TermTable } from '../terms/term-table.ts'
import type { PostingKey } from './posting-keys.ts'
import { secondHash, TermFinder } from './term-finder.ts'

/** The terms of all profiles as numbers, reference-counted by the profiles that use them. */
export class IndexTerms {
  readonly table = new TermTable()
  readonly finder = new TermFinder()
  /** Number of terms in each space, so that empty ones are skipped. */
  readonly inSpace = new Uint32Array(256)
  /** Number of prefixes of each length. */
  readonly prefixLengths = new Uint32Array(256)
  /** Changes whenever a term is added or removed. */
  version = 0
  private users = new Uint32Array(16)

  get size(): number {
    return this.table.size
  }

  /** Number of profiles that have the term. */
  commonness({ space, word }: PostingKey): number {
    const id = this.table.findText(word.hash, space, word.text)
    return id === -1 ? 0 : this.users[id]!
  }

  acquire({ space, word }: PostingKey): number {
    const { size } = this.table
    const id = this.table.addText(word.hash, space, word.text)
    if (id >= this.users.length) this.users = grown(this.users, new Uint32Array(Math.ceil(this.users.length * 1.5)))
    this.users[id]!++
    if (this.table.size > size) {
      this.version++
      this.finder.add(hashInSpace(word.hash, space), this.secondHashOf(id), id)
      this.inSpace[space]!++
      if (space === PREFIXES) this.prefixLengths[word.text.length]!++
    }
    return id
  }

  release(id: number): void {
    if (--this.users[id]! > 0) return
    this.version++
    const space = this.table.spaceOf(id)
    this.finder.remove(hashInSpace(this.table.hashes[id]!, space), id)
    this.inSpace[space]!--
    if (space === PREFIXES) this.prefixLengths[this.table.lengths[id]!]!--
    this.table.remove(id)
  }

  private secondHashOf(id: number): number {
    const { units, offsets, lengths } = this.table
    return secondHash(units, offsets[id]!, lengths[id]!, this.table.spaceOf(id))
  }

  memoryBytes(): number {
    const { table, finder, users, inSpace, prefixLengths } = this
    return table.memoryBytes() + finder.memoryBytes() + users.byteLength + inSpace.byteLength + prefixLengths.byteLength
  }
}
