import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Me, MeChanges } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field, FieldError, Form } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { strings as shared } from '../kit/strings.ts'
import { showToast } from '../kit/toast.tsx'
import { useKeepMe, useMe } from '../session/session.ts'
import { useNow } from '../time/relative-time.tsx'
import { exactTime } from '../time/zone.ts'
import { browserZone, isZone, ZoneInput } from '../time/zone-input.tsx'
import { fieldError, formError } from './form-errors.ts'
import { strings } from './strings.ts'

const MIN_PASSWORD = 8

export function AccountPart() {
  return (
    <>
      <AboutForm />
      <PasswordForm />
    </>
  )
}

function AboutForm() {
  const text = strings.account
  const me = useMe()
  const keepMe = useKeepMe()
  const now = useNow()
  const [name, setName] = useState(me.name)
  const [timeZone, setTimeZone] = useState(me.timeZone)
  const save = useChange([], (changes: MeChanges) => api.patch<Me>('/me', changes), {
    onSuccess: (user) => {
      keepMe({ user, via: 'session' })
      showToast(text.saved)
    },
  })
  const isKnown = timeZone === '' || isZone(timeZone)
  const isDirty = name !== me.name || timeZone !== me.timeZone
  const submit = () => {
    if (isKnown) save.mutate({ name: name.trim(), timeZone })
  }
  const zoneError = isKnown ? undefined : text.unknownZone
  return (
    <Form className="kit-card kit-form" onSubmit={submit}>
      <h2>{text.title}</h2>
      <p className="soft">
        {text.signedInAs} <strong>{me.email}</strong>{' '}
        {text.roleAndLevel(strings.roles[me.role], strings.levels[me.level])}
      </p>
      <Field label={strings.name} error={fieldError(save.error, 'name')}>
        <Input autoComplete="name" maxLength={200} value={name} onChange={setName} />
      </Field>
      <Field
        label={text.timeZone}
        hint={text.timeZoneHint(browserZone(), exactTime(new Date(now).toISOString()))}
        error={zoneError ?? fieldError(save.error, 'timeZone')}
      >
        <ZoneInput placeholder={browserZone()} value={timeZone} onChange={setTimeZone} />
      </Field>
      <FieldError text={formError(save.error, ['name', 'timeZone'])} />
      <div>
        <Button
          label={save.isPending ? shared.saving : shared.save}
          type="submit"
          variant="primary"
          disabled={!isDirty || save.isPending}
        />
      </div>
    </Form>
  )
}

function PasswordForm() {
  const text = strings.password
  const me = useMe()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useChange(['sessions'], () => api.post('/me/password', { current, password }), {
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      showToast(text.changed)
    },
  })
  return (
    <Form className="kit-card kit-form" onSubmit={change.mutate}>
      <h2>{text.title}</h2>
      <input type="hidden" name="username" autoComplete="username" value={me.email} readOnly />
      <Field label={text.current} error={fieldError(change.error, 'current') && text.wrong}>
        <Input type="password" autoComplete="current-password" required value={current} onChange={setCurrent} />
      </Field>
      <Field label={strings.newPassword} hint={text.hint(MIN_PASSWORD)} error={fieldError(change.error, 'password')}>
        <Input
          type="password"
          autoComplete="new-password"
          required
          minLength={MIN_PASSWORD}
          maxLength={1000}
          value={password}
          onChange={setPassword}
        />
      </Field>
      <FieldError text={formError(change.error, ['current', 'password'])} />
      <div>
        <Button
          label={change.isPending ? text.changing : text.change}
          type="submit"
          disabled={current === '' || password.length < MIN_PASSWORD || change.isPending}
        />
      </div>
    </Form>
  )
}
