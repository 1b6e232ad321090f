import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api, messageOf } from '../api/client.ts'
import type { User, UserDraft } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog, Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { showToast } from '../kit/toast-store.ts'
import { faultOf, restOf } from './form-fault.ts'
import { useChangeUser } from './use-users.ts'

type Of = { user: User; onClose: () => void }
const MIN_PASSWORD = 8
const none = { email: '', name: '', password: '', role: 'user', level: 'silver' } as const

export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const formId = useId()
  const [draft, setDraft] = useState<Required<UserDraft>>(none)
  const put = (changes: Partial<UserDraft>) => setDraft((now) => ({ ...now, ...changes }))
  const add = useMutation({
    mutationFn: () => api.post<User>('/users', { ...draft, email: draft.email.trim(), name: draft.name.trim() }),
    onSuccess: ({ email }) => {
      showToast(`${email} can sign in now. Hand over the password by a safe way.`)
      void client.invalidateQueries({ queryKey: ['users'] })
      onClose()
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    add.mutate()
  }
  const rest = restOf(add.error, ['email', 'name', 'password'])
  return (
    <Dialog
      title="Add a user"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={add.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form id={formId} className="kit-form" onSubmit={submit}>
        <Field label="E-mail address" error={faultOf(add.error, 'email')}>
          <Input
            type="email"
            required
            autoComplete="off"
            value={draft.email}
            onChange={(event) => put({ email: event.target.value })}
          />
        </Field>
        <Field label="Name" hint="May be left empty" error={faultOf(add.error, 'name')}>
          <Input
            maxLength={200}
            autoComplete="off"
            value={draft.name}
            onChange={(event) => put({ name: event.target.value })}
          />
        </Field>
        <Field
          label="First password"
          hint={`At least ${MIN_PASSWORD} characters`}
          error={faultOf(add.error, 'password')}
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
        <Field label="Role">
          <Select
            value={draft.role}
            options={[
              { value: 'user', label: 'User' },
              { value: 'administrator', label: 'Administrator' },
            ]}
            onChange={(role) => put({ role: role as User['role'] })}
          />
        </Field>
        <Field label="Service level">
          <Select
            value={draft.level}
            options={['gold', 'silver', 'bronze'].map((value) => ({ value, label: value }))}
            onChange={(level) => put({ level: level as User['level'] })}
          />
        </Field>
        {rest !== undefined && (
          <p className="kit-field-error" role="alert">
            {rest}
          </p>
        )}
      </form>
    </Dialog>
  )
}

export function ResetPasswordDialog({ user, onClose }: Of) {
  const formId = useId()
  const [password, setPassword] = useState('')
  const change = useChangeUser()
  function submit(event: FormEvent) {
    event.preventDefault()
    change.mutate(
      { id: user.id, changes: { password } },
      {
        onSuccess: () => {
          showToast(`${user.email} has a new password; all sessions of it have ended.`)
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      title={`New password for ${user.email}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            look="primary"
            disabled={password.length < MIN_PASSWORD || change.isPending}
          >
            Set the password
          </Button>
        </>
      }
    >
      <form id={formId} className="kit-form" onSubmit={submit}>
        <p className="soft">All sessions of {user.email} end.</p>
        <Field
          label="New password"
          hint={`At least ${MIN_PASSWORD} characters`}
          error={faultOf(change.error, 'password')}
        >
          <Input
            type="password"
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}

export function RemoveUserDialog({ user, onClose }: Of) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.delete(`/users/${user.id}`),
    onSuccess: () => {
      showToast(`${user.email} is removed.`)
      void client.invalidateQueries({ queryKey: ['users'] })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${user.email}?`}
      confirm={`Remove ${user.email}`}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <p>
        The account goes, with its profiles, its watches, its inbox, its sessions and its tokens. This cannot be undone.
        To keep them, disable the account instead.
      </p>
      {remove.isError && (
        <p className="kit-field-error" role="alert">
          {messageOf(remove.error)}
        </p>
      )}
    </ConfirmDialog>
  )
}
