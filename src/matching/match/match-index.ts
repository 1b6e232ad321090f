import { createWorkBudget, type WorkBudget } from '../../core/work/work-budget.ts'
import type { CompiledInterests } from '../interests/compile-interests.ts'
import type { DocumentTerms } from '../terms/document-terms.ts'
import { DocumentHits } from './document-hits.ts'
import { relevanceOf } from './evaluate.ts'
import { fileInterests } from './filing.ts'
import { IdTable } from './id-table.ts'
import { IndexTerms } from './index-terms.ts'
import { MAX_SLOTS, ProfileEntries } from './profile-entries.ts'

/**
 * All profiles against one document, at a cost that follows the document and its hits and not the number of profiles.
 *
 * The reverse of a search engine's index: terms lead to the profiles that want them. A profile owes the threshold when a
 * document comes; each term that the document has pays its weight into the profiles listed under it, and those
 * that owe nothing any more are candidates. Only candidates are checked: profiles that are nothing but weighted words
 * by their entries, all others (phrases, exclusions, expressions, other scorers) by holding them against the document. Payments
 * may be too high, never too low: a phrase is listed under its rarest word, common terms are taken for granted.
 *
 * A profile is in one of these states:
 * - simple: words and weights in typed arrays, some hundred bytes, nothing of the given object is kept;
 * - verified: listed in the same way, and the compiled interests are kept for the decision;
 * - always: nothing that it needs can be listed (only a regular expression, only NOT): checked for each document. There is
 *   a limit to these, since they cost the same for every document.
 * `set` moves a profile from any state, or none, to the one that fits; `remove` ends all. Both act at once and in place:
 * the next document meets the new state, and all memory of the old one is used again.
 */
export type MatchIndex = {
  readonly size: number
  /** The result: `refused` when too many profiles must always be checked, or the index is full; then it is not in the index. */
  set(id: number, interests: CompiledInterests): FiledAs
  /** Whether it was there. */
  remove(id: number): boolean
  has(id: number): boolean
  /**
   * Everybody whom the document concerns, in no order that means anything. `budgetOf` is asked where expressions must be
   * tried; null leaves a profile out.
   */
  match(document: DocumentTerms, budgetOf?: BudgetOf): Match[]
  /** The same among a few, at a cost that follows the few. */
  matchOnly(ids: readonly number[], document: DocumentTerms): Match[]
  statistics(): MatchStatistics
  memoryBytes(): number
}

export type BudgetOf = (id: number) => WorkBudget | null

export type FiledAs = 'simple' | 'verified' | 'always' | 'refused'
export type Match = { readonly id: number; readonly relevance: number }

export type MatchStatistics = {
  readonly profiles: number
  readonly verified: number
  readonly always: number
  readonly maxAlways: number
  /** Profiles that were refused since the beginning. */
  readonly refused: number
  readonly terms: number
  /** How often a profile could not be decided within its budget, since the beginning; such a one is no match. */
  readonly undecided: number
  /** Of the last document: profiles that were checked, matches included. */
  readonly candidates: number
}

const usualBudget: BudgetOf = () => createWorkBudget()

/** What a kept object takes, as measured for interests with few terms, and what each further term adds. */
const OBJECT_BYTES = 900
const TERM_BYTES = 350
const MAX_ALWAYS = 1_000

