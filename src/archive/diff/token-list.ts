import type { Words } from '../../core/text/word-tokens.ts'
import { type CodedWords, numberWords } from './word-numbers.ts'

/** The words of a text as numbers, equal for equal words. Strings are created only on demand. */
export type TokenList = {
  readonly ids: Int32Array
  word(at: number): string
  /** The white space before a word; after the last one, the rest of the text. */
  glue(at: number): string
  /** The text from one word up to another, without the white space around it. */
  between(from: number, end: number): string
}

/** Ids of the words seen so far, shared by the compared texts. */
export type TokenIds = Map<string, number>

/** Tokens of two texts, and their number of distinct words. For short texts, valid only until the next call. */
export function tokensOfTexts(old: CodedWords, next: CodedWords): { old: TokenList; next: TokenList; count: number } {
  const { numbers, count } = numberWords(old, next)
  const oldCount = old.spans.starts.length
  return {
    old: tokenList(old, numbers.subarray(0, oldCount)),
    next: tokenList(next, numbers.subarray(oldCount, oldCount + next.spans.starts.length)),
    count,
  }
}

function tokenList({ text, spans }: CodedWords, ids: Int32Array): TokenList {
  const { starts, ends } = spans
  return {
    ids,
    word: (at) => text.slice(starts[at], ends[at]),
    glue: (at) => text.slice(at === 0 ? 0 : ends[at - 1], starts[at]),
    between: (from, end) => (from < end ? text.slice(starts[from], ends[end - 1]) : ''),
  }
}

function idOf(word: string, ids: TokenIds): number {
  const known = ids.get(word)
  if (known !== undefined) return known
  ids.set(word, ids.size)
  return ids.size - 1
}

/** Tokens of a text that is already split into words. */
export function tokensOfWords({ words, glue, tail }: Words, ids: TokenIds): TokenList {
  return {
    ids: Int32Array.from(words, (word) => idOf(word, ids)),
    word: (at) => words[at]!,
    glue: (at) => glue[at] ?? tail,
    between(from, end) {
      let text = from < end ? words[from]! : ''
      for (let i = from + 1; i < end; i++) text += glue[i]! + words[i]!
      return text
    },
  }
}
