import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { api, type List } from '../api/client.ts'
import type { Annotation } from '../api/types.ts'
import { showToast } from '../kit/toast.tsx'
import { useLive } from '../live/use-live.ts'
import { isWaiting, sendQueue } from '../offline/mark-queue.ts'
import { saveItems } from '../offline/storage.ts'
import { replaceSavedLists } from './inbox-cache.ts'
import { strings } from './strings.ts'

const SAVED_ITEMS = 200
const QUIET_MS = 3000
const RETRY_MS = 5000
let isFilled = false

/** Once per page load, when it is idle, the newest items are saved for offline use. */
function useFill(): void {
  useEffect(() => {
    if (isFilled) return
    const timer = setTimeout(() => {
      isFilled = true
      api
        .get<List<Annotation>>('/annotations', { state: 'all', group: 'page', limit: SAVED_ITEMS })
        .then(({ items }) => saveItems(items))
        .catch(() => undefined)
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
}

/** The stream says hello on every (re)connect: then the queue is sent. Entries that could not be sent are retried. */
export function useOfflineSync(): void {
  const client = useQueryClient()
  useFill()
  useLive('annotation', (item) => void saveItems([item]))
  const send = useCallback(() => {
    void sendQueue().then((sent) => {
      void replaceSavedLists(client)
      if (sent === 0) return
      showToast(strings.synced(sent))
      void client.invalidateQueries({ queryKey: ['counts'] })
    })
  }, [client])
  useLive('hello', send)
  useEffect(() => {
    window.addEventListener('online', send)
    const timer = setInterval(() => {
      if (isWaiting() && navigator.onLine) send()
    }, RETRY_MS)
    return () => {
      window.removeEventListener('online', send)
      clearInterval(timer)
    }
  }, [send])
}
