import type { Blocks } from '../../core/change/change.ts'
import { textOfBlocks, withoutSpans } from '../../core/text/blocks.ts'
import type { IgnoredText } from '../../core/text/ignored-text.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'

/**
 * Blocks without what a profile ignores; those of which nothing is left are gone. Expressions see the whole text, a line for each
 * block, so one may reach over several. Null where the budget doesn't suffice.
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
