import { useNow } from './now.ts'
import { relativeTime } from './relative.ts'
import { exactTime } from './zone.ts'

type Props = { at: string | null; fallback?: string; className?: string }

export function RelativeTime({ at, fallback = 'never', className }: Props) {
  const now = useNow()
  if (at === null || at === '') return <span className={className}>{fallback}</span>
  return (
    <time className={className} dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  )
}
