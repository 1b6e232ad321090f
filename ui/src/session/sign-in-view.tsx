import { useEffect, useState } from 'react'
import { Redirect } from 'wouter'
import { api } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { SessionState, SetupState } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field, Form } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { useQueryState } from '../url/query-state.ts'
import { FormError, GatePage } from './gate-page.tsx'
import { useKeepMe, useSession } from './session.ts'
import { strings } from './strings.ts'

const text = strings.signIn

/** Only a path on this site: someone else may have written the link. */
function pathAfterSignIn(next: string): string {
  const url = URL.parse(next, location.origin)
  return url !== null && url.origin === location.origin && url.pathname !== '/sign-in'
    ? url.pathname + url.search
    : '/inbox'
}

/** Loads a replayed page (`/web/…`), which the server serves: it is not a view of this app. */
function Leaving({ path }: { path: string }) {
  useEffect(() => location.replace(path), [path])
  return null
}

export default function SignInView() {
  const [next] = useQueryState('next', '/inbox')
  const session = useSession()
  const setup = useGet<SetupState>(['setup'], '/setup')
  const keepMe = useKeepMe()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useChange([], () => api.post<SessionState>('/session', { email: email.trim(), password }), {
    onSuccess: keepMe,
    onError: () => setPassword(''),
  })

  if (session.data) {
    const path = pathAfterSignIn(next)
    return path.startsWith('/web/') ? <Leaving path={path} /> : <Redirect to={path} replace />
  }
  if (setup.data?.needed === true) return <Redirect to="/setup" replace />

  return (
    <GatePage title={text.title} lead={text.lead}>
      <Form className="kit-form" onSubmit={signIn.mutate}>
        <Field label={strings.email}>
          <Input type="email" name="email" autoComplete="username" required value={email} onChange={setEmail} />
        </Field>
        <Field label={strings.password}>
          <Input
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={setPassword}
          />
        </Field>
        <FormError error={signIn.error} />
        <Button
          label={signIn.isPending ? text.submitting : text.submit}
          type="submit"
          variant="primary"
          disabled={signIn.isPending}
        />
      </Form>
      <p className="faint">{text.noAccount}</p>
    </GatePage>
  )
}
