import type { Change } from '../../core/change/change.ts'
import type { Interests } from '../../core/profile.ts'
import { isUnspaced } from '../../core/search-query/searchable-text.ts'

const operators = new Set(['and', 'or', 'not', 'intitle', 'site'])
/** Word forms are compared by prefix: the word without its last `ending` characters, but at least `min`. */
const STEM = { min: 4, ending: 3 } as const

/**
 * Whether a change contains a profile's own terms: its keywords, or words of its expression. Looser than matching, because it only
 * decides what gets matched.
 */
export function createOwnTerms(
  interests: Pick<Interests, 'keywords' | 'expression' | 'stemming'>,
): (change: Change) => boolean {
  const terms = [...interests.keywords.map(({ key }) => key), ...wordsOf(interests.expression)]
    .map((term) => wordsOf(term).filter((word) => !operators.has(word)))
    .filter((words) => words.length > 0)
  if (terms.length === 0) return () => false
  const isLike = (word: string, other: string): boolean =>
    word === other ||
    // In scripts without spaces, what looks like one word may be a sentence.
    (isUnspaced(word) && other.includes(word)) ||
    (interests.stemming !== '' && other.startsWith(word.slice(0, Math.max(STEM.min, word.length - STEM.ending))))
  return ({ before = '', after = '' }) => {
    const words = [...new Set(wordsOf(`${before} ${after}`))]
    return terms.some((term) => term.every((word) => words.some((other) => isLike(word, other))))
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}
