import type { Block, Blocks, Change, Changes } from '../../core/change/change.ts'
import { createDiffBudget, type DiffBudget, diffSequences } from './sequence-diff.ts'

/** What changed from one version of a document to another. */
export function listChanges(old: Blocks, next: Blocks, budget: DiffBudget = createDiffBudget()): Changes {
  const textsOf = ({ blocks }: Blocks): string[] => blocks.map(({ text }) => text)
  const { matches, coarse } = diffSequences(textsOf(old), textsOf(next), budget)
  const changes: Change[] = []
  let from = 0
  let to = 0
  for (const match of [...matches, { from: old.blocks.length, to: next.blocks.length, length: 0 }]) {
    for (; from < match.from; from++) changes.push({ ...changeOf(old.blocks[from]!, 'removed'), from, to: -1 })
    for (; to < match.to; to++) changes.push({ ...changeOf(next.blocks[to]!, 'added'), from: -1, to })
    from += match.length
    to += match.length
  }
  return { changes, coarse }
}

function changeOf({ kind: block, text, trail, place, key }: Block, kind: 'added' | 'removed') {
  const path = trail.join(' › ')
  return { kind, block, path, place, key, ...(kind === 'added' ? { after: text } : { before: text }) }
}
