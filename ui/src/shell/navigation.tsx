import { Link, useRoute } from 'wouter'
import { IconButton } from '../kit/button.tsx'
import { Icon, type IconName, Logo } from '../kit/icon.tsx'
import { signOut, useCounts, useMe } from '../session/session.ts'
import { strings } from './strings.ts'

type Destination = { href: string; label: string; icon: IconName; keys: string }

const destinations: readonly Destination[] = [
  { href: '/inbox', label: strings.views.inbox, icon: 'inbox', keys: 'g i' },
  { href: '/watches', label: strings.views.watches, icon: 'watches', keys: 'g w' },
  { href: '/profiles', label: strings.views.profiles, icon: 'profiles', keys: 'g p' },
  { href: '/search', label: strings.views.search, icon: 'search', keys: '/' },
  { href: '/activity', label: strings.views.activity, icon: 'activity', keys: 'g a' },
  { href: '/settings', label: strings.views.settings, icon: 'settings', keys: 'g s' },
]

type Count = { text: string; label: string; bad: boolean }
const MAX_SHOWN = 999

function countOf(href: string, unread: number, failing: number): Count | undefined {
  const n = href === '/inbox' ? unread : href === '/watches' ? failing : 0
  if (n === 0) return undefined
  const text = n > MAX_SHOWN ? `${MAX_SHOWN}+` : String(n)
  if (href === '/inbox') return { text, label: strings.unread(n), bad: false }
  return { text, label: strings.failing(n), bad: true }
}

function DestinationLink({ destination, count }: { destination: Destination; count: Count | undefined }) {
  const [isHere] = useRoute(`${destination.href}/*?`)
  return (
    <li>
      <Link
        href={destination.href}
        className="plain-link shell-link"
        aria-current={isHere ? 'page' : undefined}
        title={strings.withKeys(destination.label, destination.keys)}
      >
        <Icon name={destination.icon} />
        <span className="ellipsis shell-link-label">{destination.label}</span>
        {count !== undefined && (
          <span className={count.bad ? 'shell-count tone-danger' : 'shell-count'} title={count.label}>
            {count.bad && <Icon name="warning" size={12} />}
            <span aria-hidden="true">{count.text}</span>
            <span className="visually-hidden">{count.label}</span>
          </span>
        )}
      </Link>
    </li>
  )
}

export function Navigation({ onHelp }: { onHelp: () => void }) {
  const { data: counts } = useCounts()
  const me = useMe()
  return (
    <nav className="shell-nav" aria-label={strings.mainNavigation}>
      <Link href="/inbox" className="plain-link shell-brand" aria-label={strings.brandLink}>
        <Logo />
        <span>{strings.brand}</span>
      </Link>
      <ul className="shell-links">
        {destinations.map((destination) => (
          <DestinationLink
            key={destination.href}
            destination={destination}
            count={countOf(destination.href, counts?.pages.unread ?? 0, counts?.failing ?? 0)}
          />
        ))}
      </ul>
      <div className="shell-foot">
        <span className="soft small ellipsis shell-me" title={me.email}>
          {me.name === '' ? me.email : me.name}
        </span>
        <IconButton icon="signOut" label={strings.signOut} tip="end" onClick={() => void signOut()} />
        <IconButton icon="keyboard" label={strings.keys.title} shortcut="?" tip="end" onClick={onHelp} />
      </div>
    </nav>
  )
}
