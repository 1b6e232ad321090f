/**
 * Recall of keywords in real sentences, in languages without spaces between words. Keywords are words segmented from real sentences with a
 * dictionary, and each sentence is matched against all of them. For comparison: how many would be found if the sentence were segmented
 * with the same dictionary and a keyword had to be one of its words, or several in a row.
 */
import { compileInterests } from '../src/matching/interests/compile-interests.ts'
import { createMatchIndex } from '../src/matching/match/match-index.ts'
import { readDocument } from '../src/matching/terms/document-terms.ts'
import { readSentences, type Sentences } from './keywords/sentences.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['sentences', 'keywords']

const languages: readonly Sentences[] = [
  { language: 'zh', script: /\p{Script=Han}/u, folders: ['zh', 'zh_CN', 'zh_TW'] },
  { language: 'ja', script: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u, folders: ['ja'] },
  { language: 'th', script: /\p{Script=Thai}/u, folders: ['th'] },
]

export const run: Benchmark = async ({ roots, values }) => {
  const number = numbersOf(values)
  const [sentences, keywords] = [number('sentences', 3_000), number('keywords', 2_000)]
  const places = roots.length > 0 ? roots : ['/usr/share/locale', '/usr/share/man']
  const measured = languages.map((each) => measure(each, readSentences(places, each, sentences), keywords))
  return {
    name: 'keywords',
    columns: [
      'language',
      'sentences',
      'keywords',
      'in sentences',
      'found %',
      'found where they are not',
      'cut first: found %',
    ],
    rows: measured.map((each) => [
      ...[each.language, each.sentences, each.keywords, each.pairs],
      ...[(100 * each.found) / each.pairs, each.wrong, (100 * each.foundCut) / each.pairs],
    ]),
    stats: Object.fromEntries(
      measured.flatMap(({ language, found, pairs, wrong }) => [
        [`found, ${language}`, found / pairs],
        [`found where they are not, ${language}`, wrong / pairs],
      ]),
    ),
    notes: [
      'Sentences are messages of installed programs and pages of the manual. A keyword is in a sentence if exactly its characters, with their marks, follow each other there; the end of a line is nothing.',
    ],
  }
}

function measure({ language, script }: Sentences, sentences: readonly string[], most: number) {
  const words = new Intl.Segmenter(language, { granularity: 'word' })
  const cut = sentences.map((text) =>
    Array.from(words.segment(text), ({ segment, isWordLike }) => (isWordLike ? segment : ' ')),
  )
  const isWhole = (word: string): boolean =>
    charactersOf(word).length > 1 && Array.from(word).every((each) => isOf(each, script))
  const all = [...new Set(cut.flat().filter(isWhole))].sort()
  const keys = all.filter(
    (_, at) => Math.floor((at * most) / all.length) !== Math.floor(((at - 1) * most) / all.length),
  )
  const keyRows = keys.map((key) => rowOf(charactersOf(key)))
  const index = createMatchIndex()
  for (const [id, key] of keys.entries())
    index.set(id + 1, compileInterests({ ...noInterests, keywords: [{ key, weight: 1 }] }))
  const sum = {
    language,
    sentences: sentences.length,
    keywords: keys.length,
    pairs: 0,
    found: 0,
    wrong: 0,
    foundCut: 0,
  }
  for (const [at, text] of sentences.entries()) {
    const matched = new Set(index.match(readDocument({ url: '', title: '', text, language })).map(({ id }) => id - 1))
    const [characters, parts] = [rowOf(charactersOf(text)), rowOf(cut[at]!)]
    for (const [id, key] of keys.entries()) {
      const isThere = characters.includes(keyRows[id]!)
      if (!isThere && matched.has(id)) sum.wrong++
      if (!isThere) continue
      sum.pairs++
      if (matched.has(id)) sum.found++
      const keyParts = Array.from(words.segment(key), ({ segment }) => segment)
      if (parts.includes(rowOf(keyParts))) sum.foundCut++
    }
  }
  return sum
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Graphemes of a text. Line breaks are removed, since words continue across them. */
const charactersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text.replaceAll('\n', '').normalize('NFKC').toLowerCase()), ({ segment }) => segment)

/** Combining marks belong to the character before them. */
const isOf = (character: string, script: RegExp): boolean => script.test(character) || /\p{M}/u.test(character)

/** Joins parts with delimiters, so that a substring match starts and ends at part boundaries. */
const rowOf = (parts: readonly string[]): string => `\0${parts.join('\0')}\0`

const noInterests = {
  ...{ keywords: [], exclude: [], expression: '', threshold: 0, stemming: '', scorer: '', ignore: [] },
  match: 'change',
} as const
