import { useMemo, useState } from 'react'

/** What an action is done to: rows by their ids, or all that the filter lets through, loaded or not. */
export type Target = { kind: 'ids'; ids: readonly number[] } | { kind: 'all'; count: number }

export function countOfTarget(target: Target): number {
  return target.kind === 'all' ? target.count : target.ids.length
}

type Chosen = { scope: string; ids: ReadonlySet<number>; isAll: boolean }
const none: ReadonlySet<number> = new Set()

/** `scope` is the list that is shown: what was chosen in another one is chosen no more. */
export function useSelection(scope: string) {
  const [chosen, setChosen] = useState<Chosen>({ scope, ids: none, isAll: false })
  const { ids, isAll } = chosen.scope === scope ? chosen : { ids: none, isAll: false }
  return useMemo(
    () => ({
      isAll,
      count: ids.size,
      isEmpty: ids.size === 0 && !isAll,
      has: (id: number) => isAll || ids.has(id),
      toggle(id: number) {
        const next = new Set(ids)
        if (!next.delete(id)) next.add(id)
        setChosen({ scope, ids: next, isAll: false })
      },
      add: (more: readonly number[]) => setChosen({ scope, ids: new Set([...ids, ...more]), isAll: false }),
      put: (those: readonly number[]) => setChosen({ scope, ids: new Set(those), isAll: false }),
      allMatching: () => setChosen({ scope, ids, isAll: true }),
      clear: () => setChosen({ scope, ids: none, isAll: false }),
      target: (matching: number): Target => (isAll ? { kind: 'all', count: matching } : { kind: 'ids', ids: [...ids] }),
    }),
    [scope, ids, isAll],
  )
}
export type Selection = ReturnType<typeof useSelection>
