import type { Annotation } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'

const kinds: Record<Annotation['kind'], { label: string; tone: BadgeTone; title: string }> = {
  new: { label: 'New', tone: 'good', title: 'A page that was not there before' },
  changed: { label: 'Changed', tone: 'accent', title: 'The page changed' },
  gone: { label: 'Gone', tone: 'danger', title: 'The page is no longer there' },
  back: { label: 'Back', tone: 'warn', title: 'The page was gone and is there again' },
}

export function KindBadge({ kind }: { kind: Annotation['kind'] }) {
  const { label, tone, title } = kinds[kind]
  return (
    <Badge tone={tone} title={title}>
      {label}
    </Badge>
  )
}

export const USUAL_URGENCY = 1
export const RAISED_URGENCY = 2
export const HIGH_URGENCY = 10

function wordsOf(urgency: number): string {
  if (urgency >= HIGH_URGENCY) return 'Urgent'
  if (urgency > USUAL_URGENCY) return 'Raised'
  return urgency < USUAL_URGENCY ? 'Low' : 'Usual'
}

/** Three bars, as many filled as it is urgent; nothing for the usual unless asked for. */
export function Urgency({ urgency, always = false }: { urgency: number; always?: boolean }) {
  if (urgency === USUAL_URGENCY && !always) return null
  const words = wordsOf(urgency)
  return (
    <Badge
      tone={urgency >= HIGH_URGENCY ? 'danger' : urgency > USUAL_URGENCY ? 'warn' : 'plain'}
      title={`Urgency ${urgency} of the profile`}
    >
      {urgency >= HIGH_URGENCY && <span aria-hidden="true">!!</span>}
      {urgency > USUAL_URGENCY && urgency < HIGH_URGENCY && <span aria-hidden="true">!</span>}
      {words}
    </Badge>
  )
}

/** A title may be missing; the address says more than nothing. */
export function titleOf({ title, url }: Pick<Annotation, 'title' | 'url'>): string {
  return title.trim() === '' ? url : title
}
