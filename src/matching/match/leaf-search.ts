import type { WorkBudget } from '../../core/work/work-budget.ts'
import type { Leaf, PatternLeaf, WordsLeaf } from '../interests/condition.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'
import type { TermView } from '../terms/term-view.ts'

/** Position in the title or the text, in UTF-16 units. */
export type Place = { readonly where: 'title' | 'body'; readonly start: number; readonly end: number }

/** Whether the document has the leaf. */
export function hasLeaf(leaf: Leaf, document: DocumentTerms, stemming: string, budget: WorkBudget): boolean {
  switch (leaf.kind) {
    case 'words':
      return countWords(leaf, document, stemming, budget, 1) > 0
    case 'site':
      return isBelow(document.host, leaf.host.text)
    case 'pattern':
      return placesOfPattern(leaf, document, budget, 1).length > 0
  }
}

export function isBelow(host: string, site: string): boolean {
  return host.endsWith(site) && (host.length === site.length || host[host.length - site.length - 1] === '.')
}

/** Number of occurrences; stops at `enough`. */
export function countWords(
  leaf: WordsLeaf,
  document: DocumentTerms,
  stemming: string,
  budget: WorkBudget,
  enough = Number.POSITIVE_INFINITY,
): number {
  const [word] = leaf.words
  if (leaf.words.length > 1 || leaf.prefix || leaf.where === 'title')
    return eachOccurrence(leaf, document, stemming, budget, enough, nothing)
  const view = document.view(stemming)
  const term = view.find(word!)
  return term === -1 ? 0 : Math.min(enough, view.counts[term]!)
}

function nothing(): void {}

/** Calls back with the first token of each occurrence, those in the title first; returns their number. */
export function eachOccurrence(
  leaf: WordsLeaf,
  document: DocumentTerms,
  stemming: string,
  budget: WorkBudget,
  enough: number,
  found: (token: number) => void,
): number {
  const { words, prefix } = leaf
  const view = document.view(stemming)
  if (words.length > 1) return eachPhrase(leaf, document, view, budget, enough, found)
  if (prefix) return eachPrefixed(leaf, document, budget, enough, found)
  const term = view.find(words[0]!)
  if (term === -1) return 0
  const tokens = view.tokensOf(term)
  const end = leaf.where === 'title' ? document.titleTokens : document.tokens
  let count = 0
  while (count < tokens.length && count < enough && tokens[count]! < end) found(tokens[count++]!)
  return count
}

function eachPrefixed(
  { words, where }: WordsLeaf,
  { plain, titleTokens }: DocumentTerms,
  budget: WorkBudget,
  enough: number,
  found: (token: number) => void,
): number {
  const terms = plain.termsStarting(words[0]!)
  budget.left -= terms.length
  if (terms.length === 0 || budget.left <= 0) return 0
  if (where === 'anywhere' && enough === 1) {
    found(plain.tokensOf(terms[0]!)[0]!)
    return 1
  }
  const tokens: number[] = []
  for (const term of terms)
    for (const token of plain.tokensOf(term)) if (where === 'anywhere' || token < titleTokens) tokens.push(token)
  budget.left -= tokens.length
  tokens.sort((a, b) => a - b)
  const count = Math.min(enough, tokens.length)
  for (let at = 0; at < count; at++) found(tokens[at]!)
  return count
}

/** Checks each occurrence of the rarest word of the phrase. */
function eachPhrase(
  { words, prefix, where, joined }: WordsLeaf,
  document: DocumentTerms,
  view: TermView,
  budget: WorkBudget,
  enough: number,
  found: (token: number) => void,
): number {
  const { titleTokens, tokens, plain } = document
  const whole = prefix ? words.length - 1 : words.length
  const terms: number[] = []
  let rarest = 0
  for (let at = 0; at < whole; at++) {
    const term = view.find(words[at]!)
    if (term === -1) return 0
    terms.push(term)
    if (view.counts[term]! < view.counts[terms[rarest]!]!) rarest = at
  }
  const begun = prefix ? words[whole]!.text : ''
  let count = 0
  for (const token of view.tokensOf(terms[rarest]!)) {
    const first = token - rarest
    const end = first + words.length
    if (first < 0 || end > tokens) continue
    if (where === 'title' && end > titleTokens) break
    budget.left -= words.length
    if (budget.left <= 0) break
    // The end of the title and the start of the body don't form a phrase.
    if (first < titleTokens && end > titleTokens) continue
    let at = 0
    while (at < whole && view.termOf[first + at] === terms[at]) at++
    if (at < whole || (prefix && !plain.table.startsWith(plain.termOf[end - 1]!, begun))) continue
    if (joined !== null && !areJoined(document, joined, first)) continue
    if (first >= titleTokens && isOverBlocks(document, first, end - 1)) continue
    found(first)
    if (++count >= enough) break
  }
  return count
}

/** Exact match: characters adjacent in the term must be adjacent in the document. */
function areJoined(document: DocumentTerms, joined: readonly boolean[], first: number): boolean {
  for (let at = 1; at < joined.length; at++) if (joined[at] && !isJoinedToNext(document, first + at - 1)) return false
  return true
}

/** Whether nothing is between a token and the next, apart from invisible marks and, unless lines are blocks, a line break. */
export function isJoinedToNext(
  { starts, ends, titleTokens, title, text, hasBlocks }: DocumentTerms,
  token: number,
): boolean {
  const from = ends[token]!
  const to = starts[token + 1]!
  if (from === to) return true
  if (to - from > MAX_JOINT || token + 1 === titleTokens) return false
  const between = (token < titleTokens ? title : text).slice(from, to)
  return (hasBlocks ? invisible : invisibleOrBreak).test(between)
}

const MAX_JOINT = 3
const invisible = /^[\u00ad\u200b-\u200d\u2060\ufeff]*$/
const invisibleOrBreak = /^[\u00ad\u200b-\u200d\u2060\ufeff]*(?:\r?\n)?$/

/** The end of a block and the start of the next don't form a phrase. */
function isOverBlocks({ hasBlocks, text, starts, ends }: DocumentTerms, first: number, last: number): boolean {
  return hasBlocks && text.slice(ends[first], starts[last]).includes('\n')
}

export function placesOfPattern(
  { pattern, where }: PatternLeaf,
  document: DocumentTerms,
  budget: WorkBudget,
  enough: number,
): Place[] {
  const places: Place[] = []
  for (const part of ['title', 'body'] as const) {
    if (part === 'body' && where === 'title') break
    const offset = part === 'title' ? 0 : document.bodyStart
    const text = part === 'title' ? document.title : document.text.slice(offset)
    for (let from = 0; places.length < enough; ) {
      const span = pattern.find(text, from, budget)
      if (span === null) break
      places.push({ where: part, start: offset + span.start, end: offset + span.end })
      from = span.end
    }
  }
  return places
}
