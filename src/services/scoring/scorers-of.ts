import type { Config } from '../../config/config.ts'
import { loadPartNow } from '../../crawl/parts/load-part.ts'
import { createBuiltInScorers, type Scorer } from '../../matching/score/scorers.ts'

/** The scorers that profiles may name: ours, and the one of `parts.scorer`. */
export function scorersOf({ parts }: Pick<Config, 'parts'>): ReturnType<typeof createBuiltInScorers> {
  return createBuiltInScorers(parts.scorer === 'none' ? [] : [openScorer(parts.scorer)])
}

/** What throws or is no number counts as nothing: one scorer can't keep a document from the profiles of the others. */
function openScorer(path: string): Scorer {
  const { name, create } = loadPartNow('scorer', path)
  const own = create()
  return {
    name,
    isBoundedByWeight: own.isBoundedByWeight === true,
    needsCounts: true,
    worth({ leaf, weight, count }, { tokens }) {
      try {
        const worth = own.worth({ words: leaf.words.map(({ text }) => text), weight, count }, { tokens })
        return own.isBoundedByWeight === true ? Math.min(worth, weight) : worth
      } catch {
        return 0 // as any worth that can't be: `worthOf` decides so for all scorers
      }
    },
  }
}
