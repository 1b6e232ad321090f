import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { User, UserChanges, UserDraft } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { FormDialog, FormError, fieldError } from './form.tsx'
import { strings } from './strings.ts'

type Of = { user: User; onClose: () => void }
const MIN_PASSWORD = 8
const text = strings.users
const none = { email: '', name: '', password: '', role: 'user', level: 'silver' } as const

const optionsOf = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
export const roleOptions = optionsOf(strings.roles)
export const levelOptions = optionsOf(strings.levels)

export function useChangeUser() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, changes }: { id: number; changes: UserChanges }) => api.patch<User>(`/users/${id}`, changes),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['users'] }),
    onError: showError,
  })
}

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [draft, setDraft] = useState<Required<UserDraft>>(none)
  const put = (changes: Partial<UserDraft>) => setDraft((now) => ({ ...now, ...changes }))
  const add = useMutation({
    mutationFn: () => api.post<User>('/users', { ...draft, email: draft.email.trim(), name: draft.name.trim() }),
    onSuccess: ({ email }) => {
      showToast(text.added(email))
      void client.invalidateQueries({ queryKey: ['users'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={text.add}
      submit={text.add}
      disabled={add.isPending}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <Field label={strings.email} error={fieldError(add.error, 'email')}>
        <Input
          type="email"
          required
          autoComplete="off"
          value={draft.email}
          onChange={(event) => put({ email: event.target.value })}
        />
      </Field>
      <Field label={strings.name} hint={text.nameHint} error={fieldError(add.error, 'name')}>
        <Input
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => put({ name: event.target.value })}
        />
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
          onChange={(event) => put({ password: event.target.value })}
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
      <FormError error={add.error} fields={['email', 'name', 'password']} />
    </FormDialog>
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
    <FormDialog
      title={text.passwordTitle(user.email)}
      submit={text.passwordSubmit}
      disabled={password.length < MIN_PASSWORD || change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="soft">{text.passwordBody(user.email)}</p>
      <Field
        label={strings.newPassword}
        hint={strings.passwordHint(MIN_PASSWORD)}
        error={fieldError(change.error, 'password')}
      >
        <Input
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
    </FormDialog>
  )
}

export function RemoveUserDialog({ user, onClose }: Of) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.delete(`/users/${user.id}`),
    onSuccess: () => {
      showToast(text.removed(user.email))
      void client.invalidateQueries({ queryKey: ['users'] })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={text.removeTitle(user.email)}
      confirm={text.removeConfirm(user.email)}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <p>{text.removeBody}</p>
      <FormError error={remove.error} />
    </ConfirmDialog>
  )
}
