import './look/tokens.css'
import './look/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { handleKey } from './keyboard/registry.ts'
import { registerWorker } from './offline/register-worker.ts'
import { App } from './shell/app.tsx'

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
