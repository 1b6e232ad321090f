import './settings.css'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { NotificationsPart } from '../notifications/notifications-part.tsx'
import { signOut, useMe } from '../session/session.ts'
import { useQueryState } from '../url/query-state.ts'
import { AccountPart } from './account-part.tsx'
import { AppearancePart } from './appearance-part.tsx'
import { CredentialsPart } from './credentials-part.tsx'
import { QuickAddPart } from './quick-add-part.tsx'
import { SessionsPart } from './sessions-part.tsx'
import { ShortcutsPart } from './shortcuts-part.tsx'
import { strings } from './strings.ts'
import { TokensPart } from './tokens-part.tsx'
import { UsersPart } from './users-part.tsx'

const parts = [
  { name: 'account', View: AccountPart, forAll: true },
  { name: 'notifications', View: NotificationsPart, forAll: true },
  { name: 'appearance', View: AppearancePart, forAll: true },
  { name: 'shortcuts', View: ShortcutsPart, forAll: true },
  { name: 'quickadd', View: QuickAddPart, forAll: true },
  { name: 'credentials', View: CredentialsPart, forAll: true },
  { name: 'sessions', View: SessionsPart, forAll: true },
  { name: 'tokens', View: TokensPart, forAll: true },
  { name: 'users', View: UsersPart, forAll: false },
] as const

/** The part of the settings to show: from the path, else from the query. */
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
  const nav = useRef<HTMLElement>(null)
  const { name: shownName } = part
  useEffect(() => {
    // On a narrow screen the tabs scroll: bring the current one into view.
    const link = nav.current?.querySelector(`[data-part=${shownName}]`)
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shownName])
  return (
    <Page
      title={strings.title}
      actions={<Button label={strings.signOut} icon="signOut" onClick={() => void signOut()} />}
    >
      <div className="kit-form settings">
        <nav ref={nav} className="settings-nav" aria-label={strings.title}>
          <ul>
            {shown.map(({ name }) => (
              <li key={name}>
                <Link
                  data-part={name}
                  href={`/settings/${name}`}
                  aria-current={name === part.name ? 'page' : undefined}
                >
                  {strings.parts[name]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="kit-form settings-part">
          <part.View />
        </div>
      </div>
    </Page>
  )
}
