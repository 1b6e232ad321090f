import { type Focus, type FocusTerm, focusWords } from '../../config/focus.ts'

/** Relevance of a text to the focus, from 0 to 1; null if it has no usable words. */
export type Relevance = (text: string) => number | null

/** With examples, naive Bayes; with terms, a score from the weights of those present; with both, the mean. */
export function createRelevance({ terms, examples }: Focus): Relevance {
  const judges: Relevance[] = []
  if (examples !== null) judges.push(createBayes(examples))
  if (terms.length > 0) judges.push(createTermRelevance(terms))
  return (text) => {
    let sum = 0
    let count = 0
    for (const judge of judges) {
      const relevance = judge(text)
      if (relevance === null) continue
      sum += relevance
      count++
    }
    return count === 0 ? null : sum / count
  }
}

/** The first occurrence counts most; at most half of the total weight is needed for a relevance of one half. */
function createTermRelevance(terms: readonly FocusTerm[]): Relevance {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0)
  const half = Math.max(Number.MIN_VALUE, Math.min(total / 2, 2 * Math.max(...terms.map(({ weight }) => weight))))
  const byFirstWord = Map.groupBy(terms, ({ words }) => words[0]!)
  return (text) => {
    const words = focusWords(text)
    if (words.length === 0) return null
    const counts = new Map<FocusTerm, number>()
    for (const [at, word] of words.entries()) {
      for (const term of byFirstWord.get(word) ?? []) {
        const isThere = term.words.every((each, n) => words[at + n] === each)
        if (isThere) counts.set(term, (counts.get(term) ?? 0) + 1)
      }
    }
    let worth = 0
    for (const [{ weight }, count] of counts) worth += (weight * 2 * count) / (count + 1)
    return worth / (worth + half)
  }
}

/** Maximum number of words learnt: the most distinctive ones. */
const MAX_LEARNT = 50_000
/** Words beyond this add no evidence: otherwise every long text would be classified with certainty. */
const MAX_EVIDENCE = 60

/** Multinomial naive Bayes with equal priors and add-one smoothing: each word adds its log-odds of occurring in wanted texts. */
export function createBayes({ wanted, others }: NonNullable<Focus['examples']>): Relevance {
  const counts = [countWords(wanted), countWords(others)] as const
  const words = new Set([...counts[0].byWord.keys(), ...counts[1].byWord.keys()])
  const logOdds = [...words].map((word): [string, number] => {
    const [inWanted, inOthers] = counts.map(({ byWord, total }) => ((byWord.get(word) ?? 0) + 1) / (total + words.size))
    return [word, Math.log(inWanted! / inOthers!)]
  })
  logOdds.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
  const learnt = new Map(logOdds.slice(0, MAX_LEARNT))
  return (text) => {
    let sum = 0
    let found = 0
    for (const word of focusWords(text)) {
      const odds = learnt.get(word)
      if (odds === undefined) continue
      sum += odds
      found++
    }
    if (found === 0) return null
    return 1 / (1 + Math.exp(-sum * Math.min(1, MAX_EVIDENCE / found)))
  }
}

function countWords(texts: readonly string[]): { byWord: Map<string, number>; total: number } {
  const byWord = new Map<string, number>()
  let total = 0
  for (const text of texts) {
    for (const word of focusWords(text)) {
      byWord.set(word, (byWord.get(word) ?? 0) + 1)
      total++
    }
  }
  return { byWord, total }
}
