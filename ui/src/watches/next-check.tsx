import { useNow } from '../time/now.ts'
import { RelativeTime } from '../time/relative-time.tsx'

/** What is past is late, not history. */
export function NextCheck({ at }: { at: string | null }) {
  const now = useNow()
  if (at !== null && Date.parse(at) <= now) return <span>due now</span>
  return <RelativeTime at={at} fallback="none" />
}
