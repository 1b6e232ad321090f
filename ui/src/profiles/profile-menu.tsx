import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { api, messageOf } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { Menu } from '../kit/menu.tsx'
import { showToast } from '../kit/toast-store.ts'
import { didWithUndo } from '../undo/undo.ts'
import { DeleteProfile } from './delete-profile.tsx'
import { useProfilesChanged } from './use-save-profile.ts'

type Props = { profile: Profile; isPaused: boolean; onPaused?: (profile: Profile) => void }

/** What can be done to a whole profile, in the list and in the editor. */
export function ProfileMenu({ profile, isPaused, onPaused }: Props) {
  const changed = useProfilesChanged()
  const [isDeleting, setIsDeleting] = useState(false)
  const id = encodeURIComponent(profile.id)

  async function setPaused(paused: boolean) {
    // As it is now, not as it was when the page was opened.
    const { id: _, ...now } = await api.get<Profile>(`/profiles/${id}`)
    const stored = await api.put<Profile>(`/profiles/${id}`, { ...now, paused })
    changed()
    onPaused?.(stored)
  }
  function pause(paused: boolean) {
    setPaused(paused).then(
      () => didWithUndo(`“${profile.name}” ${paused ? 'paused' : 'resumed'}`, () => setPaused(!paused)),
      (error: unknown) => showToast(messageOf(error), { tone: 'bad' }),
    )
  }
  return (
    <>
      <Menu
        label={`Actions for ${profile.name}`}
        items={[
          { label: 'Edit', icon: 'edit', run: () => navigate(`/profiles/${id}`) },
          { label: 'Show its watches', icon: 'watches', run: () => navigate(`/watches?profile=${id}`) },
          { label: 'Show its inbox', icon: 'inbox', run: () => navigate(`/inbox?state=all&profile=${id}`) },
          { label: 'Duplicate', icon: 'copy', run: () => navigate(`/profiles/new?copy=${id}`) },
          isPaused
            ? { label: 'Resume', icon: 'play', run: () => pause(false) }
            : { label: 'Pause', icon: 'pause', run: () => pause(true) },
          { label: 'Delete…', icon: 'trash', danger: true, run: () => setIsDeleting(true) },
        ]}
      />
      {isDeleting && <DeleteProfile profile={profile} onClose={() => setIsDeleting(false)} />}
    </>
  )
}
