import './shell.css'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { KeyboardHelp } from '../keyboard/keyboard-help.tsx'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { Icon } from '../kit/icon.tsx'
import { useStream } from '../live/use-live.ts'
import { useIsOnline } from '../offline/connection.ts'
import { undoLast } from '../undo/undo.ts'
import { ArrivalTeller } from './arrival-teller.tsx'
import { goBack } from './go-back.ts'
import { Navigation } from './navigation.tsx'

function useGlobalKeys(showHelp: () => void) {
  useShortcuts('Everywhere', [
    { keys: 'g i', label: 'Go to the inbox', run: () => navigate('/inbox') },
    { keys: 'g w', label: 'Go to the watches', run: () => navigate('/watches') },
    { keys: 'g p', label: 'Go to the profiles', run: () => navigate('/profiles') },
    { keys: 'g a', label: 'Go to the activity', run: () => navigate('/activity') },
    { keys: 'g s', label: 'Go to the settings', run: () => navigate('/settings') },
    { keys: ['/', 'Ctrl+k'], label: 'Search', run: () => navigate('/search') },
    { keys: 'u', label: 'Undo what was done last', run: undoLast },
    { keys: '?', label: 'Show these keys', run: showHelp },
    { keys: 'Escape', label: 'Back', run: goBack },
  ])
}

/** Frame around every view of somebody who is signed in. */
export function Shell({ children }: { children: ReactNode }) {
  const [helpShown, setHelpShown] = useState(false)
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const lastPath = useRef(path)
  const online = useIsOnline()
  useStream()
  useGlobalKeys(() => setHelpShown(true))

  // Whoever hears the page starts at the new view, not at the link that led to it.
  useEffect(() => {
    if (lastPath.current !== path) main.current?.focus({ preventScroll: true })
    lastPath.current = path
  }, [path])

  return (
    <div className="shell">
      <a className="shell-skip" href="#main">
        Skip to the content
      </a>
      <Navigation onHelp={() => setHelpShown(true)} />
      <main id="main" ref={main} className="shell-main" tabIndex={-1}>
        {!online && (
          <p className="shell-offline" role="status">
            <Icon name="offline" size={18} />
            No connection. What was kept can be read; changes are sent when it is back.
          </p>
        )}
        {children}
      </main>
      <ArrivalTeller />
      {helpShown && <KeyboardHelp onClose={() => setHelpShown(false)} />}
    </div>
  )
}
