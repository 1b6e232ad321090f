import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ApiError, api } from '../api/client.ts'
import type { Preview } from '../api/types.ts'
import { bodyOf, type Draft, type Fault, placeFaults } from './draft.ts'

const PAUSE_MS = 500

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** What the profile would have matched, asked when the typing pauses; the last answer stays in sight meanwhile. */
export function usePreview(draft: Draft) {
  const settled = useSettled(draft)
  const sent = useMemo(() => bodyOf(settled), [settled])
  const hasSource = sent.sourceRows.length > 0
  const { name: _, ...asked } = sent.body
  const preview = useQuery({
    queryKey: ['preview', JSON.stringify(asked)],
    queryFn: () => api.post<Preview>('/profiles/preview', sent.body),
    enabled: hasSource,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 60_000,
  })
  const faults: Fault[] = preview.error instanceof ApiError ? placeFaults(preview.error.details, sent) : []
  return { preview, hasSource, faults, isBehind: preview.isFetching || settled !== draft }
}
