import { findTokens, type Words } from '../../core/text/word-tokens.ts'

/** The words of a text, in numbers: equal words have equal ones. Texts are made only of those that are asked for. */
export type TokenList = {
  readonly ids: Int32Array
  word(at: number): string
  /** The white space before a word; behind the last one, what is left of the text. */
  glue(at: number): string
  /** From one word up to another, without the white space around them. */
  between(from: number, end: number): string
}

/** Words that were seen before, shared by the texts that are compared. */
export type TokenIds = Map<string, number>

function idOf(word: string, ids: TokenIds): number {
  const known = ids.get(word)
  if (known !== undefined) return known
  ids.set(word, ids.size)
  return ids.size - 1
}

/** Where the codes of a text begin. */
export type CodesAt = { codes: Uint16Array; offset: number }

/** Null where there are too many. */
export function tokensOf(text: string, { codes, offset }: CodesAt, ids: TokenIds, limit: number): TokenList | null {
  const found = findTokens(text, codes, offset, limit)
  if (found === null) return null
  const { starts, ends } = found
  const numbers = new Int32Array(starts.length)
  for (let i = 0; i < starts.length; i++) numbers[i] = idOf(text.slice(starts[i], ends[i]), ids)
  return {
    ids: numbers,
    word: (at) => text.slice(starts[at], ends[at]),
    glue: (at) => text.slice(at === 0 ? 0 : ends[at - 1], starts[at]),
    between: (from, end) => (from < end ? text.slice(starts[from], ends[end - 1]) : ''),
  }
}

/** Of words that are known already. */
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
