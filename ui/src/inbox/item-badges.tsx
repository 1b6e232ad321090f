import type { Annotation } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { strings } from './strings.ts'

const tones: Record<Annotation['kind'], BadgeTone> = { new: 'good', changed: 'accent', gone: 'danger', back: 'warn' }

export function KindBadge({ kind }: { kind: Annotation['kind'] }) {
  const { label, title } = strings.kinds[kind]
  return (
    <Badge tone={tones[kind]} title={title}>
      {label}
    </Badge>
  )
}

/** The same steps as in the profile form. */
const DEFAULT_URGENCY = 1
export const HIGH_URGENCY = 2
export const URGENT_URGENCY = 5

function urgencyOf(urgency: number): { label: string; sign: string; tone: BadgeTone } {
  if (urgency >= URGENT_URGENCY) return { label: strings.urgency.urgent, sign: '!!', tone: 'danger' }
  if (urgency > DEFAULT_URGENCY) return { label: strings.urgency.high, sign: '!', tone: 'warn' }
  return { label: strings.urgency.low, sign: '↓', tone: 'plain' }
}

/** Nothing for the default urgency. `brief` shows only the sign, where a row has no room for the label. */
export function Urgency({ urgency, brief = false }: { urgency: number; brief?: boolean }) {
  if (urgency === DEFAULT_URGENCY) return null
  const { label, sign, tone } = urgencyOf(urgency)
  return (
    <Badge tone={tone} title={strings.urgency.title(label, urgency)}>
      <span aria-hidden="true">{sign}</span>
      <span className={brief ? 'visually-hidden' : ''}>{label}</span>
    </Badge>
  )
}

/** The title, or the address if there is none. */
export function titleOf({ title, url }: Pick<Annotation, 'title' | 'url'>): string {
  return title.trim() === '' ? url.replace(/^https?:\/\/(?:www\.)?/, '') : title
}
