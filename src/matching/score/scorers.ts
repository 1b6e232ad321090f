import { AppError } from '../../core/errors.ts'
import { keywordsScorer } from './keywords-scorer.ts'
import type { Scorer } from './scorer.ts'

/** The scorers that profiles may name. */
export type Scorers = {
  find(name: string): Scorer | undefined
  names(): string[]
}

/** The scorer of the papers is always there; others, BM25 and plug-ins, are given. Two of one name are refused. */
export function createScorers(others: readonly Scorer[] = []): Scorers {
  const known = new Map<string, Scorer>()
  for (const scorer of [keywordsScorer, ...others]) {
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(scorer.name))
      throw new AppError(
        'config-invalid',
        `a scorer's name is made of small letters, digits and hyphens: ${scorer.name}`,
      )
    if (known.has(scorer.name)) throw new AppError('config-invalid', `there are two scorers named ${scorer.name}`)
    known.set(scorer.name, scorer)
  }
  return { find: (name) => known.get(name), names: () => [...known.keys()] }
}

export const defaultScorers: Scorers = createScorers()
