import { useCallback } from 'react'
import { useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'

type Options = { replace?: boolean }
type Changes = Record<string, string | null>

/** Sets parameters in the current page's query string; an empty or null value removes one. */
export function setQuery(changes: Changes, { replace = false }: Options = {}): void {
  const params = new URLSearchParams(window.location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') params.delete(name)
    else params.set(name, value)
  }
  const text = params.toString()
  const target = window.location.pathname + (text === '' ? '' : `?${text}`)
  if (target !== window.location.pathname + window.location.search) navigate(target, { replace })
}

export function useQuery(): URLSearchParams {
  return new URLSearchParams(useSearch())
}

/** One query parameter as state, so that a view can be shared, reopened and left with Back. */
export function useQueryState(name: string, fallback = ''): [string, (value: string, options?: Options) => void] {
  const value = useQuery().get(name) ?? fallback
  const set = useCallback(
    (next: string, options?: Options) => setQuery({ [name]: next === fallback ? null : next }, options),
    [name, fallback],
  )
  return [value, set]
}
