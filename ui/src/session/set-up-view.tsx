import { useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { SessionState, Setup, SetupState } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field, Form } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { FormError, GatePage } from './gate-page.tsx'
import { useKeepMe } from './session.ts'
import { setupKeyOf } from './setup-key.ts'
import { strings } from './strings.ts'

const MIN_PASSWORD = 8
const text = strings.setUp

export default function SetUpView() {
  const setup = useGet<SetupState>(['setup'], '/setup', {}, { staleTime: 0 })
  const [isDone, setDone] = useState(false)
  if (isDone) return <Redirect to="/welcome" replace />
  if (setup.isError) return <ErrorState query={setup} />
  if (setup.data === undefined) return <LoadingState />
  if (!setup.data.needed) return <Redirect to="/inbox" replace />
  return <SetUpForm onDone={() => setDone(true)} />
}

function SetUpForm({ onDone }: { onDone: () => void }) {
  // The key is in the fragment of the link, which browsers don't send: it appears in no request log.
  const [linkKey] = useState(() => setupKeyOf(location.hash))
  const [form, setForm] = useState<Required<Setup>>({ key: linkKey, email: '', password: '', name: '' })
  const [, navigate] = useLocation()
  const keepMe = useKeepMe()
  const set = (name: keyof Setup) => (value: string) => setForm((old) => ({ ...old, [name]: value }))
  const { name, email, key, ...rest } = form
  const body = { ...rest, key: setupKeyOf(key), email: email.trim(), ...(name !== '' && { name }) }
  const create = useChange([], () => api.post<SessionState>('/setup', body), {
    onSuccess: (session) => {
      keepMe(session)
      // The key is spent: remove it from the address bar and the history.
      navigate('/setup', { replace: true })
      onDone()
    },
  })

  return (
    <GatePage title={text.title} lead={text.lead}>
      <Form className="kit-form" onSubmit={create.mutate}>
        {linkKey === '' && (
          <Field label={text.key} hint={text.keyHint}>
            <Input name="key" required autoComplete="off" value={form.key} onChange={set('key')} />
          </Field>
        )}
        <Field label={strings.email}>
          <Input
            type="email"
            name="email"
            required
            autoComplete="username"
            value={form.email}
            onChange={set('email')}
          />
        </Field>
        <Field label={strings.password} hint={text.passwordHint(MIN_PASSWORD)}>
          <Input
            type="password"
            name="password"
            required
            minLength={MIN_PASSWORD}
            autoComplete="new-password"
            value={form.password}
            onChange={set('password')}
          />
        </Field>
        <Field label={text.name}>
          <Input name="name" maxLength={200} autoComplete="name" value={form.name} onChange={set('name')} />
        </Field>
        <FormError error={create.error} />
        <Button
          label={create.isPending ? text.creating : text.create}
          type="submit"
          variant="primary"
          disabled={create.isPending}
        />
      </Form>
    </GatePage>
  )
}
