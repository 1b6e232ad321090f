import { strings } from '../kit/strings.ts'
import { useNow } from './now.ts'
import { exactTime, relativeTime } from './zone.ts'

/** `brief` leaves out the "ago", where a row has little room. */
type Props = { at: string | null; fallback?: string; className?: string; brief?: boolean }

export function RelativeTime({ at, fallback = strings.time.never, className, brief = false }: Props) {
  const now = useNow()
  if (at === null || at === '') return <span className={className}>{fallback}</span>
  return (
    <time className={className} dateTime={at} title={exactTime(at)}>
      {relativeTime(at, Math.max(now, Date.now()), brief)}
    </time>
  )
}
