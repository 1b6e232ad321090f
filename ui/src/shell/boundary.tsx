import { Component, type ReactNode, useEffect, useRef } from 'react'
import { ErrorState } from '../kit/states.tsx'
import { useIsOnline } from '../offline/connection.ts'
import { strings } from './strings.ts'

type Props = { children: ReactNode }

/** An error in one view leaves the rest of the page usable. A class, because React offers no other way. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return isNotLoaded(error) ? <NotLoaded /> : <Crashed error={error} />
  }
}

/** Browsers don't retry a module that failed to load, so the whole page is reloaded. */
const reload = (): void => window.location.reload()

function Crashed({ error }: { error: unknown }) {
  return <ErrorState title={strings.crashed.title} query={{ error, refetch: reload }} advice={strings.crashed.advice} />
}

const notLoaded = { error: new Error(strings.notLoaded.reason), refetch: reload }

function NotLoaded() {
  const isOnline = useIsOnline()
  const wasOffline = useRef(false)
  useEffect(() => {
    if (isOnline && wasOffline.current) reload()
    wasOffline.current = !isOnline
  }, [isOnline])
  return (
    <ErrorState
      title={strings.notLoaded.title}
      query={notLoaded}
      advice={isOnline ? strings.notLoaded.retry : strings.notLoaded.retryOnline}
    />
  )
}

/** Recognised by the messages of browsers and the bundler; there is no error type for it. */
function isNotLoaded(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return /dynamically imported module|importing a module script|preload CSS/i.test(message)
}
