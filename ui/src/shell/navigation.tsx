import { Link, useRoute } from 'wouter'
import { messageOf } from '../api/client.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { Logo } from '../kit/logo.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useCounts, useMe, useSignOut } from '../session/session.ts'

type Place = { href: string; label: string; icon: IconName; keys: string }

const places: readonly Place[] = [
  { href: '/inbox', label: 'Inbox', icon: 'inbox', keys: 'g i' },
  { href: '/watches', label: 'Watches', icon: 'watches', keys: 'g w' },
  { href: '/profiles', label: 'Profiles', icon: 'profiles', keys: 'g p' },
  { href: '/search', label: 'Search', icon: 'search', keys: '/' },
  { href: '/activity', label: 'Activity', icon: 'activity', keys: 'g a' },
  { href: '/settings', label: 'Settings', icon: 'settings', keys: 'g s' },
]

type Count = { text: string; said: string; bad: boolean }
const MAX_SHOWN = 999

function countOf(href: string, unread: number, failing: number): Count | undefined {
  const n = href === '/inbox' ? unread : href === '/watches' ? failing : 0
  if (n === 0) return undefined
  const text = n > MAX_SHOWN ? `${MAX_SHOWN}+` : String(n)
  return href === '/inbox' ? { text, said: `${n} unread`, bad: false } : { text, said: `${n} failing`, bad: true }
}

function PlaceLink({ place, count }: { place: Place; count: Count | undefined }) {
  const [isHere] = useRoute(`${place.href}/*?`)
  return (
    <li>
      <Link
        href={place.href}
        className="shell-place"
        aria-current={isHere ? 'page' : undefined}
        title={`${place.label} (${place.keys})`}
      >
        <Icon name={place.icon} />
        <span className="shell-place-label">{place.label}</span>
        {count !== undefined && (
          <span className={count.bad ? 'shell-count shell-count-bad' : 'shell-count'} title={count.said}>
            {count.bad && <Icon name="warning" size={12} />}
            <span aria-hidden="true">{count.text}</span>
            <span className="only-heard">{count.said}</span>
          </span>
        )}
      </Link>
    </li>
  )
}

export function Navigation({ onHelp }: { onHelp: () => void }) {
  const { data: counts } = useCounts()
  const me = useMe()
  const signOut = useSignOut()
  return (
    <nav className="shell-nav" aria-label="Main">
      <Link href="/inbox" className="shell-brand" aria-label="eRACE, to the inbox">
        <Logo />
        <span>eRACE</span>
      </Link>
      <ul className="shell-places">
        {places.map((place) => (
          <PlaceLink
            key={place.href}
            place={place}
            count={countOf(place.href, counts?.unread ?? 0, counts?.failing ?? 0)}
          />
        ))}
      </ul>
      <div className="shell-foot">
        <span className="shell-me" title={me.email}>
          {me.name === '' ? me.email : me.name}
        </span>
        <IconButton
          icon="signOut"
          label="Sign out"
          tip="end"
          onClick={() => void signOut().catch((error) => showToast(messageOf(error), { tone: 'bad' }))}
        />
        <IconButton icon="keyboard" label="Keyboard shortcuts" shortcut="?" tip="end" onClick={onHelp} />
      </div>
    </nav>
  )
}
