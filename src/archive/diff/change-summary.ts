import type { Blocks } from '../../core/change/change.ts'
import { changeLine } from '../../core/change/change-line.ts'
import type { ChangeSummary } from '../../core/reports/history-report.ts'
import { listChanges } from './change-list.ts'
import { createDiffBudget } from './sequence-diff.ts'
import { diffTexts } from './text-diff.ts'

const maxPassages = 3
const maxPassageLength = 200
/** A summary is one line of many: it may cost only a fraction of a requested diff. */
const summaryWork = 10_000_000

const holdsWord = /[\p{L}\p{N}]/u

/** The visible text of a version, as a string and as blocks. */
export type SummarisedContent = { text: string; blocks: Blocks }

/** Summarises what changed between two versions: words added and removed, the first new passages, and a line with old → new. */
export function changeSummary(old: SummarisedContent, next: SummarisedContent): ChangeSummary {
  const { words, hunks } = diffTexts(old.text, next.text, {
    form: 'words',
    context: 0,
    budget: createDiffBudget(summaryWork),
  })
  const { changes } = listChanges(old.blocks, next.blocks, createDiffBudget(summaryWork))
  const passages: string[] = []
  for (const { pieces } of hunks) {
    for (const { kind, text } of pieces) {
      if (passages.length === maxPassages) break
      if (kind === 'added' && holdsWord.test(text)) passages.push(shortened(text))
    }
  }
  return { ...words, passages, line: changeLine(changes).text }
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
