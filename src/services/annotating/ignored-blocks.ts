import type { Blocks } from '../../core/change/change.ts'
import { textOfBlocks, withoutSpans } from '../../core/text/blocks.ts'
import type { IgnoredText } from '../../core/text/ignored-text.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'

/**
 * Removes the text that a profile ignores, and blocks left empty. Expressions see the whole text, one line per block, so a match may
 * span several. Null if the budget runs out.
 */
export function cutIgnored(
  blocks: Blocks,
  ignore: readonly string[],
  ignored: IgnoredText,
  budget: WorkBudget,
): Blocks | null {
  const spans = ignored.find(textOfBlocks(blocks), ignore, budget)
  return spans === null ? null : withoutSpans(blocks, spans)
}
