import type { ChangeSummary } from '../../core/reports/history-report.ts'
import { createDiffBudget } from './sequence-diff.ts'
import { diffTexts } from './text-diff.ts'

const maxPassages = 3
const maxPassageLength = 200
/** A summary is one line of many: it may cost only a fraction of a requested diff. */
const summaryWork = 10_000_000

const holdsWord = /[\p{L}\p{N}]/u

/** What changed between two visible texts, in a line: words that came and went, and the first passages that are new. */
export function changeSummary(oldText: string, newText: string): ChangeSummary {
  const budget = createDiffBudget(summaryWork)
  const { words, hunks } = diffTexts(oldText, newText, { form: 'words', context: 0, budget })
  const passages: string[] = []
  for (const { pieces } of hunks) {
    for (const { kind, text } of pieces) {
      if (passages.length === maxPassages) break
      if (kind === 'added' && holdsWord.test(text)) passages.push(shortened(text))
    }
  }
  return { ...words, passages }
}

function shortened(text: string): string {
  // A cut inside a surrogate pair would leave half a character.
  const start = text
    .slice(0, 4 * maxPassageLength)
    .replace(/\s+/g, ' ')
    .trim()
  return start.length <= maxPassageLength
    ? start
    : `${start
        .slice(0, maxPassageLength - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}
