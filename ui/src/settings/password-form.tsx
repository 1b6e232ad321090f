import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useMe } from '../session/session.ts'
import { faultOf, restOf } from './form-fault.ts'

const MIN_LENGTH = 8

export function PasswordForm() {
  const me = useMe()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => api.post('/me/password', { current, password }),
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      void client.invalidateQueries({ queryKey: ['sessions'] })
      showToast('The password is changed. All other sessions have ended.')
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    change.mutate()
  }
  const rest = restOf(change.error, ['current', 'password'])
  return (
    <form className="kit-card kit-form" onSubmit={submit}>
      <h2>Password</h2>
      <input type="hidden" name="username" autoComplete="username" value={me.email} readOnly />
      <Field label="Current password" error={faultOf(change.error, 'current') && 'This is not the current password.'}>
        <Input
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      </Field>
      <Field
        label="New password"
        hint={`At least ${MIN_LENGTH} characters. All other sessions end.`}
        error={faultOf(change.error, 'password')}
      >
        <Input
          type="password"
          autoComplete="new-password"
          required
          minLength={MIN_LENGTH}
          maxLength={1000}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {rest !== undefined && (
        <p className="kit-field-error" role="alert">
          {rest}
        </p>
      )}
      <div>
        <Button type="submit" disabled={current === '' || password.length < MIN_LENGTH || change.isPending}>
          {change.isPending ? 'Changing…' : 'Change password'}
        </Button>
      </div>
    </form>
  )
}
