import type { Source } from '../api/types.ts'
import type { BadgeTone } from '../kit/badge.tsx'
import { classNames } from '../kit/class-names.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { RelativeTime, useNow } from '../time/relative-time.tsx'
import { strings } from './strings.ts'

export type WatchState = Source['state']

const looks: Record<WatchState, [IconName, BadgeTone]> = {
  paused: ['pause', 'plain'],
  checking: ['refresh', 'accent'],
  queued: ['clock', 'accent'],
  'not-yet': ['clock', 'plain'],
  'blocked-by-robots': ['warning', 'danger'],
  'blocked-by-site': ['warning', 'danger'],
  'sign-in-failed': ['warning', 'danger'],
  'not-found': ['warning', 'danger'],
  failing: ['warning', 'danger'],
  refused: ['warning', 'danger'],
  unsupported: ['warning', 'danger'],
  'nothing-selected': ['warning', 'danger'],
  blind: ['warning', 'warn'],
  'too-expensive': ['warning', 'danger'],
  'nothing-matched': ['filter', 'warn'],
  empty: ['filter', 'warn'],
  changed: ['diff', 'good'],
  unchanged: ['check', 'plain'],
}

/** Icon and word together: neither the colour nor the icon carries the meaning alone. */
export function StateMark({ state }: { state: WatchState }) {
  // A newer server may send a state that these pages don't know: show its name.
  const isKnown = Object.hasOwn(looks, state)
  const [icon, tone] = isKnown ? looks[state] : (['info', 'plain'] as const)
  return (
    <span className={classNames('small watches-mark', `tone-${tone}`, state === 'checking' && 'watches-mark-busy')}>
      <Icon name={icon} size={16} />
      <span>{isKnown ? strings.states[state] : state}</span>
    </span>
  )
}

/** A time in the past means that the check is due. */
export function NextCheck({ at }: { at: string | null }) {
  const now = useNow()
  if (at !== null && Date.parse(at) <= now) return <span>{strings.dueNow}</span>
  return <RelativeTime at={at} fallback={strings.noNextCheck} />
}

/** Whether another state follows soon. */
export function isInProgress(state: WatchState): boolean {
  return state === 'queued' || state === 'checking'
}

export function nameOfWatch({ title, uri }: Pick<Source, 'title' | 'uri'>): string {
  return title === '' ? bareAddress(uri) : title
}

/** The address without scheme and trailing slash. */
export function bareAddress(uri: string): string {
  return uri.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

export function scopeText({ depth, scope }: Pick<Source, 'depth' | 'scope'>): string {
  const { thisPage, scopes, pattern, depth: deep } = strings.drawer
  if (depth === 0 || scope === 'page') return thisPage
  return deep(depth, Object.hasOwn(scopes, scope) ? scopes[scope]! : pattern(scope))
}

/** Link to the view in which a part of the source's page is chosen for this profile. */
export function partHref({ profile, uri }: Pick<Source, 'profile' | 'uri'>, document: number): string {
  return `/documents/${document}?${new URLSearchParams({ tab: 'part', profile: profile.id, source: uri })}`
}
