import './badge.css'
import type { ReactNode } from 'react'

export type BadgeTone = 'plain' | 'accent' | 'good' | 'warn' | 'danger'
type Props = { tone?: BadgeTone; title?: string; children: ReactNode }

export function Badge({ tone = 'plain', title, children }: Props) {
  return (
    <span className={`kit-badge tone-${tone}`} title={title}>
      {children}
    </span>
  )
}
