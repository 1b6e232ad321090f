import { createWorkBudget, type WorkBudget } from '../../core/work/work-budget.ts'
import { type CompiledInterests, type CompiledKeyword, interestsFor } from '../interests/compile-interests.ts'
import type { Condition } from '../interests/condition.ts'
import { worthOf } from '../score/scorers.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'
import { countWords, hasLeaf } from './leaf-search.ts'

/**
 * The relevance of a document to interests; null if it doesn't match.
 *
 * It matches if it has nothing that is excluded, the expression holds, and the relevance reaches the threshold.
 * Keywords without an expression need at least one hit, even if the threshold is 0. Without keywords there is nothing
 * to weigh: a document that passes has relevance 1, for any threshold. Interests without keywords and expression match
 * everything that is not excluded. If the budget runs out, the result is null and the budget shows it.
 */
export function relevanceOf(
  given: CompiledInterests,
  document: DocumentTerms,
  budget: WorkBudget = createWorkBudget(),
): number | null {
  const interests = interestsFor(given, document)
  const { keywords, threshold, exclude, expression, stemming } = interests
  let relevance = 1
  if (keywords.length > 0) {
    relevance = sumOfWorths(interests, document, budget)
    if (relevance < threshold || (relevance === 0 && expression === null)) return null
  }
  for (const leaf of exclude) if (hasLeaf(leaf, document, stemming, budget)) return null
  if (expression !== null && !holds(expression.condition, document, stemming, budget)) return null
  return budget.left > 0 ? relevance : null
}

function sumOfWorths(interests: CompiledInterests, document: DocumentTerms, budget: WorkBudget): number {
  let thousandths = 0
  for (const keyword of interests.keywords) thousandths += worthOfKeyword(keyword, interests, document, budget)
  return thousandths / 1000
}

/** In thousandths; 0 if the document doesn't have the keyword. */
export function worthOfKeyword(
  { leaf, weight }: CompiledKeyword,
  { scorer, stemming }: CompiledInterests,
  document: DocumentTerms,
  budget: WorkBudget,
): number {
  const count = countWords(leaf, document, stemming, budget, scorer.needsCounts ? Number.POSITIVE_INFINITY : 1)
  return count === 0 ? 0 : worthOf(scorer, { leaf, weight, count, stemming }, document)
}

export function holds(condition: Condition, document: DocumentTerms, stemming: string, budget: WorkBudget): boolean {
  switch (condition.kind) {
    case 'leaf':
      return hasLeaf(condition.leaf, document, stemming, budget)
    case 'not':
      return !holds(condition.part, document, stemming, budget)
    case 'and':
      return condition.parts.every((part) => holds(part, document, stemming, budget))
    case 'or':
      return condition.parts.some((part) => holds(part, document, stemming, budget))
  }
}
