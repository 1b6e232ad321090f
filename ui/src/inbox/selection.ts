import { useCallback, useMemo, useState } from 'react'

/** Ids that are chosen; `allMatching` means everything that the filters let through, also what is not loaded. */
export type Selection = {
  ids: ReadonlySet<number>
  allMatching: boolean
  toggle: (id: number) => void
  choose: (ids: readonly number[]) => void
  chooseMatching: () => void
  clear: () => void
}

const nothing = { ids: new Set<number>() as ReadonlySet<number>, allMatching: false }

export function useSelection(): Selection {
  const [chosen, setChosen] = useState(nothing)
  const toggle = useCallback((id: number) => {
    setChosen(({ ids }) => {
      const next = new Set(ids)
      if (!next.delete(id)) next.add(id)
      return { ids: next, allMatching: false }
    })
  }, [])
  const choose = useCallback((ids: readonly number[]) => setChosen({ ids: new Set(ids), allMatching: false }), [])
  const chooseMatching = useCallback(() => setChosen(({ ids }) => ({ ids, allMatching: true })), [])
  const clear = useCallback(() => setChosen(nothing), [])
  return useMemo(
    () => ({ ...chosen, toggle, choose, chooseMatching, clear }),
    [chosen, toggle, choose, chooseMatching, clear],
  )
}
