import './theme/tokens.css'
import './theme/base.css'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { handleKey } from './keyboard/shortcuts.ts'
import { App } from './shell/app.tsx'

const STALE_MS = 20_000
const MAX_RETRIES = 2
/** Lets the first view finish loading before its files are sent to the service worker. */
const QUIET_MS = 4000

const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // The session has ended: the gate shows the sign-in page, which leads back here.
      if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(['session'], null)
    },
  }),
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: isTransient, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

/** A rejected request stays rejected; only server errors are worth a retry. */
function isTransient(failures: number, error: Error): boolean {
  return error instanceof ApiError && error.status >= 500 && failures < MAX_RETRIES
}

/** The service worker starts after the first load, so the page sends it the files loaded before. */
function registerWorker(): void {
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return
  window.addEventListener('load', async () => {
    try {
      await navigator.serviceWorker.register('/sw.js')
      const { active } = await navigator.serviceWorker.ready
      setTimeout(() => active?.postMessage(loadedFiles()), QUIET_MS)
    } catch {
      // Without the worker the pages still work, just not offline.
    }
  })
}

function loadedFiles(): string[] {
  return performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname)
}

window.addEventListener('keydown', handleKey)
registerWorker()

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
}
