import { api, type List } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { Channel, ChannelKind, Profile } from '../api/types.ts'
import { showToast } from '../kit/toast.tsx'
import { strings } from './strings.ts'

const SOON_MS = 10_000
const USUAL_MS = 60_000

export function useChannels() {
  return useGet<List<Channel>>(['channels'], '/channels', {}, { refetchAfter: lookAgainAfter })
}

/** For the list of channels, which is refreshed more often. */
export function useWatchedChannels() {
  return useGet<List<Channel>>(['channels'], '/channels', {}, { refetchAfter: () => SOON_MS })
}

/** Events report when a channel begins to fail or to work, but not what it sent, and some may be missed: poll as well. */
function lookAgainAfter(channels: List<Channel> | undefined): number | false {
  if (channels === undefined || channels.items.length === 0) return false
  const soon = Date.now() + USUAL_MS
  const isBusy = ({ state, failures, nextAt }: Channel): boolean =>
    state !== 'off' && (failures > 0 || (nextAt !== null && Date.parse(nextAt) < soon))
  return channels.items.some(isBusy) ? SOON_MS : USUAL_MS
}

export function useKinds() {
  return useGet<List<ChannelKind>>(['channel-kinds'], '/channel-kinds', {}, { staleTime: Number.POSITIVE_INFINITY })
}

/** Turns a channel on or off; turning on a failing one retries it at once. */
export function useTurn({ id, name, state: before }: Channel, onDone?: () => void, onError?: (error: Error) => void) {
  const text = strings.channels
  return useChange(
    ['channels', 'deliveries'],
    (state: 'active' | 'off') => api.patch<Channel>(`/channels/${encodeURIComponent(id)}`, { state }),
    {
      onSuccess: (_, state) => {
        const isRetried = before !== 'off' && state === 'active'
        showToast(isRetried ? text.retried(name) : text.didTurn(name, state === 'active'))
        onDone?.()
      },
      ...(onError !== undefined && { onError }),
    },
  )
}

const MAX_NAMES = 200

/** Profiles by name, enough to choose from and to show which ones use a channel. */
export function useProfiles(): readonly Profile[] | undefined {
  return useGet<List<Profile>>(['profiles', 'names'], '/profiles', { limit: MAX_NAMES }).data?.items
}

/** The profiles that use a channel: up to `room` names, and the number of others. */
export function useUsers({ profiles: ids }: Channel, room: number) {
  const profiles = useProfiles()
  const known = new Map(profiles?.map(({ id, name }) => [id, name]) ?? [])
  const named = ids.flatMap((id) => (known.has(id) ? [{ id, name: known.get(id)! }] : [])).slice(0, room)
  return { named, more: profiles === undefined ? 0 : ids.length - named.length }
}

/** A feed is pulled by its readers. It covers a profile or the whole inbox, so profiles can't select it as a channel. */
export function isFeed({ feedUrls }: Channel): boolean {
  return feedUrls !== undefined
}
