import './page.css'
import { type ReactNode, useEffect } from 'react'

const PRODUCT = 'eRACE'

/** The title of the browser tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? PRODUCT : `${title} · ${PRODUCT}`
  }, [title])
}

type Props = { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A header with the page's only h1 and its actions, then the body. */
export function Page({ title, lead, actions, children }: Props) {
  usePageTitle(title)
  return (
    <div className="kit-stack kit-page">
      <header className="kit-spread">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className="soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className="kit-row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
