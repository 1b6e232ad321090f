import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { Me, MeChanges } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { showToast } from '../kit/toast-store.ts'
import { useKeepMe, useMe } from '../session/session.ts'
import { useNow } from '../time/now.ts'
import { exactTime } from '../time/zone.ts'
import { faultOf, restOf } from './form-fault.ts'
import { PasswordForm } from './password-form.tsx'

const zones = Intl.supportedValuesOf('timeZone')

/** The list has one name of each zone; others, as Europe/Nicosia beside Asia/Nicosia, are known too. */
function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export function AccountPart() {
  return (
    <>
      <AboutForm />
      <PasswordForm />
    </>
  )
}

function AboutForm() {
  const me = useMe()
  const keepMe = useKeepMe()
  const now = useNow()
  const [name, setName] = useState(me.name)
  const [timeZone, setTimeZone] = useState(me.timeZone)
  const save = useMutation({
    mutationFn: (changes: MeChanges) => api.patch<Me>('/me', changes),
    onSuccess: (user) => {
      keepMe({ user, via: 'session' })
      showToast('Saved.')
    },
  })
  const isKnown = timeZone === '' || isZone(timeZone)
  const isDirty = name !== me.name || timeZone !== me.timeZone
  function submit(event: FormEvent) {
    event.preventDefault()
    if (isKnown) save.mutate({ name: name.trim(), timeZone })
  }
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zoneFault = isKnown ? undefined : 'Choose one of the list, as Europe/Paris.'
  const rest = restOf(save.error, ['name', 'timeZone'])
  return (
    <form className="kit-card kit-form" onSubmit={submit}>
      <h2>About you</h2>
      <p className="soft">
        Signed in as <strong>{me.email}</strong>, {me.role}, service level {me.level}.
      </p>
      <Field label="Name" error={faultOf(save.error, 'name')}>
        <Input autoComplete="name" maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field
        label="Time zone"
        hint={`Type to search. Left empty, it is that of the browser, ${browserZone}. Now it is ${exactTime(new Date(now).toISOString())}.`}
        error={zoneFault ?? faultOf(save.error, 'timeZone')}
      >
        <Input
          list="settings-zones"
          autoComplete="off"
          placeholder={browserZone}
          value={timeZone}
          onChange={(event) => setTimeZone(event.target.value)}
        />
      </Field>
      <datalist id="settings-zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {rest !== undefined && (
        <p className="kit-field-error" role="alert">
          {rest}
        </p>
      )}
      <div>
        <Button type="submit" look="primary" disabled={!isDirty || save.isPending}>
          {save.isPending ? 'Saving…' : 'Save'}
        </Button>
      </div>
    </form>
  )
}
