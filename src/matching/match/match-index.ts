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
 * Matches all profiles against one document, at a cost that depends on the document and its hits, not on the number of profiles.
 *
 * The inverse of a search engine's index: terms lead to the profiles that want them. For each document a profile owes its
 * threshold; each term of the document pays its weight into the profiles listed under it, and those whose debt is paid are
 * candidates. Only candidates are checked: profiles of nothing but weighted words by their entries, all others (phrases,
 * exclusions, expressions, other scorers) by evaluating them on the document. Payments may be too high, never too low: a phrase
 * is listed under its rarest word, common terms are taken for granted.
 *
 * A profile is in one of these states:
 * - simple: words and weights in typed arrays, a few hundred bytes; nothing of the given object is kept;
 * - verified: listed in the same way, and the compiled interests are kept for the decision;
 * - always: nothing that it needs can be listed (only a regular expression, only NOT), so it is checked for each document.
 *   Their number is limited, as they cost the same for every document.
 * `set` moves a profile from any state, or none, to the one that fits; `remove` removes it. Both take effect immediately and
 * in place: the next document sees the new state, and all memory of the old one is reused.
 */
export type MatchIndex = {
  readonly size: number
  /** Returns `refused`, without adding it, if too many profiles must always be checked or the index is full. */
  set(id: number, interests: CompiledInterests): FiledAs
  /** Returns whether it was there. */
  remove(id: number): boolean
  has(id: number): boolean
  /**
   * All profiles the document matches, in no particular order. `budgetOf` is called if expressions must be evaluated; null
   * leaves a profile out.
   */
  match(document: DocumentTerms, budgetOf?: BudgetOf): Match[]
  /** The same for a few profiles, at a cost that depends on their number. */
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
  /** Profiles refused since the start. */
  readonly refused: number
  readonly terms: number
  /** How often a profile exceeded its budget since the start; it then counts as no match. */
  readonly undecided: number
  /** Profiles checked for the last document, including matches. */
  readonly candidates: number
}

const usualBudget: BudgetOf = () => createWorkBudget()

/** Measured size of a kept object for interests with few terms, and of each further term. */
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
  /** Ids found in the current document. */
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

  /** Checks a kept profile and adds it to the matches if the document matches. */
  function verify(slot: number, document: DocumentTerms, matches: Match[], budgetOf: BudgetOf): void {
    const id = ids.ids[slot]!
    const budget = budgetOf(id)
    if (budget === null) return
    const relevance = relevanceOf(kept.get(slot)!, document, budget)
    if (relevance !== null) matches.push({ id, relevance })
    else if (budget.left <= 0) undecided++
  }

  /** Adds those of the candidates found by the entries that the document matches. */
  function decide(left: number, document: DocumentTerms, matches: Match[], budgetOf: BudgetOf): void {
    const { candidates: slots, sums } = entries
    if (found.length < left) found = new Float64Array(left * 2)
    // In a loop of its own, so that the memory accesses overlap.
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
      // A scorer that throws must not leave the words of this document to the next.
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
  // The parts of an expression are not counted one by one; its length is a good enough estimate.
  return keywords.length + exclude.length + Math.ceil((expression?.source.length ?? 0) / 10)
}
