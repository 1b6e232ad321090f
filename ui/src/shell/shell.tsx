import './shell.css'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { KeyboardHelp } from '../keyboard/keyboard-help.tsx'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { Icon } from '../kit/icon.tsx'
import { useLive, useStream } from '../live/use-live.ts'
import { useIsOnline } from '../offline/connection.ts'
import { undoLast } from '../undo/undo.ts'
import { Navigation } from './navigation.tsx'
import { strings } from './strings.ts'

const GATHER_MS = 2000

/** Not in every browser yet, nor in the types. */
type WithNavigation = { navigation?: { canGoBack: boolean } }

/** Never leaves eRACE: from a page that was opened by its address, Back leads to the inbox. */
function goBack(): void {
  const isInside = (window as WithNavigation).navigation?.canGoBack ?? window.history.length > 1
  if (isInside) window.history.back()
  else navigate('/inbox')
}

function useGlobalKeys(showHelp: () => void) {
  const { group, goTo, ...labels } = strings.keys
  useShortcuts(group, [
    { keys: 'g i', label: goTo.inbox, run: () => navigate('/inbox') },
    { keys: 'g w', label: goTo.watches, run: () => navigate('/watches') },
    { keys: 'g p', label: goTo.profiles, run: () => navigate('/profiles') },
    { keys: 'g a', label: goTo.activity, run: () => navigate('/activity') },
    { keys: 'g s', label: goTo.settings, run: () => navigate('/settings') },
    { keys: ['/', 'Ctrl+k'], label: labels.search, run: () => navigate('/search') },
    { keys: 'u', label: labels.undo, run: undoLast },
    { keys: '?', label: labels.help, run: showHelp },
    { keys: 'Escape', label: labels.back, run: goBack },
  ])
}

/** The frame around every view for a signed-in user. */
export function Shell({ children }: { children: ReactNode }) {
  const [helpShown, setHelpShown] = useState(false)
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const lastPath = useRef(path)
  const online = useIsOnline()
  useStream()
  useGlobalKeys(() => setHelpShown(true))

  // Screen readers start at the new view, not at the link that led to it.
  useEffect(() => {
    if (lastPath.current !== path) main.current?.focus({ preventScroll: true })
    lastPath.current = path
  }, [path])

  return (
    <div className="shell">
      <a className="shell-skip" href="#main">
        {strings.skipToContent}
      </a>
      <Navigation onHelp={() => setHelpShown(true)} />
      <main id="main" ref={main} className="shell-main" tabIndex={-1}>
        {!online && (
          <p className="shell-offline" role="status">
            <Icon name="offline" size={18} />
            {strings.offline}
          </p>
        )}
        {children}
      </main>
      <ArrivalAnnouncer />
      {helpShown && <KeyboardHelp onClose={() => setHelpShown(false)} />}
    </div>
  )
}

/** Announces arrivals to screen readers, grouped when they come close together. */
function ArrivalAnnouncer() {
  const [text, setText] = useState('')
  const waiting = useRef<string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive('annotation', ({ title, source }) => {
    waiting.current.push(title === '' ? source : title)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const [first = '', ...more] = waiting.current
      waiting.current = []
      setText(more.length === 0 ? strings.arrived(first) : strings.arrivedMany(more.length + 1))
    }, GATHER_MS)
  })
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  )
}
