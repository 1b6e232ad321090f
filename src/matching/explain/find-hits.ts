import type { CompiledInterests } from '../interests/compiled-interests.ts'
import type { Condition, Leaf, WordsLeaf } from '../interests/condition.ts'
import type { WorkBudget } from '../interests/work-budget.ts'
import { eachOccurrence, hasLeaf, type Place, placesOfPattern } from '../match/leaf-search.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'

/** Where a document has something that somebody wants. */
export type Hits = {
  /** All occurrences, and those in the title. */
  readonly count: number
  readonly inTitle: number
  /** Those in the title first, in order, `MAX_PLACES` at most. */
  readonly places: readonly Place[]
}

export type ConditionPart = {
  readonly leaf: Leaf
  readonly isThere: boolean
  readonly isNegated: boolean
  readonly hits: Hits
}

export const MAX_PLACES = 32
const none: Hits = { count: 0, inTitle: 0, places: [] }

export function hitsOfWords(leaf: WordsLeaf, document: DocumentTerms, stemming: string, budget: WorkBudget): Hits {
  const places: Place[] = []
  let inTitle = 0
  const { titleTokens, starts, ends } = document
  const count = eachOccurrence(leaf, document, stemming, budget, Number.POSITIVE_INFINITY, (token) => {
    if (token < titleTokens) inTitle++
    if (places.length >= MAX_PLACES) return
    const where = token < titleTokens ? 'title' : 'body'
    places.push({ where, start: starts[token]!, end: ends[token + leaf.words.length - 1]! })
  })
  return { count, inTitle, places }
}

/** The parts of an expression, in the order in which they are written. */
export function partsOfCondition(
  condition: Condition,
  document: DocumentTerms,
  { stemming }: CompiledInterests,
  budget: WorkBudget,
): ConditionPart[] {
  const parts: ConditionPart[] = []
  const visit = (node: Condition, isNegated: boolean): void => {
    if (node.kind === 'leaf') {
      const { leaf } = node
      const isThere = hasLeaf(leaf, document, stemming, budget)
      // What could not be found out is not told.
      if (budget.left > 0)
        parts.push({ leaf, isThere, isNegated, hits: isThere ? hitsOfLeaf(leaf, document, stemming, budget) : none })
    } else if (node.kind === 'not') visit(node.part, !isNegated)
    else for (const part of node.parts) visit(part, isNegated)
  }
  visit(condition, false)
  return parts
}

function hitsOfLeaf(leaf: Leaf, document: DocumentTerms, stemming: string, budget: WorkBudget): Hits {
  if (leaf.kind === 'site') return none
  if (leaf.kind === 'words') return hitsOfWords(leaf, document, stemming, budget)
  const places = placesOfPattern(leaf, document, budget, MAX_PLACES)
  return { count: places.length, inTitle: places.filter(({ where }) => where === 'title').length, places }
}
