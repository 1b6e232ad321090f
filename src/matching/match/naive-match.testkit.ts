import type { Interests } from '../../core/profile.ts'
import { createWorkBudget } from '../../core/work/work-budget.ts'
import type { CompiledInterests } from '../interests/compile-interests.ts'
import type { Condition, Leaf, WordsLeaf } from '../interests/condition.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'
import type { Match } from './match-index.ts'

export const noInterests: Interests = {
  keywords: [],
  exclude: [],
  expression: '',
  threshold: 0,
  stemming: '',
  scorer: '',
  ignore: [],
  match: 'change',
}

/** A document as lists of words, separately for title and body. */
type Words = {
  readonly spelled: readonly string[][]
  readonly compared: readonly string[][]
  readonly all: ReadonlySet<string>
  /** By word: whether it directly follows the one before. */
  readonly joined: readonly boolean[][]
}

/**
 * Reference implementation for the match index, as simple as possible: every profile is compared with the document, every phrase
 * with every position. It shares only the words of documents and the weighing of keywords with the index.
 */
export function matchNaively(
  profiles: Iterable<readonly [number, CompiledInterests]>,
  document: DocumentTerms,
): Match[] {
  const matches: Match[] = []
  const words = new Map<string, Words>()
  for (const [id, interests] of profiles) {
    const own = interests.inLanguage?.(document.language) ?? interests
    const known = words.get(own.stemming) ?? wordsOfDocument(document, own.stemming)
    words.set(own.stemming, known)
    const relevance = relevanceNaively(own, document, known)
    if (relevance !== null) matches.push({ id, relevance })
  }
  return matches
}

function wordsOfDocument(document: DocumentTerms, stemming: string): Words {
  const { tokens, titleTokens, starts, ends } = document
  const parts = <T>(all: readonly T[]): T[][] => {
    const lists = [all.slice(0, titleTokens), [] as T[]]
    for (let at = titleTokens; at < tokens; at++) {
      const between = at === document.titleTokens ? '' : document.text.slice(document.ends[at - 1], document.starts[at])
      if (document.hasBlocks && between.includes('\n')) lists.push([])
      lists.at(-1)!.push(all[at]!)
    }
    return lists
  }
  const list = ({ table, termOf }: DocumentTerms['plain']): string[][] =>
    parts(Array.from(termOf.subarray(0, tokens), (term) => table.textOf(term)))
  const compared = list(document.view(stemming))
  const joined = parts(Array.from(starts.subarray(0, tokens), (start, at) => at > 0 && ends[at - 1] === start))
  return { spelled: list(document.plain), compared, all: new Set(compared.flat()), joined }
}

function relevanceNaively(interests: CompiledInterests, document: DocumentTerms, words: Words): number | null {
  const { keywords, exclude, expression, threshold, scorer, stemming } = interests
  if (exclude.some((leaf) => isThere(leaf, words))) return null
  if (expression !== null && !holdsNaively(expression.condition, document, words)) return null
  if (keywords.length === 0) return 1
  let thousandths = 0
  for (const { leaf, weight } of keywords) {
    const found = scorer.needsCounts ? count(leaf, words) : Number(isThere(leaf, words))
    if (found > 0) thousandths += Math.round(1000 * scorer.worth({ leaf, weight, count: found, stemming }, document))
  }
  const relevance = thousandths / 1000
  return relevance < threshold || (relevance === 0 && expression === null) ? null : relevance
}

function holdsNaively(condition: Condition, document: DocumentTerms, words: Words): boolean {
  if (condition.kind === 'leaf') return hasNaively(condition.leaf, document, words)
  if (condition.kind === 'not') return !holdsNaively(condition.part, document, words)
  const held = condition.parts.filter((part) => holdsNaively(part, document, words)).length
  return condition.kind === 'and' ? held === condition.parts.length : held > 0
}

function hasNaively(leaf: Leaf, document: DocumentTerms, words: Words): boolean {
  if (leaf.kind === 'words') return isThere(leaf, words)
  if (leaf.kind === 'site') return `.${document.host}`.endsWith(`.${leaf.host.text}`)
  const texts = leaf.where === 'title' ? [document.title] : [document.title, document.text.slice(document.bodyStart)]
  return texts.some((text) => leaf.pattern.find(text, 0, createWorkBudget()) !== null)
}

function isThere(leaf: WordsLeaf, document: Words): boolean {
  const isWord = leaf.words.length === 1 && !leaf.prefix && leaf.where === 'anywhere'
  return isWord ? document.all.has(leaf.words[0]!.text) : count(leaf, document) > 0
}

function count({ words, prefix, where, joined }: WordsLeaf, document: Words): number {
  let found = 0
  for (const [part, compared] of document.compared.entries()) {
    if (part > 0 && where === 'title') break
    const spelled = document.spelled[part]!
    const nothingBefore = document.joined[part]!
    for (let at = 0; at + words.length <= compared.length; at++) {
      const isHere = words.every(({ text }, index) =>
        prefix && index === words.length - 1 ? spelled[at + index]!.startsWith(text) : compared[at + index] === text,
      )
      const isJoined = joined === null || joined.every((must, index) => !must || nothingBefore[at + index])
      if (isHere && isJoined) found++
    }
  }
  return found
}
