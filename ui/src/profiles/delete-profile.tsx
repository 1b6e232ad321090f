import { useMutation } from '@tanstack/react-query'
import { navigate } from 'wouter/use-browser-location'
import { api, messageOf } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useProfilesChanged } from './use-save-profile.ts'

export function DeleteProfile({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const changed = useProfilesChanged()
  const count = profile.sources.length
  const remove = useMutation({
    mutationFn: () => api.delete(`/profiles/${encodeURIComponent(profile.id)}`),
    onSuccess: () => {
      changed()
      onClose()
      showToast(`“${profile.name}” is deleted.`)
      navigate('/profiles')
    },
  })
  return (
    <ConfirmDialog
      title={`Delete “${profile.name}”?`}
      confirm={`Delete “${profile.name}”`}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <p>
        The profile and its {count === 1 ? 'watch go' : `${count} watches go`}: nothing of it is checked any more. What
        reached the inbox stays. This cannot be undone.
      </p>
      {remove.isError && (
        <p className="kit-field-error" role="alert">
          {messageOf(remove.error)}
        </p>
      )}
    </ConfirmDialog>
  )
}
