import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { Profile } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { classNames } from '../kit/class-names.ts'
import { ProfileMenu } from './profile-menu.tsx'

const MAX_TERMS = 6

function aboutOf({ sources, interests }: Profile): string {
  const { keywords, expression } = interests
  const more = keywords.length - MAX_TERMS
  const terms = keywords.slice(0, MAX_TERMS).map(({ key }) => key)
  const words = [...terms, ...(more > 0 ? [`${more} more`] : []), ...(expression === '' ? [] : [expression])]
  if (words.length > 0) return words.join(', ')
  return sources.every(({ process }) => process === 'archive') ? 'keeps quietly' : 'every change'
}

type Props = { profile: Profile; unread: number; isAt: boolean }

export function ProfileRow({ profile, unread, isAt }: Props) {
  const { id, name, paused, sources } = profile
  const path = encodeURIComponent(id)
  const link = useRef<HTMLAnchorElement>(null)
  const count = sources.length
  useEffect(() => {
    if (isAt) link.current?.focus({ preventScroll: true })
  }, [isAt])
  return (
    <div className={classNames('profiles-row', isAt && 'profiles-row-at', paused && 'profiles-row-paused')}>
      <div className="profiles-what">
        <p className="profiles-name">
          <Link ref={link} href={`/profiles/${path}`}>
            {name || 'Unnamed profile'}
          </Link>
          {paused && <Badge tone="warn">Paused</Badge>}
        </p>
        <p className="profiles-about" title={aboutOf(profile)}>
          {aboutOf(profile)}
        </p>
      </div>
      <Link className="profiles-count" href={`/watches?profile=${path}`}>
        <span className="numbers">{count.toLocaleString('en')}</span> {count === 1 ? 'watch' : 'watches'}
      </Link>
      <Link className="profiles-count" href={`/inbox?profile=${path}`}>
        {unread > 0 ? (
          <Badge tone="accent">{unread.toLocaleString('en')} unread</Badge>
        ) : (
          <span className="faint">none unread</span>
        )}
      </Link>
      <ProfileMenu profile={profile} isPaused={paused} />
    </div>
  )
}
