import { createWorkBudget, type WorkBudget } from '../../core/work/work-budget.ts'
import { type CompiledInterests, interestsFor } from '../interests/compile-interests.ts'
import type { Condition, Leaf, WordsLeaf } from '../interests/condition.ts'
import { worthOfKeyword } from '../match/evaluate.ts'
import { eachOccurrence, hasLeaf, type Place, placesOfPattern } from '../match/leaf-search.ts'
import type { Passage } from '../summary/summary.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'

/**
 * Why a document matters to a profile. The worths of `terms` and `further` add up to the relevance; without keywords it is 1.
 */
export type Explanation = {
  readonly relevance: number
  readonly threshold: number
  readonly scorer: string
  /** Keywords found in the document, most valuable first. */
  readonly terms: readonly ExplainedTerm[]
  /** Keywords found but not listed. */
  readonly further: { readonly terms: number; readonly worth: number }
  /** Number of keywords not found. */
  readonly missing: number
  /** The first of the exclusions, none of which the document has. */
  readonly exclusions: readonly string[]
  readonly expression: { readonly source: string; readonly parts: readonly ExplainedPart[] } | null
}

export type ExplainedTerm = {
  readonly key: string
  readonly weight: number
  readonly worth: number
  readonly count: number
  readonly inTitle: number
  /** The first occurrences. */
  readonly places: readonly Place[]
}

export type ExplainedPart = {
  readonly text: string
  readonly isThere: boolean
  /** Must be absent: preceded by an odd number of NOTs. */
  readonly isNegated: boolean
  readonly count: number
  readonly places: readonly Place[]
}

export type Explained = { readonly explanation: Explanation; readonly passages: readonly Passage[] }

const MAX_TERMS = 50
const MAX_EXCLUSIONS = 50
const MAX_PARTS = 50
const SHOWN_PLACES = 5
/** Weight of a part of an expression when passages are chosen, as it has none of its own. */
const PART_WEIGHT = 1

/** For a document that matches according to `relevanceOf`, with that relevance. */
export function explain(
  given: CompiledInterests,
  document: DocumentTerms,
  relevance: number,
  budget: WorkBudget,
): Explained {
  const interests = interestsFor(given, document)
  const found = findKeywords(interests, document, budget)
  const listed = found.slice(0, MAX_TERMS)
  const rest = found.slice(MAX_TERMS)
  const { expression } = interests
  const parts = expression === null ? [] : partsOfCondition(expression.condition, document, interests, budget)
  const passages: Passage[] = [
    ...listed.map(({ hits, weight }) => ({ weight, places: hits.places })),
    ...parts.filter(({ isNegated }) => !isNegated).map(({ hits }) => ({ weight: PART_WEIGHT, places: hits.places })),
  ]
  const explanation: Explanation = {
    relevance,
    threshold: interests.threshold,
    scorer: interests.scorer.name,
    terms: listed.map(({ key, weight, thousandths, hits }) => ({
      key,
      weight,
      worth: thousandths / 1000,
      count: hits.count,
      inTitle: hits.inTitle,
      places: hits.places.slice(0, SHOWN_PLACES),
    })),
    further: { terms: rest.length, worth: rest.reduce((sum, { thousandths }) => sum + thousandths, 0) / 1000 },
    missing: interests.keywords.length - found.length,
    exclusions: interests.exclude.slice(0, MAX_EXCLUSIONS).map(({ text }) => text),
    expression:
      expression === null
        ? null
        : {
            source: expression.source,
            parts: parts.slice(0, MAX_PARTS).map(({ leaf, isThere, isNegated, hits }) => ({
              text: leaf.kind === 'site' ? `site:${leaf.text}` : leaf.text,
              isThere,
              isNegated,
              count: hits.count,
              places: hits.places.slice(0, SHOWN_PLACES),
            })),
          },
  }
  return { explanation, passages }
}

type FoundKeyword = { key: string; weight: number; thousandths: number; hits: Hits }

function findKeywords(interests: CompiledInterests, document: DocumentTerms, budget: WorkBudget): FoundKeyword[] {
  const { keywords, stemming } = interests
  const found: FoundKeyword[] = []
  const decision = createWorkBudget()
  for (const keyword of keywords) {
    const { key, leaf, weight } = keyword
    // Exactly as in `relevanceOf`, with the same budget, so that the explanation shows the scores that were counted.
    const thousandths = worthOfKeyword(keyword, interests, document, decision)
    if (thousandths > 0) found.push({ key, weight, thousandths, hits: hitsOfWords(leaf, document, stemming, budget) })
  }
  return found.sort((a, b) => b.thousandths - a.thousandths)
}

/** Occurrences in a document of something a profile asks for. */
type Hits = {
  /** All occurrences, and those in the title. */
  readonly count: number
  readonly inTitle: number
  /** Those in the title first, in order, at most `MAX_PLACES`. */
  readonly places: readonly Place[]
}

type ConditionPart = {
  readonly leaf: Leaf
  readonly isThere: boolean
  readonly isNegated: boolean
  readonly hits: Hits
}

const MAX_PLACES = 32
const none: Hits = { count: 0, inTitle: 0, places: [] }

function hitsOfWords(leaf: WordsLeaf, document: DocumentTerms, stemming: string, budget: WorkBudget): Hits {
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

/** The parts of an expression, in the order they are written. */
function partsOfCondition(
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
      // Parts that could not be decided are left out.
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
