import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { api, type List } from '../api/client.ts'
import type { Annotation } from '../api/types.ts'
import { showToast } from '../kit/toast-store.ts'
import { useLive } from '../live/use-live.ts'
import { keepItems } from '../offline/kept-inbox.ts'
import { isWaiting, sendQueue } from '../offline/mark-queue.ts'
import { replaceKeptLists } from './inbox-cache.ts'

const KEPT_ITEMS = 200
const QUIET_MS = 3000
const AGAIN_MS = 5000
let isFilled = false

/** Once per start, when the page has come to rest, the newest items are kept for the time without a connection. */
function useFill(): void {
  useEffect(() => {
    if (isFilled) return
    const timer = setTimeout(() => {
      isFilled = true
      api
        .get<List<Annotation>>('/annotations', { state: 'all', limit: KEPT_ITEMS })
        .then(({ items }) => keepItems(items))
        .catch(() => undefined)
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
}

/**
 * The stream greets when the connection is there, also after it was gone: then what waited is sent. What was marked at that very moment,
 * or could not be sent, is tried again.
 */
export function useKeptForOffline(): void {
  const client = useQueryClient()
  useFill()
  useLive('annotation', (item) => void keepItems([item]))
  const send = useCallback(() => {
    void sendQueue().then((sent) => {
      void replaceKeptLists(client)
      if (sent === 0) return
      showToast(sent === 1 ? '1 change was sent.' : `${sent} changes were sent.`)
      void client.invalidateQueries({ queryKey: ['counts'] })
    })
  }, [client])
  useLive('hello', send)
  useEffect(() => {
    window.addEventListener('online', send)
    const timer = setInterval(() => {
      if (isWaiting() && navigator.onLine) send()
    }, AGAIN_MS)
    return () => {
      window.removeEventListener('online', send)
      clearInterval(timer)
    }
  }, [send])
}
