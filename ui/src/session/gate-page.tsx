import './session.css'
import type { ReactNode } from 'react'
import { messageOf } from '../api/client.ts'
import { Icon, Logo } from '../kit/icon.tsx'
import { usePageTitle } from '../kit/page.tsx'
import { sentenceOf } from '../kit/strings.ts'
import { strings } from './strings.ts'

type Props = { title: string; lead: ReactNode; children: ReactNode }

/** The frame of the pages shown to visitors who are not signed in. */
export function GatePage({ title, lead, children }: Props) {
  usePageTitle(title)
  return (
    <main className="gate">
      <div className="kit-stack gate-card">
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

export function FormError({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <p className="kit-notice tone-danger small gate-problem" role="alert">
      <Icon name="warning" size={18} />
      <span>{sentenceOf(messageOf(error))}</span>
    </p>
  )
}
