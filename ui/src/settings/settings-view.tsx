import './settings.css'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { messageOf } from '../api/client.ts'
import { Button } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useMe, useSignOut } from '../session/session.ts'
import { useQueryState } from '../url/query-state.ts'
import { AccountPart } from './account-part.tsx'
import { SessionsPart } from './sessions-part.tsx'
import { ShortcutsPart } from './shortcuts-part.tsx'
import { TokensPart } from './tokens-part.tsx'
import { UsersPart } from './users-part.tsx'

const parts = [
  { name: 'account', label: 'Account', View: AccountPart, forAll: true },
  { name: 'sessions', label: 'Sessions', View: SessionsPart, forAll: true },
  { name: 'tokens', label: 'Tokens', View: TokensPart, forAll: true },
  { name: 'shortcuts', label: 'Keyboard', View: ShortcutsPart, forAll: true },
  { name: 'users', label: 'Users', View: UsersPart, forAll: false },
]

/** By the path, or by the query where the path says nothing. */
function usePart(): string {
  const [path] = useLocation()
  const [part] = useQueryState('part', 'account')
  return /^\/settings\/([a-z]+)/.exec(path)?.[1] ?? part
}

export default function SettingsView() {
  const { role } = useMe()
  const wanted = usePart()
  const shown = parts.filter(({ forAll }) => forAll || role === 'administrator')
  const part = shown.find(({ name }) => name === wanted) ?? shown[0]!
  const signOut = useSignOut()
  const nav = useRef<HTMLElement>(null)
  const { name: shownName } = part
  useEffect(() => {
    // On a narrow screen the row of parts scrolls: the chosen one is to be seen.
    const link = nav.current?.querySelector(`[data-part=${shownName}]`)
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shownName])
  return (
    <Page
      title="Settings"
      actions={
        <Button
          icon="signOut"
          onClick={() => void signOut().catch((error: unknown) => showToast(messageOf(error), { tone: 'bad' }))}
        >
          Sign out
        </Button>
      }
    >
      <div className="settings">
        <nav ref={nav} className="settings-nav" aria-label="Settings">
          <ul>
            {shown.map(({ name, label }) => (
              <li key={name}>
                <Link
                  data-part={name}
                  href={`/settings/${name}`}
                  aria-current={name === part.name ? 'page' : undefined}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="settings-part">
          <part.View />
        </div>
      </div>
    </Page>
  )
}
