import { isUnspacedUnit } from '../terms/fold.ts'
import { MAX_TERM_LENGTH } from '../terms/scanner/assembly/wire.ts'
import { findStemmer } from '../terms/stem/stemmers.ts'
import { hashText } from '../terms/term-hash.ts'
import type { Word } from '../terms/term-view.ts'
import { expandUmlauts, readWordsOf, type SpelledWord } from '../terms/words.ts'
import type { WordsLeaf } from './condition.ts'
import { interestLimits } from './interest-limits.ts'

/** Reads a word or a phrase as a user wrote it, optionally with a star at its end. Null if invalid; errors are reported. */
export function readWords(text: string, stemming: string, onError: (message: string) => void): WordsLeaf | null {
  const { keyLength, phraseWords, joinedCharacters, prefixLength } = interestLimits
  if (text.length > keyLength) {
    onError(`a term has ${text.length} characters; at most ${keyLength} are allowed`)
    return null
  }
  const words = readWordsOf(text, phraseWords + joinedCharacters + 1)
  const last = words.at(-1)
  if (last === undefined) {
    onError(text.trim() === '' ? 'the term is empty' : `"${text}" has no letter or digit to look for`)
    return null
  }
  const joined = words.map((word, at) => at > 0 && isJoined(words[at - 1]!, word))
  const together = joined.filter(Boolean).length
  if (words.length - together > phraseWords || together > joinedCharacters) {
    onError(`a phrase has more than ${phraseWords} words`)
    return null
  }
  // In scripts without spaces, a prefix is found anyway.
  const prefix = text.endsWith('*') && !isUnspaced(last)
  if (prefix && last.folded.length < prefixLength) {
    onError(`at least ${prefixLength} letters must stand before the star`)
    return null
  }
  const stem = findStemmer(stemming)
  const compared = words.map((word, at): Word => {
    const isWhole = stem === undefined || (prefix && at === words.length - 1)
    return isWhole ? spelledWord(word) : wordOf(stem(word.spelled))
  })
  return {
    kind: 'words',
    text,
    words: compared,
    joined: together === 0 ? null : joined,
    // A word at the length limit may have been truncated: all words with this prefix are compared as equal anyway.
    prefix: prefix && last.folded.length < MAX_TERM_LENGTH,
    where: 'anywhere',
  }
}

function wordOf(text: string): Word {
  return { text, hash: hashText(text) }
}

/** Müller also matches Mueller; the reverse is handled on the document's side. */
function spelledWord({ spelled, folded }: SpelledWord): Word {
  const word = wordOf(folded)
  return /[äöü]/.test(spelled) ? { ...word, or: wordOf(expandUmlauts(spelled)) } : word
}

function isJoined(before: SpelledWord, word: SpelledWord): boolean {
  return before.end === word.start && isUnspaced(before) && isUnspaced(word)
}

function isUnspaced({ spelled }: SpelledWord): boolean {
  return isUnspacedUnit(spelled.charCodeAt(0))
}
