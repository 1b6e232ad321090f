import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Me } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Field, FieldError, Form } from '../kit/field.tsx'
import { strings as shared } from '../kit/strings.ts'
import { showToast } from '../kit/toast.tsx'
import { useKeepMe, useMe } from '../session/session.ts'
import { fieldError, formError } from '../settings/form-errors.ts'
import { browserZone, isZone, ZoneInput } from '../time/zone-input.tsx'
import { CountInput, QuietFields, UrgencySelect } from './policy-fields.tsx'
import { strings } from './strings.ts'

const text = strings.policy
const places = [
  'timeZone',
  'notifications.quiet.from',
  'notifications.quiet.to',
  'notifications.urgentFrom',
  'notifications.perHour',
]

/** Starts over with a new time zone, which adding the first channel may set; nothing else changes while the form is open. */
export function DefaultsForm() {
  const { timeZone } = useMe()
  return <Defaults key={timeZone} />
}

function Defaults() {
  const me = useMe()
  const keepMe = useKeepMe()
  const [timeZone, setTimeZone] = useState(me.timeZone === '' ? browserZone() : me.timeZone)
  const [policy, setPolicy] = useState(me.notifications)
  const put = (changes: Partial<Me['notifications']>) => setPolicy({ ...policy, ...changes })
  const save = useChange([], () => api.patch<Me>('/me', { timeZone, notifications: policy }), {
    onSuccess: (user) => {
      keepMe({ user, via: 'session' })
      showToast(text.saved)
    },
  })
  const zoneError = timeZone === '' || isZone(timeZone) ? undefined : text.unknownZone
  const errorAt = (place: string) => fieldError(save.error, `notifications.${place}`)
  return (
    <Form className="kit-card kit-form" onSubmit={() => zoneError === undefined && save.mutate()}>
      <div>
        <h2>{text.title}</h2>
        <p className="soft">{text.lead}</p>
      </div>
      <Field
        label={text.timeZone}
        hint={me.timeZone === '' ? text.noZone(browserZone()) : text.timeZoneHint}
        error={zoneError ?? fieldError(save.error, 'timeZone')}
      >
        <ZoneInput value={timeZone} onChange={setTimeZone} />
      </Field>
      <QuietFields
        label={text.quiet}
        hint={text.quietHint}
        value={policy.quiet}
        errors={{ from: errorAt('quiet.from'), to: errorAt('quiet.to') }}
        onChange={(quiet) => put({ quiet })}
      />
      <div className="policy-pair">
        <Field label={text.urgentFrom} hint={text.urgentFromHint} error={errorAt('urgentFrom')}>
          <UrgencySelect value={policy.urgentFrom} none={text.never} onChange={(urgentFrom) => put({ urgentFrom })} />
        </Field>
        <Field label={text.perHour} hint={text.perHourHint} error={errorAt('perHour')}>
          <CountInput value={policy.perHour} onChange={(perHour) => put({ perHour })} />
        </Field>
      </div>
      <FieldError text={formError(save.error, places)} />
      <div>
        <Button
          label={save.isPending ? shared.saving : shared.save}
          type="submit"
          variant="primary"
          disabled={save.isPending}
        />
      </div>
    </Form>
  )
}
