import type { Config } from '../../config/config.ts'
import { createPartFaults, guarded } from '../../crawl/parts/guarded.ts'
import { loadPartNow } from '../../crawl/parts/load-part.ts'
import { createBuiltInScorers, type Scorer } from '../../matching/score/scorers.ts'

type OnProblem = (message: string, fields: Record<string, unknown>) => void

/** The scorers that profiles may name: built-in ones, and that of `parts.scorer`. Previews fall back silently; matching reports it. */
export function scorersOf(
  { parts }: Pick<Config, 'parts'>,
  onProblem: OnProblem = () => {},
): ReturnType<typeof createBuiltInScorers> {
  return createBuiltInScorers(parts.scorer === 'none' ? [] : [openScorer(parts.scorer, onProblem)])
}

/** If it throws or returns no number, falls back to the weight of the keyword, so that a broken scorer loses no document. */
function openScorer(path: string, onProblem: OnProblem): Scorer {
  const { name, create } = loadPartNow('scorer', path)
  const own = create()
  const isBoundedByWeight = own.isBoundedByWeight === true
  const faults = createPartFaults((_level, message, fields) => onProblem(message, fields))
  return {
    name,
    isBoundedByWeight,
    needsCounts: true,
    worth({ leaf, weight, count }, { tokens }) {
      const worth = guarded(`scorer ${name}`, faults, {
        work: () => own.worth({ words: leaf.words.map(({ text }) => text), weight, count }, { tokens }),
        isValid: (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
        fallback: () => weight,
      })
      return isBoundedByWeight ? Math.min(worth, weight) : worth
    },
  }
}
