import './page.css'
import { type ReactNode, useEffect } from 'react'

const PRODUCT = 'eRACE'

/** The title of the browser tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? PRODUCT : `${title} · ${PRODUCT}`
  }, [title])
}

type Props = { title: string; lead?: ReactNode; actions?: ReactNode; narrow?: boolean; children: ReactNode }

/** A header with the page's only h1 and its actions, then the body. `narrow` keeps forms at a readable width. */
export function Page({ title, lead, actions, narrow = false, children }: Props) {
  usePageTitle(title)
  return (
    <div className={narrow ? 'kit-page kit-page-narrow' : 'kit-page'}>
      <header className="kit-page-head">
        <div className="kit-page-name">
          <h1>{title}</h1>
          {lead !== undefined && <p className="soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className="kit-page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
