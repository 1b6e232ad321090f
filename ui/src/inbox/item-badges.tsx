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

function signOf(urgency: number): string {
  if (urgency >= HIGH_URGENCY) return '!!'
  return urgency > USUAL_URGENCY ? '!' : '↓'
}

/** Nothing for the usual. `brief` shows the sign alone, where a row has no room for the word. */
export function Urgency({ urgency, brief = false }: { urgency: number; brief?: boolean }) {
  if (urgency === USUAL_URGENCY) return null
  const words = wordsOf(urgency)
  const tone = urgency >= HIGH_URGENCY ? 'danger' : urgency > USUAL_URGENCY ? 'warn' : 'plain'
  return (
    <Badge tone={tone} title={`${words}: urgency ${urgency}`}>
      <span aria-hidden="true">{signOf(urgency)}</span>
      <span className={brief ? 'only-heard' : ''}>{words}</span>
    </Badge>
  )
}

/** A title may be missing; the address says more than nothing. */
export function titleOf({ title, url }: Pick<Annotation, 'title' | 'url'>): string {
  return title.trim() === '' ? url : title
}
