import './leave.css'
import { type ReactNode, useSyncExternalStore } from 'react'
import { ButtonLink } from '../kit/button.tsx'
import { GatePage } from '../session/gate-page.tsx'
import { type Destination, destinationOf } from './destination.ts'
import { strings } from './strings.ts'

function listen(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/** Shows where a link of a saved page leads, and opens it only on request. */
export default function LeaveView() {
  const hash = useSyncExternalStore(listen, () => location.hash)
  const destination = destinationOf(hash)
  switch (destination.kind) {
    case 'site':
      return <Site {...destination} />
    case 'mail':
      return (
        <GatePage title={strings.mailTitle} lead={strings.mailLead}>
          <Address>{destination.address}</Address>
          <p className="faint">{strings.mailStay}</p>
        </GatePage>
      )
    case 'none':
      return (
        <GatePage title={strings.noneTitle} lead={strings.noneLead}>
          <ButtonLink label={strings.inbox} href="/inbox" />
        </GatePage>
      )
  }
}

function Site({ href, host, unicode, hasUser, isPlain }: Destination & { kind: 'site' }) {
  return (
    <GatePage title={strings.title} lead={strings.lead}>
      <p className="leave-host" dir="ltr">
        {host}
      </p>
      <Address>{href}</Address>
      {unicode !== null && <Note>{strings.unicode(unicode)}</Note>}
      {hasUser && <Note>{strings.user(host)}</Note>}
      {isPlain && <p className="soft small">{strings.plain}</p>}
      <a
        className="kit-button kit-button-primary leave-open"
        href={href}
        rel="noopener noreferrer"
        referrerPolicy="no-referrer"
      >
        {strings.open(host)}
      </a>
      <p className="faint small">{strings.stay}</p>
    </GatePage>
  )
}

function Address({ children }: { children: string }) {
  return (
    // Long addresses scroll, so they must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region
    <section className="leave-address" dir="ltr" aria-label={strings.address} tabIndex={0}>
      {children}
    </section>
  )
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className="kit-notice tone-warn small">
      <bdi>{children}</bdi>
    </p>
  )
}
