import type { Block, Blocks, Change, Changes } from '../../core/change/change.ts'
import { pairBlocks } from './block-pairs.ts'
import { changedCells, changedWords } from './changed-words.ts'
import { createDiffBudget, type DiffBudget } from './sequence-diff.ts'

/** What changed from one version of a document to another, as a person would describe it. */
export function listChanges(old: Blocks, next: Blocks, budget: DiffBudget = createDiffBudget()): Changes {
  const pairs = pairBlocks(old.blocks, next.blocks, budget)
  const changes: Change[] = []
  let { coarse } = pairs
  let from = 0
  /** Reports removed blocks where they were: before the block that followed them. */
  const tellRemoved = (end: number): void => {
    for (; from < end; from++) if (pairs.to[from] === -1) changes.push(removedBlock(old.blocks[from]!, from))
  }
  const nextPaired = (): number => {
    let end = from
    while (end < old.blocks.length && (pairs.to[end] === -1 || pairs.isMoved[pairs.to[end]!] === 1)) end++
    return end
  }
  for (let to = 0; to < next.blocks.length; to++) {
    const partner = pairs.from[to]!
    const after = next.blocks[to]!
    const isMoved = pairs.isMoved[to] === 1
    if (partner === -1 || isMoved) {
      tellRemoved(nextPaired())
      if (partner === -1) changes.push(addedBlock(after, to))
      else changes.push({ ...known(after), kind: 'moved', before: after.text, after: after.text, from: partner, to })
      continue
    }
    if (partner >= from) {
      tellRemoved(partner)
      from = partner + 1
    }
    const before = old.blocks[partner]!
    if (pairs.isEqual[to] === 1 || before.text === after.text) continue
    const words = wordsOfPair(before, after, budget)
    coarse ||= words.coarse
    // White space alone is not a change.
    if (words.pieces.every(({ kind }) => kind === 'same')) continue
    const { pieces } = words
    changes.push({
      ...known(after),
      kind: 'changed',
      before: before.text,
      after: after.text,
      pieces,
      from: partner,
      to,
    })
  }
  tellRemoved(old.blocks.length)
  const isFeed = old.kind === 'feed' && next.kind === 'feed'
  return { changes: isFeed ? withoutPushedOut(changes, old.blocks.length) : changes, coarse }
}

/** Feeds hold a limited number of entries: the oldest that make way for new ones are not reported. */
function withoutPushedOut(changes: readonly Change[], oldCount: number): readonly Change[] {
  if (!changes.some(({ kind, block }) => kind === 'added' && block === 'entry')) return changes
  const gone = new Set(
    changes.flatMap(({ kind, block, from }) => (kind === 'removed' && block === 'entry' ? [from] : [])),
  )
  const pushedOut = new Set<number>()
  // Most feeds have the newest entry first, some last. Blocks before the first entry are about the feed itself.
  for (let at = oldCount - 1; gone.has(at); at--) pushedOut.add(at)
  if (pushedOut.size === 0) {
    for (let at = Math.min(...gone); gone.has(at); at++) pushedOut.add(at)
  }
  return changes.filter(({ kind, from }) => kind !== 'removed' || !pushedOut.has(from))
}

function wordsOfPair(before: Block, after: Block, budget: DiffBudget) {
  const isRow = before.kind === 'row' && after.kind === 'row'
  return (isRow ? changedCells : changedWords)(before.text, after.text, budget)
}

function removedBlock(block: Block, from: number): Change {
  return { ...known(block), kind: 'removed', before: block.text, from, to: -1 }
}

function addedBlock(block: Block, to: number): Change {
  return { ...known(block), kind: 'added', after: block.text, from: -1, to }
}

function known({ kind: block, trail, place, key, title, link }: Block) {
  const path = block === 'value' ? key : block === 'entry' ? (title ?? '') : trailText(trail)
  if (title === undefined && link === undefined) return { block, path, place, key }
  return { block, path, place, key, ...(title === undefined ? {} : { title }), ...(link === undefined ? {} : { link }) }
}

let lastTrail: { trail: readonly string[]; text: string } = { trail: [], text: '' }

/** Cached, as neighbours are under the same headings. */
function trailText(trail: readonly string[]): string {
  if (trail.length === 0) return ''
  if (lastTrail.trail !== trail) lastTrail = { trail, text: trail.join(' › ') }
  return lastTrail.text
}
