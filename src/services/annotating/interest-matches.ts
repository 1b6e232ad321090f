import { createProfileBudgets, isSpent, type OwnerBudgets, type WorkBudget } from '../../core/work/work-budget.ts'
import { relevanceOf } from '../../matching/match/evaluate.ts'
import type { MatchIndex } from '../../matching/match/match-index.ts'
import type { DocumentTerms } from '../../matching/terms/document-terms.ts'
import type { Recipient } from './recipients.ts'

export type InterestMatch = { recipient: Recipient; relevance: number }

export type InterestMatches = {
  matches: InterestMatch[]
  /** Recipients whose expressions took too much work for this document. */
  tooExpensive: Recipient[]
}

/** Up to this many recipients are matched one by one; more are found through the index. */
const FEW = 64

/** Finds the recipients whose interests match the document. */
export function matchInterests(
  terms: DocumentTerms,
  recipients: readonly Recipient[],
  index: MatchIndex,
  budgetOf: OwnerBudgets,
): InterestMatches {
  const budgets = createProfileBudgets(budgetOf)
  const given = new Map<Recipient, WorkBudget>()
  const give = (recipient: Recipient): WorkBudget => {
    const budget = budgets.of(recipient.profile.owner)
    given.set(recipient, budget)
    return budget
  }
  const matches =
    recipients.length > FEW ? matchedByIndex(terms, recipients, index, give) : matchedSingly(terms, recipients, give)
  budgets.settle()
  return { matches, tooExpensive: [...given].flatMap(([recipient, budget]) => (isSpent(budget) ? [recipient] : [])) }
}

type Give = (to: Recipient) => WorkBudget

function matchedByIndex(terms: DocumentTerms, recipients: readonly Recipient[], index: MatchIndex, give: Give) {
  const bySlot = new Map(recipients.map((recipient) => [recipient.slot, recipient]))
  const budgetOf = (slot: number): WorkBudget | null => {
    const recipient = bySlot.get(slot)
    return recipient === undefined ? null : give(recipient)
  }
  return index.match(terms, budgetOf).flatMap(({ id, relevance }): InterestMatch[] => {
    const recipient = bySlot.get(id)
    return recipient === undefined ? [] : [{ recipient, relevance }]
  })
}

function matchedSingly(terms: DocumentTerms, recipients: readonly Recipient[], give: Give) {
  return recipients.flatMap((recipient): InterestMatch[] => {
    const relevance = recipient.interests === null ? null : relevanceOf(recipient.interests, terms, give(recipient))
    return relevance === null ? [] : [{ recipient, relevance }]
  })
}