export function createMatchIndex({ maxAlways = MAX_ALWAYS } = {}): MatchIndex {
  const ids = new IdTable()
  const terms = new IndexTerms()
  const entries = new ProfileEntries(terms)
  const hits = new DocumentHits(terms)
  const kept = new Map<number, CompiledInterests>()
  const always = new Set<number>()
  /** Who was found in the present document. */
  let found = new Float64Array(16)
  let keptTerms = 0
  let refused = 0
  let undecided = 0
  let candidates = 0

  function set(id: number, interests: CompiledInterests): FiledAs {
    remove(id)
    const filing = fileInterests(interests, (key) => terms.commonness(key))
    if ((filing.kind === 'always' && always.size >= maxAlways) || ids.size >= MAX_SLOTS) {
      refused++
      return 'refused'
    }
    const slot = ids.add(id)
    if (filing.kind === 'always') {
      always.add(slot)
      entries.set(slot, [], 1, 0)
    } else entries.set(slot, filing.entries, filing.needed, filing.kind === 'simple' ? filing.threshold : 0)
    if (filing.kind !== 'simple') {
      kept.set(slot, interests)
      keptTerms += termsOf(interests)
    }
    return filing.kind
  }

  function remove(id: number): boolean {
    const slot = ids.find(id)
    if (slot === -1) return false
    entries.remove(slot)
    const interests = kept.get(slot)
    if (interests !== undefined) {
      keptTerms -= termsOf(interests)
      kept.delete(slot)
      always.delete(slot)
    }
    ids.remove(id)
    return true
  }

  /** Looks at a profile that is kept; adds it to the matches where the document concerns it. */
  function verify(slot: number, document: DocumentTerms, matches: Match[], budgetOf: BudgetOf): void {
    const id = ids.ids[slot]!
    const budget = budgetOf(id)
    if (budget === null) return
    const relevance = relevanceOf(kept.get(slot)!, document, budget)
    if (relevance !== null) matches.push({ id, relevance })
    else if (budget.left <= 0) undecided++
  }

  /** What the entries found; adds those to the matches that the document concerns. */
  function decide(left: number, document: DocumentTerms, matches: Match[], budgetOf: BudgetOf): void {
    const { candidates: slots, sums } = entries
    if (found.length < left) found = new Float64Array(left * 2)
    // By themselves, so that memory is asked for all of them at once.
    for (let at = 0; at < left; at++) found[at] = ids.ids[slots[at]!]!
    for (let at = 0; at < left; at++) {
      if (sums[at] === 0) verify(slots[at]!, document, matches, budgetOf)
      else matches.push({ id: found[at]!, relevance: sums[at]! / 1000 })
    }
  }

  function match(document: DocumentTerms, budgetOf: BudgetOf = usualBudget): Match[] {
    const matches: Match[] = []
    try {
      hits.find(document)
      const left = entries.find(hits.terms, hits.count, hits.present)
      candidates = entries.considered + always.size
      decide(left, document, matches, budgetOf)
      for (const slot of always) verify(slot, document, matches, budgetOf)
    } finally {
      // A scorer that throws must not leave this document's words to the next one.
      hits.clear()
    }
    return matches
  }

  function matchOnly(wanted: readonly number[], document: DocumentTerms): Match[] {
    const matches: Match[] = []
    for (const id of new Set(wanted)) {
      const slot = ids.find(id)
      if (slot === -1) continue
      if (kept.has(slot)) {
        verify(slot, document, matches, usualBudget)
        continue
      }
      hits.findOnly(document, (found) => entries.eachTerm(slot, found))
      entries.candidates[0] = slot
      decide(entries.settle(1, hits.present), document, matches, usualBudget)
      hits.clear()
    }
    candidates = wanted.length
    return matches
  }

  return {
    get size() {
      return ids.size
    },
    set,
    remove,
    has: (id) => ids.find(id) !== -1,
    match,
    matchOnly,
    statistics: () => ({
      profiles: ids.size,
      verified: kept.size - always.size,
      always: always.size,
      maxAlways,
      refused,
      terms: terms.size,
      undecided,
      candidates,
    }),
    memoryBytes() {
      const arrays = ids.memoryBytes() + terms.memoryBytes() + entries.memoryBytes() + hits.memoryBytes()
      return arrays + found.byteLength + kept.size * OBJECT_BYTES + keptTerms * TERM_BYTES
    },
  }
}

function termsOf({ keywords, exclude, expression }: CompiledInterests): number {
  // The parts of an expression are not counted one by one; its length is a good enough measure.
  return keywords.length + exclude.length + Math.ceil((expression?.source.length ?? 0) / 10)
}
