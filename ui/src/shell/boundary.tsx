import { Component, type ReactNode, useEffect, useRef } from 'react'
import { ErrorState } from '../kit/states.tsx'
import { useIsOnline } from '../offline/connection.ts'

type Props = { children: ReactNode }

/** A fault in one view leaves the rest of the page usable. A class, since React has no other way. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return isNotLoaded(error) ? <NotLoaded /> : <Stumbled error={error} />
  }
}

/** Code that could not be loaded is not asked for a second time: everything begins anew. */
const reload = (): void => window.location.reload()

function Stumbled({ error }: { error: unknown }) {
  return (
    <ErrorState title="This page stumbled" error={error} onRetry={reload}>
      Load it again. If it stumbles again, tell whoever runs this eRACE what it says here.
    </ErrorState>
  )
}

const notLoaded = new Error('The server is away, or has become a newer one.')

function NotLoaded() {
  const isOnline = useIsOnline()
  const wasOffline = useRef(false)
  useEffect(() => {
    if (isOnline && wasOffline.current) reload()
    wasOffline.current = !isOnline
  }, [isOnline])
  return (
    <ErrorState title="This page could not be loaded" error={notLoaded} onRetry={reload}>
      {isOnline ? 'It is loaded anew when you try again.' : 'It is loaded as soon as the connection is back.'}
    </ErrorState>
  )
}

/** What the browsers and the bundler say of it; there is no type for it. */
function isNotLoaded(error: unknown): boolean {
  const says = error instanceof Error ? error.message : ''
  return /dynamically imported module|importing a module script|preload CSS/i.test(says)
}
