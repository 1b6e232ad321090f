import type { Condition, Leaf } from '../interests/condition.ts'
import { PREFIXES, SITES } from '../terms/spaces.ts'
import type { Word } from '../terms/term-view.ts'

/** A term under which a profile is filed: a document without the term cannot match by it. */
export type PostingKey = { readonly space: number; readonly word: Word }

/** How common a term is; the less the better to file something under it. */
export type Commonness = (key: PostingKey) => number

/** One key for what a document may have; null where nothing about its words is needed. */
export function keyOfLeaf(leaf: Leaf, stemSpace: number, commonness: Commonness): PostingKey | null {
  if (leaf.kind === 'pattern') return null
  if (leaf.kind === 'site') return { space: SITES, word: leaf.host }
  const { words, prefix } = leaf
  const whole = prefix ? words.slice(0, -1) : words
  if (whole.length === 0) return { space: PREFIXES, word: words[0]! }
  const keys = whole.map((word): PostingKey => ({ space: stemSpace, word }))
  return keys.reduce((best, key) => (commonness(key) < commonness(best) ? key : best))
}

/** Keys of which a document must have one at least for the condition to hold; null where there are no such keys. */
export function neededKeys(condition: Condition, stemSpace: number, commonness: Commonness): PostingKey[] | null {
  switch (condition.kind) {
    case 'leaf': {
      const key = keyOfLeaf(condition.leaf, stemSpace, commonness)
      return key === null ? null : [key]
    }
    case 'not':
      return null
    case 'or': {
      const lists = condition.parts.map((part) => neededKeys(part, stemSpace, commonness))
      return lists.some((list) => list === null) ? null : lists.flatMap((list) => list!)
    }
    case 'and': {
      let best: PostingKey[] | null = null
      let least = Number.POSITIVE_INFINITY
      for (const part of condition.parts) {
        const keys = neededKeys(part, stemSpace, commonness)
        if (keys === null) continue
        const common = keys.reduce((sum, key) => sum + 1 + commonness(key), 0)
        if (common < least) [best, least] = [keys, common]
      }
      return best
    }
  }
}
