import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same while what it does follows the last render: rows that get it need not render again. */
export function useStable<Args extends unknown[], Result>(run: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
