import { useNow } from './now.ts'
import { relativeTime } from './relative.ts'
import { exactTime } from './zone.ts'

/** `brief` leaves out the "ago", where a row has little room. */
type Props = { at: string | null; fallback?: string; className?: string; brief?: boolean }

export function RelativeTime({ at, fallback = 'never', className, brief = false }: Props) {
  const now = useNow()
  if (at === null || at === '') return <span className={className}>{fallback}</span>
  const text = relativeTime(at, Math.max(now, Date.now()))
  return (
    <time className={className} dateTime={at} title={exactTime(at)}>
      {brief ? text.replace(/ ago$/, '') : text}
    </time>
  )
}
