import { useMemo, useState } from 'react'

const none: ReadonlySet<number> = new Set()

/**
 * The selected rows of a list by id; `isAll` means everything that matches the filter, loaded or not. `list` identifies the
 * list shown: another one starts with nothing selected.
 */
export function useSelection(list: string) {
  const [{ of, ids, isAll }, setSelected] = useState({ of: list, ids: none, isAll: false })
  if (of !== list) setSelected({ of: list, ids: none, isAll: false })
  const actions = useMemo(() => {
    const change = (next: (ids: ReadonlySet<number>) => Iterable<number>, isAll = false) =>
      setSelected(({ of, ids }) => ({ of, ids: new Set(next(ids)), isAll }))
    return {
      toggle: (id: number) => change((ids) => (ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id])),
      add: (more: readonly number[]) => change((ids) => [...ids, ...more]),
      put: (those: readonly number[]) => change(() => those),
      allMatching: () => change((ids) => ids, true),
      clear: () => change(() => none),
    }
  }, [])
  return useMemo(() => {
    const has = (id: number) => isAll || ids.has(id)
    return { ...actions, ids, isAll, has, isEmpty: ids.size === 0 && !isAll }
  }, [actions, ids, isAll])
}
export type Selection = ReturnType<typeof useSelection>

/** The row that takes the place of those that leave: the next one from `at` on that stays, else the last. */
export function rowInPlaceOf<Row extends { id: number }>(
  rows: readonly Row[],
  at: number,
  leaving: ReadonlySet<number>,
): Row | undefined {
  const stays = ({ id }: Row) => !leaving.has(id)
  const from = at >= 0 ? at : rows.findIndex(({ id }) => leaving.has(id))
  return rows.slice(Math.max(from, 0)).find(stays) ?? rows.findLast(stays)
}
