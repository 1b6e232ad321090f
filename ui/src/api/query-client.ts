import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'

const STALE_MS = 20_000
const MAX_RETRIES = 2

/** What was refused stays refused; only what may pass is asked again. */
function mayPass(failures: number, error: Error): boolean {
  return error instanceof ApiError && error.status >= 500 && failures < MAX_RETRIES
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // The session ended meanwhile: the gate shows the sign-in page and comes back to here.
      if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(['session'], null)
    },
  }),
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: mayPass, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})
