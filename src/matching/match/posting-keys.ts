import type { Condition, Leaf } from '../interests/condition.ts'
import { PAIRS, PREFIXES, SITES, WORDS } from '../terms/spaces.ts'
import { hashText } from '../terms/term-hash.ts'
import type { Word } from '../terms/term-view.ts'

/** A term under which a profile is filed: a document without the term can't match by it. */
export type PostingKey = { readonly space: number; readonly word: Word }

/** How common a term is; rare terms are better keys. */
export type Commonness = (key: PostingKey) => number

/** A document with the leaf has at least one of these keys; null if the leaf requires no words. */
export function keysOfLeaf(leaf: Leaf, stemSpace: number, commonness: Commonness): PostingKey[] | null {
  if (leaf.kind === 'pattern') return null
  if (leaf.kind === 'site') return [{ space: SITES, word: leaf.host }]
  const { words, prefix, joined } = leaf
  const whole = prefix ? words.slice(0, -1) : words
  if (whole.length === 0) return [{ space: PREFIXES, word: words[0]! }]
  // Single characters are common; pairs are better keys.
  const pairs = stemSpace === WORDS && joined !== null ? pairsOf(words, joined) : []
  const keys = pairs.length > 0 ? pairs : whole.map((word): PostingKey => ({ space: stemSpace, word }))
  const { space, word } = keys.reduce((best, key) => (commonness(key) < commonness(best) ? key : best))
  return word.or === undefined
    ? [{ space, word }]
    : [
        { space, word },
        { space, word: word.or },
      ]
}

function pairsOf(words: readonly Word[], joined: readonly boolean[]): PostingKey[] {
  const keys: PostingKey[] = []
  for (let at = 1; at < words.length; at++) {
    if (!joined[at]) continue
    const text = words[at - 1]!.text + words[at]!.text
    keys.push({ space: PAIRS, word: { text, hash: hashText(text) } })
  }
  return keys
}

/** A document must have at least one of these keys for the condition to hold; null if there are no such keys. */
export function neededKeys(condition: Condition, stemSpace: number, commonness: Commonness): PostingKey[] | null {
  switch (condition.kind) {
    case 'leaf':
      return keysOfLeaf(condition.leaf, stemSpace, commonness)
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
