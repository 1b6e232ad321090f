import type { Block, Blocks } from '../../core/change/change.ts'
import type { Span } from '../../core/pattern/pattern-search.ts'
import { textOfBlocks } from '../../core/text/blocks.ts'
import type { IgnoredText } from '../../core/text/ignored-text.ts'
import { cutSpans } from '../../core/text/omit-matches.ts'
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
  if (spans === null) return null
  if (spans.length === 0) return blocks
  spans.sort((one, other) => one.start - other.start)
  const kept: Block[] = []
  let start = 0
  let next = 0
  for (const block of blocks.blocks) {
    const end = start + block.text.length
    const within: Span[] = []
    while (next < spans.length && spans[next]!.end <= start) next++
    for (let at = next; at < spans.length && spans[at]!.start < end; at++) {
      const span = spans[at]!
      if (span.end > start) within.push({ start: Math.max(span.start, start) - start, end: span.end - start })
    }
    const text = within.length === 0 ? block.text : withoutGaps(cutSpans(block.text, within))
    if (text !== '') kept.push(text === block.text ? block : { ...block, text })
    start = end + 1
  }
  return { ...blocks, blocks: kept }
}

/** White space in order again; the tabs between the cells of a row stay. */
function withoutGaps(text: string): string {
  return text.replace(/[^\S\t]+/g, ' ').trim()
}
