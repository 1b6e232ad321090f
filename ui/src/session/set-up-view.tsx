import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import type { SessionState, Setup, SetupState } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { FormProblem } from './form-problem.tsx'
import { GatePage } from './gate-page.tsx'
import { useKeepMe } from './session.ts'

const MIN_PASSWORD = 8

/** The key stands behind the # of the link, so that it is in no log of requests. */
function keyOfLink(): string {
  return decodeURIComponent(location.hash.slice(1))
}

export default function SetUpView() {
  const setup = useQuery({ queryKey: ['setup'], queryFn: () => api.get<SetupState>('/setup'), staleTime: 0 })
  const [isDone, setDone] = useState(false)
  if (isDone) return <Redirect to="/welcome" replace />
  if (setup.isError) return <ErrorState error={setup.error} onRetry={() => void setup.refetch()} />
  if (setup.data === undefined) return <LoadingState />
  if (!setup.data.needed) return <Redirect to="/inbox" replace />
  return <SetUpForm onDone={() => setDone(true)} />
}

function SetUpForm({ onDone }: { onDone: () => void }) {
  const [linkKey] = useState(keyOfLink)
  const [form, setForm] = useState<Required<Setup>>({ key: linkKey, email: '', password: '', name: '' })
  const [, navigate] = useLocation()
  const keepMe = useKeepMe()
  const set = (name: keyof Setup) => (event: { target: { value: string } }) =>
    setForm((old) => ({ ...old, [name]: event.target.value }))
  const create = useMutation({
    mutationFn: () => {
      const { name, ...rest } = form
      return api.post<SessionState>('/setup', { ...rest, email: form.email.trim(), ...(name !== '' && { name }) })
    },
    onSuccess: (session) => {
      keepMe(session)
      // The key has served: it leaves the address bar and the history.
      navigate('/setup', { replace: true })
      onDone()
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    create.mutate()
  }

  return (
    <GatePage title="Welcome" lead="Create the first account. It runs this service and can add others later.">
      <form className="gate-form" onSubmit={submit}>
        {linkKey === '' && (
          <Field label="Set-up key" hint="It stands at the end of the link that was printed at the first start.">
            <Input name="key" required autoComplete="off" value={form.key} onChange={set('key')} />
          </Field>
        )}
        <Field label="E-mail address">
          <Input
            type="email"
            name="email"
            required
            autoComplete="username"
            value={form.email}
            onChange={set('email')}
          />
        </Field>
        <Field label="Password" hint={`At least ${MIN_PASSWORD} characters; a few words make a good one.`}>
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
        <Field label="Your name (optional)">
          <Input name="name" maxLength={200} autoComplete="name" value={form.name} onChange={set('name')} />
        </Field>
        <FormProblem error={create.error} />
        <Button type="submit" look="primary" disabled={create.isPending}>
          {create.isPending ? 'Creating the account…' : 'Create the account'}
        </Button>
      </form>
    </GatePage>
  )
}
