import './gate-page.css'
import type { ReactNode } from 'react'
import { Logo } from '../kit/logo.tsx'
import { usePageTitle } from '../kit/page.tsx'

type Props = { title: string; lead: ReactNode; children: ReactNode }

/** The frame of what is shown before somebody is signed in. */
export function GatePage({ title, lead, children }: Props) {
  usePageTitle(title)
  return (
    <main className="gate">
      <div className="gate-card">
        <div className="gate-brand">
          <Logo size={40} />
          <span>eRACE</span>
        </div>
        <h1>{title}</h1>
        <p className="soft">{lead}</p>
        {children}
      </div>
    </main>
  )
}
