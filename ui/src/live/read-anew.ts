import type { QueryClient, QueryKey } from '@tanstack/react-query'

/**
 * Has all that is kept under the key read again. The cache lets a first load that is under way go on by itself, though its answer may
 * be older than what was just heard; so that is read once more when it is there.
 */
export function readAnew(client: QueryClient, queryKey: QueryKey): void {
  const isFirstLoad = { queryKey, fetchStatus: 'fetching', predicate: hasNothingYet } as const
  const loading = client.getQueryCache().findAll(isFirstLoad)
  void client.invalidateQueries({ queryKey })
  for (const { promise, queryKey: own } of loading) {
    // Who waits for it is told of a failure.
    promise?.then(
      () => void client.invalidateQueries({ queryKey: own, exact: true }),
      () => undefined,
    )
  }
}

function hasNothingYet({ state }: { state: { data: unknown } }): boolean {
  return state.data === undefined
}
