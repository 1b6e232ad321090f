import './session.css'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client.ts'
import { Icon, Logo } from '../kit/icon.tsx'
import { usePageTitle } from '../kit/page.tsx'
import { strings } from './strings.ts'

type Props = { title: string; lead: ReactNode; children: ReactNode }

/** The frame of the pages shown to visitors who are not signed in. */
export function GatePage({ title, lead, children }: Props) {
  usePageTitle(title)
  return (
    <main className="gate">
      <div className="gate-card">
        <div className="gate-brand">
          <Logo size={40} />
          <span>{strings.product}</span>
        </div>
        <h1>{title}</h1>
        <p className="soft">{lead}</p>
        {children}
      </div>
    </main>
  )
}

export function FormError({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  const text = messageOf(error)
  return (
    <p className="gate-problem" role="alert">
      <Icon name="warning" size={18} />
      <span>{text.charAt(0).toUpperCase() + text.slice(1)}</span>
    </p>
  )
}
