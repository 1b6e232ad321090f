import { navigate } from 'wouter/use-browser-location'
import type { Source } from '../api/types.ts'
import type { MenuItem } from '../kit/menu.tsx'
import type { WatchActions } from './use-watch-actions.ts'

type Deps = { actions: WatchActions; onOpen: (id: number) => void; onRemove: (source: Source) => void }

export function watchMenu(source: Source, { actions, onOpen, onRemove }: Deps): MenuItem[] {
  const { id, paused, muted, document, profile } = source
  const target = { kind: 'ids' as const, ids: [id] }
  const profileId = encodeURIComponent(profile.id)
  return [
    { label: 'Show details', icon: 'info', shortcut: 'Enter', run: () => onOpen(id) },
    { label: 'Check now', icon: 'refresh', shortcut: 'c', disabled: paused, run: () => actions.check(target) },
    paused
      ? { label: 'Resume checking', icon: 'play', shortcut: 'p', run: () => actions.mark(target, 'paused', false) }
      : { label: 'Pause checking', icon: 'pause', shortcut: 'p', run: () => actions.mark(target, 'paused', true) },
    muted
      ? {
          label: 'Unmute: tell me again',
          icon: 'unmute',
          shortcut: 'm',
          run: () => actions.mark(target, 'muted', false),
        }
      : {
          label: 'Mute: check, but tell nothing',
          icon: 'mute',
          shortcut: 'm',
          run: () => actions.mark(target, 'muted', true),
        },
    {
      label: 'Open document',
      icon: 'cached',
      disabled: document === null,
      run: () => navigate(`/documents/${document}`),
    },
    { label: 'Open inbox of it', icon: 'inbox', run: () => navigate(`/inbox?state=all&profile=${profileId}`) },
    { label: 'Edit profile', icon: 'edit', run: () => navigate(`/profiles/${profileId}`) },
    { label: 'Remove…', icon: 'trash', shortcut: '#', danger: true, run: () => onRemove(source) },
  ]
}
