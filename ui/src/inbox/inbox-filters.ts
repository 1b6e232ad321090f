import { useMemo } from 'react'
import type { Annotation } from '../api/types.ts'
import { useQuery } from '../url/query-state.ts'

export const inboxStates = ['unread', 'all', 'starred', 'archived'] as const
export type InboxState = (typeof inboxStates)[number]
/** Filters in the API's format; an empty value does not filter. */
export type InboxFilters = { state: InboxState; profile: string; urgency: string; q: string }

function isState(value: string | null): value is InboxState {
  return inboxStates.some((state) => state === value)
}

/**
 * The filters in the URL; the same object while the URL is the same, so that it can be a query key. The state defaults to
 * `unread`, which may fall back to `all`.
 */
export function useInboxFilters(): { filters: InboxFilters; isDefaultState: boolean; openId: number | null } {
  const query = useQuery()
  const given = query.get('state')
  const state = isState(given) ? given : 'unread'
  const [profile = '', urgency = '', q = ''] = ['profile', 'urgency', 'q'].map((name) => query.get(name) ?? '')
  const filters = useMemo(() => ({ state, profile, urgency, q }), [state, profile, urgency, q])
  const id = Number(query.get('id'))
  return { filters, isDefaultState: !isState(given), openId: Number.isSafeInteger(id) && id > 0 ? id : null }
}

/** Whether an item belongs in the list; null when only the server can say. */
export function matches(filters: InboxFilters, item: Annotation): boolean | null {
  const { state, profile, urgency, q } = filters
  if (profile !== '' && item.profile.id !== profile) return false
  if (urgency !== '' && item.urgency < Number(urgency)) return false
  if (state === 'archived' ? !item.archived : item.archived) return false
  if (state === 'unread' && item.read) return false
  if (state === 'starred' && !item.starred) return false
  return q === '' ? true : null
}
