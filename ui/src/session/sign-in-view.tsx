import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Redirect } from 'wouter'
import { api } from '../api/client.ts'
import type { SessionState, SetupState } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { useQueryState } from '../url/query-state.ts'
import { FormProblem } from './form-problem.tsx'
import { GatePage } from './gate-page.tsx'
import { useKeepMe, useSession } from './session.ts'

/** Only a path of these pages: the address may have been made by somebody else. */
function placeToGoOn(next: string): string {
  const url = URL.parse(next, location.origin)
  return url !== null && url.origin === location.origin && url.pathname !== '/sign-in'
    ? url.pathname + url.search
    : '/inbox'
}

export default function SignInView() {
  const [next] = useQueryState('next', '/inbox')
  const session = useSession()
  const setup = useQuery({ queryKey: ['setup'], queryFn: () => api.get<SetupState>('/setup') })
  const keepMe = useKeepMe()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => api.post<SessionState>('/session', { email: email.trim(), password }),
    onSuccess: keepMe,
    onError: () => setPassword(''),
  })

  if (session.data) return <Redirect to={placeToGoOn(next)} replace />
  if (setup.data?.needed === true) return <Redirect to="/setup" replace />

  function submit(event: FormEvent) {
    event.preventDefault()
    signIn.mutate()
  }

  return (
    <GatePage title="Sign in" lead="What changed on the pages you watch is waiting for you.">
      <form className="gate-form" onSubmit={submit}>
        <Field label="E-mail address">
          <Input
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label="Password">
          <Input
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <FormProblem error={signIn.error} />
        <Button type="submit" look="primary" disabled={signIn.isPending}>
          {signIn.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <p className="faint">No account yet? Ask whoever runs this service to add you.</p>
    </GatePage>
  )
}
