import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { User, UserChanges, UserDraft } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, optionsOf, Select } from '../kit/input.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { fieldError, formError } from './form-errors.ts'
import { strings } from './strings.ts'

type Of = { user: User; onClose: () => void }
const MIN_PASSWORD = 8
const text = strings.users
const none = { email: '', name: '', password: '', role: 'user', level: 'silver' } as const

export const roleOptions = optionsOf(strings.roles)
export const levelOptions = optionsOf(strings.levels)

export function useChangeUser() {
  type Change = { id: number; changes: UserChanges }
  return useChange(['users'], ({ id, changes }: Change) => api.patch<User>(`/users/${id}`, changes), {
    onError: showError,
  })
}

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<Required<UserDraft>>(none)
  const put = (changes: Partial<UserDraft>) => setDraft((now) => ({ ...now, ...changes }))
  const body = { ...draft, email: draft.email.trim(), name: draft.name.trim() }
  const add = useChange(['users'], () => api.post<User>('/users', body), {
    onSuccess: ({ email }) => {
      showToast(text.added(email))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={text.add}
      confirm={text.add}
      variant="primary"
      disabled={add.isPending}
      error={formError(add.error, ['email', 'name', 'password'])}
      onConfirm={add.mutate}
      onClose={onClose}
    >
      <Field label={strings.email} error={fieldError(add.error, 'email')}>
        <Input type="email" required autoComplete="off" value={draft.email} onChange={(email) => put({ email })} />
      </Field>
      <Field label={strings.name} hint={text.nameHint} error={fieldError(add.error, 'name')}>
        <Input maxLength={200} autoComplete="off" value={draft.name} onChange={(name) => put({ name })} />
      </Field>
      <Field
        label={text.firstPassword}
        hint={strings.passwordHint(MIN_PASSWORD)}
        error={fieldError(add.error, 'password')}
      >
        <Input
          type="password"
          required
          minLength={MIN_PASSWORD}
          autoComplete="new-password"
          value={draft.password}
          onChange={(password) => put({ password })}
        />
      </Field>
      <Field label={text.role}>
        <Select value={draft.role} options={roleOptions} onChange={(role) => put({ role: role as User['role'] })} />
      </Field>
      <Field label={text.level}>
        <Select
          value={draft.level}
          options={levelOptions}
          onChange={(level) => put({ level: level as User['level'] })}
        />
      </Field>
    </ConfirmDialog>
  )
}

export function ResetPasswordDialog({ user, onClose }: Of) {
  const [password, setPassword] = useState('')
  const change = useChangeUser()
  function submit() {
    change.mutate(
      { id: user.id, changes: { password } },
      {
        onSuccess: () => {
          showToast(text.passwordSet(user.email))
          onClose()
        },
      },
    )
  }
  return (
    <ConfirmDialog
      title={text.passwordTitle(user.email)}
      confirm={text.passwordSubmit}
      variant="primary"
      disabled={password.length < MIN_PASSWORD || change.isPending}
      onConfirm={submit}
      onClose={onClose}
    >
      <p className="soft">{text.passwordBody(user.email)}</p>
      <Field
        label={strings.newPassword}
        hint={strings.passwordHint(MIN_PASSWORD)}
        error={fieldError(change.error, 'password')}
      >
        <Input type="password" autoComplete="new-password" value={password} onChange={setPassword} />
      </Field>
    </ConfirmDialog>
  )
}

export function RemoveUserDialog({ user, onClose }: Of) {
  const remove = useChange(['users'], () => api.delete(`/users/${user.id}`), {
    onSuccess: () => {
      showToast(text.removed(user.email))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={text.removeTitle(user.email)}
      confirm={text.removeConfirm(user.email)}
      disabled={remove.isPending}
      error={formError(remove.error)}
      onConfirm={remove.mutate}
      onClose={onClose}
    >
      <p>{text.removeBody}</p>
    </ConfirmDialog>
  )
}
