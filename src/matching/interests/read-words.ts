import { findStemmer } from '../terms/stem/stemmers.ts'
import { hashText } from '../terms/term-hash.ts'
import type { Word } from '../terms/term-view.ts'
import { MAX_TERM_LENGTH, wordsOf } from '../terms/tokens.ts'
import type { WordsLeaf } from './condition.ts'
import { interestLimits } from './interest-limits.ts'

/** A word or a phrase as a user wrote it, perhaps with a star at its end. Null where it is invalid; errors are reported. */
export function readWords(text: string, stemming: string, onError: (message: string) => void): WordsLeaf | null {
  const { keyLength, phraseWords, prefixLength } = interestLimits
  if (text.length > keyLength) {
    onError(`a term has ${text.length} characters; at most ${keyLength} are allowed`)
    return null
  }
  const prefix = text.endsWith('*')
  const words = wordsOf(text, phraseWords + 1)
  const last = words.at(-1)
  if (last === undefined) {
    onError(text.trim() === '' ? 'the term is empty' : `"${text}" has no letter or digit to look for`)
    return null
  }
  if (words.length > phraseWords) {
    onError(`a phrase has more than ${phraseWords} words`)
    return null
  }
  if (prefix && last.length < prefixLength) {
    onError(`at least ${prefixLength} letters must stand before the star`)
    return null
  }
  const stem = findStemmer(stemming)
  const compared = words.map((word, at): Word => {
    const isWhole = stem === undefined || (prefix && at === words.length - 1)
    const spelled = isWhole ? word : stem(word)
    return { text: spelled, hash: hashText(spelled) }
  })
  // A word that fills the limit may have been cut: everything that begins so is compared as equal anyway.
  return { kind: 'words', text, words: compared, prefix: prefix && last.length < MAX_TERM_LENGTH, where: 'anywhere' }
}
