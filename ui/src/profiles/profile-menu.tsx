import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { api, messageOf } from '../api/client.ts'
import { useChange, useRefresh } from '../api/queries.ts'
import type { Profile } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Menu } from '../kit/menu.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { didWithUndo } from '../undo/undo.ts'
import { strings } from './strings.ts'
import { profileNames } from './use-save-profile.ts'

const text = strings.menu
type Props = { profile: Profile; isPaused: boolean; onPaused?: (profile: Profile) => void }

/** Actions on a whole profile, in the list and in the editor. */
export function ProfileMenu({ profile, isPaused, onPaused }: Props) {
  const refresh = useRefresh()
  const [isDeleting, setIsDeleting] = useState(false)
  const id = encodeURIComponent(profile.id)

  async function setPaused(paused: boolean) {
    // The current state, not the one when the page was opened.
    const { id: _, ...now } = await api.get<Profile>(`/profiles/${id}`)
    const stored = await api.put<Profile>(`/profiles/${id}`, { ...now, paused })
    refresh(...profileNames)
    onPaused?.(stored)
  }
  function pause(paused: boolean) {
    setPaused(paused).then(() => didWithUndo(text.didPause(profile.name, paused), () => setPaused(!paused)), showError)
  }
  return (
    <>
      <Menu
        label={text.label(profile.name)}
        items={[
          { label: text.edit, icon: 'edit', run: () => navigate(`/profiles/${id}`) },
          { label: text.watches, icon: 'watches', run: () => navigate(`/watches?profile=${id}`) },
          { label: text.inbox, icon: 'inbox', run: () => navigate(`/inbox?state=all&profile=${id}`) },
          { label: text.duplicate, icon: 'copy', run: () => navigate(`/profiles/new?copy=${id}`) },
          isPaused
            ? { label: text.resume, icon: 'play', run: () => pause(false) }
            : { label: text.pause, icon: 'pause', run: () => pause(true) },
          { label: text.delete, icon: 'trash', danger: true, run: () => setIsDeleting(true) },
        ]}
      />
      {isDeleting && <DeleteProfile profile={profile} onClose={() => setIsDeleting(false)} />}
    </>
  )
}

function DeleteProfile({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const remove = useChange(profileNames, () => api.delete(`/profiles/${encodeURIComponent(profile.id)}`), {
    onSuccess: () => {
      onClose()
      showToast(strings.deletion.deleted(profile.name))
      navigate('/profiles')
    },
  })
  return (
    <ConfirmDialog
      title={strings.deletion.title(profile.name)}
      confirm={strings.deletion.confirm(profile.name)}
      disabled={remove.isPending}
      error={remove.isError && messageOf(remove.error)}
      onConfirm={remove.mutate}
      onClose={onClose}
    >
      <p>{strings.deletion.body(profile.sources.length)}</p>
    </ConfirmDialog>
  )
}
