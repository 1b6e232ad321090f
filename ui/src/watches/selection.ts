import { useState } from 'react'

/** What an action is done to: rows by their ids, or all that the filter lets through, loaded or not. */
export type Target = { kind: 'ids'; ids: readonly number[] } | { kind: 'all'; count: number }

export function countOfTarget(target: Target): number {
  return target.kind === 'all' ? target.count : target.ids.length
}

export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const [isAll, setIsAll] = useState(false)
  return {
    isAll,
    count: ids.size,
    isEmpty: ids.size === 0 && !isAll,
    has: (id: number) => isAll || ids.has(id),
    toggle(id: number) {
      const next = new Set(ids)
      if (!next.delete(id)) next.add(id)
      setIsAll(false)
      setIds(next)
    },
    /** From the last one that was chosen, as with a list of files. */
    add(more: readonly number[]) {
      setIds(new Set([...ids, ...more]))
    },
    allMatching: () => setIsAll(true),
    clear() {
      setIsAll(false)
      setIds(new Set())
    },
    target: (matching: number): Target => (isAll ? { kind: 'all', count: matching } : { kind: 'ids', ids: [...ids] }),
  }
}
export type Selection = ReturnType<typeof useSelection>
