import type { Source } from '../api/types.ts'
import type { BadgeTone } from '../kit/badge.tsx'
import type { IconName } from '../kit/icon.tsx'

export type WatchState = Source['state']
type Shown = { word: string; icon: IconName; tone: BadgeTone }

const shown: Record<WatchState, Shown> = {
  paused: { word: 'Paused', icon: 'pause', tone: 'plain' },
  checking: { word: 'Checking', icon: 'refresh', tone: 'accent' },
  queued: { word: 'Queued', icon: 'clock', tone: 'accent' },
  'not-yet': { word: 'Not checked yet', icon: 'clock', tone: 'plain' },
  'blocked-by-robots': { word: 'Blocked by robots', icon: 'warning', tone: 'danger' },
  'blocked-by-site': { word: 'Blocked by the site', icon: 'warning', tone: 'danger' },
  'sign-in-failed': { word: 'Sign-in failed', icon: 'warning', tone: 'danger' },
  'not-found': { word: 'Not found', icon: 'warning', tone: 'danger' },
  failing: { word: 'Failing', icon: 'warning', tone: 'danger' },
  refused: { word: 'Address refused', icon: 'warning', tone: 'danger' },
  unsupported: { word: 'Not readable', icon: 'warning', tone: 'danger' },
  'nothing-matched': { word: 'Nothing matched', icon: 'filter', tone: 'warn' },
  empty: { word: 'Filtered to empty', icon: 'filter', tone: 'warn' },
  changed: { word: 'Changed', icon: 'diff', tone: 'good' },
  unchanged: { word: 'Unchanged', icon: 'check', tone: 'plain' },
}

/** A state that a newer server knows is shown by its name. */
export function shownState(state: WatchState): Shown {
  return shown[state] ?? { word: state, icon: 'info', tone: 'plain' }
}

/** While these hold, more is about to come. */
export function isUnderWay(state: WatchState): boolean {
  return state === 'queued' || state === 'checking'
}

export function nameOfWatch({ title, uri }: Pick<Source, 'title' | 'uri'>): string {
  return title === '' ? bareAddress(uri) : title
}

/** Without what is the same for all of them. */
export function bareAddress(uri: string): string {
  return uri.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

const scopes: Record<string, string> = {
  page: 'but no other page',
  path: 'below the same path',
  host: 'on the same host',
  domain: 'on the same domain',
}

export function reachOf({ depth, scope }: Pick<Source, 'depth' | 'scope'>): string {
  if (depth === 0) return 'this page alone'
  const where = scopes[scope] ?? `where the address matches ${scope}`
  return `${depth} ${depth === 1 ? 'link' : 'links'} deep, ${where}`
}
