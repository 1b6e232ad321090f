import { useState } from 'react'
import { Link } from 'wouter'
import type { Channel } from '../api/types.ts'
import { Field, FieldError } from '../kit/field.tsx'
import { Input, Select, Switch, withOwn } from '../kit/input.tsx'
import { CountInput, QuietFields, UrgencySelect, urgencyName } from '../notifications/policy-fields.tsx'
import { isFeed, useChannels } from '../notifications/use-channels.ts'
import { useMe } from '../session/session.ts'
import { ZoneInput } from '../time/zone-input.tsx'
import { cadenceParts, cadenceText, days } from './cadence.ts'
import type { Draft } from './draft.ts'
import { strings } from './strings.ts'
import { useErrorsUnder, useFieldError, useHasErrorIn } from './validation-errors.ts'

type Props = { draft: Draft; onChange: (changes: Partial<Draft>) => void }

const text = strings.delivery
const policyPlaces = /^delivery\.(quiet|perHour|urgentFrom|escalation)\b/

/** Where the profile's finds are delivered, how soon, and in how much detail. */
export function DeliveryFields({ draft, onChange }: Props) {
  const urgency = String(draft.urgency)
  const isPushed = draft.channels.some((channel) => channel !== 'inbox')
  const putPolicy = (changes: Partial<Draft['policy']>) => onChange({ policy: { ...draft.policy, ...changes } })
  return (
    <section className="kit-card kit-form">
      <h2>{text.title}</h2>
      <Field label={text.urgency} hint={text.urgencyHint} error={useFieldError('urgency')}>
        <Select
          value={urgency}
          options={withOwn(text.urgencies, urgency)}
          onChange={(value) => onChange({ urgency: Number(value) })}
        />
      </Field>
      <ChannelBoxes chosen={draft.channels} onChange={(channels) => onChange({ channels })} />
      {isPushed && <PushFields draft={draft} onChange={onChange} />}
      <PolicyFields draft={draft} isPushed={isPushed} onChange={putPolicy} />
    </section>
  )
}

/** Settings for channels other than the inbox. */
function PushFields({ draft, onChange }: Props) {
  return (
    <>
      <CadenceFields cadence={draft.cadence} onChange={(cadence) => onChange({ cadence })} />
      <Field label={text.amount} error={useFieldError('amount')}>
        <Select
          value={draft.amount}
          options={text.amounts}
          onChange={(amount) => onChange({ amount: amount as Draft['amount'] })}
        />
      </Field>
    </>
  )
}

function ChannelBoxes({ chosen, onChange }: { chosen: readonly string[]; onChange: (channels: string[]) => void }) {
  const { data } = useChannels()
  const error = useErrorsUnder('delivery.channels')
  const known = data?.items.filter((channel) => !isFeed(channel)) ?? []
  // A removed channel can be unticked, but not selected again.
  const unknown =
    data === undefined ? [] : chosen.filter((id) => id !== 'inbox' && !known.some((each) => each.id === id))
  const boxes = [
    ...known.map(({ id, name, state }) => ({ id, label: text.channelStates[state](name) })),
    ...unknown.map((id) => ({ id, label: text.unknownChannel })),
  ]
  return (
    <div className="kit-stack">
      <fieldset className="profiles-channels">
        <legend>{text.channels}</legend>
        <label>
          <input type="checkbox" checked disabled />
          {text.inbox}
        </label>
        {boxes.map(({ id, label }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target: { checked } }) =>
                onChange(checked ? [...chosen, id] : chosen.filter((each) => each !== id))
              }
            />
            {label}
          </label>
        ))}
      </fieldset>
      <FieldError text={error} />
      <p className="kit-field-hint">
        {known.length === 0 ? text.noChannels : text.moreChannels}{' '}
        <Link href="/settings/notifications">{text.toChannels}</Link>
      </p>
    </div>
  )
}

const dayOptions = days.map((value, at) => ({ value, label: text.days[at]! }))

function CadenceFields({ cadence, onChange }: { cadence: string; onChange: (cadence: string) => void }) {
  const parts = cadenceParts(cadence)
  const put = (changes: Partial<typeof parts>) => onChange(cadenceText({ ...parts, ...changes }))
  const isTimed = parts.kind === 'daily' || parts.kind === 'weekly'
  return (
    <div className="profiles-pair">
      <Field label={text.cadence} error={useFieldError('delivery.cadence')}>
        <Select value={parts.kind} options={withOwn(text.cadences, parts.kind)} onChange={(kind) => put({ kind })} />
      </Field>
      {parts.kind === 'weekly' && (
        <Field label={text.day}>
          <Select value={parts.day} options={dayOptions} onChange={(day) => put({ day })} />
        </Field>
      )}
      {isTimed && (
        <Field label={text.time}>
          <Input type="time" required value={parts.time} onChange={(time) => time !== '' && put({ time })} />
        </Field>
      )}
    </div>
  )
}

type PolicyProps = { policy: Draft['policy']; onChange: (changes: Partial<Draft['policy']>) => void }

type MoreProps = { draft: Draft; isPushed: boolean; onChange: PolicyProps['onChange'] }

/** Collapsed while everything follows the account's defaults. */
function PolicyFields({ draft, isPushed, onChange }: MoreProps) {
  const { policy, channels } = draft
  const { data } = useChannels()
  const hasError = useHasErrorIn(policyPlaces)
  const [isOpen, setIsOpen] = useState(() => Object.values(policy).some((value) => value !== null))
  // A channel that the profile already uses can't be the escalation channel.
  const others = (data?.items ?? []).filter((channel) => !isFeed(channel) && !channels.includes(channel.id))
  // Keep values that are set visible, with their errors.
  const hasLimits = isPushed || policy.quiet !== null || policy.perHour !== null || policy.urgentFrom !== null
  const canEscalate = others.length > 0 || policy.escalation !== null
  if (!hasLimits && !canEscalate) return null
  return (
    <details
      className="kit-details profiles-more"
      open={isOpen || hasError}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{hasLimits ? text.limits : text.escalationOnly}</summary>
      <div className="kit-form">
        {hasLimits && <LimitFields policy={policy} onChange={onChange} />}
        {canEscalate && <EscalationFields others={others} policy={policy} onChange={onChange} />}
      </div>
    </details>
  )
}

/** Empty fields follow the account's defaults, which the hints show. */
function LimitFields({ policy, onChange }: PolicyProps) {
  const { notifications, timeZone } = useMe()
  const { quiet, urgentFrom, perHour } = policy
  const errors = { from: useFieldError('delivery.quiet.from'), to: useFieldError('delivery.quiet.to') }
  const zoneError = useFieldError('delivery.quiet.zone')
  return (
    <>
      <div className="kit-stack">
        <QuietFields
          label={text.ownQuiet}
          hint={text.ownQuietHint(notifications.quiet)}
          value={quiet}
          errors={errors}
          onChange={(times) => onChange({ quiet: times === null ? null : { zone: quiet?.zone ?? '', ...times } })}
        />
        {quiet !== null && (
          <Field label={text.zone} hint={text.zoneHint(timeZone)} error={zoneError}>
            <ZoneInput
              placeholder={timeZone}
              value={quiet.zone}
              onChange={(zone) => onChange({ quiet: { ...quiet, zone } })}
            />
          </Field>
        )}
      </div>
      <div className="profiles-pair">
        <Field label={text.urgentFrom} hint={text.urgentFromHint} error={useFieldError('delivery.urgentFrom')}>
          <UrgencySelect
            value={urgentFrom}
            none={text.urgentDefault(urgencyName(notifications.urgentFrom))}
            onChange={(next) => onChange({ urgentFrom: next })}
          />
        </Field>
        <Field label={text.perHour} hint={text.perHourHint} error={useFieldError('delivery.perHour')}>
          <CountInput
            value={perHour}
            placeholder={text.perHourDefault(notifications.perHour)}
            onChange={(next) => onChange({ perHour: next })}
          />
        </Field>
      </div>
    </>
  )
}

type EscalationProps = PolicyProps & { others: readonly Channel[] }

function EscalationFields({ others, policy: { escalation }, onChange }: EscalationProps) {
  const channelError = useFieldError('delivery.escalation.channel')
  const afterError = useFieldError('delivery.escalation.after')
  const urgencyError = useFieldError('delivery.escalation.urgency')
  const usual = { channel: others[0]?.id ?? '', after: '30m', urgency: 2 }
  const put = (changes: Partial<typeof usual>) => onChange({ escalation: { ...(escalation ?? usual), ...changes } })
  const channels = others.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <div className="kit-stack">
      <Switch
        label={text.escalation}
        hint={text.escalationHint}
        checked={escalation !== null}
        onChange={(on) => (on ? put({}) : onChange({ escalation: null }))}
      />
      {escalation !== null && (
        <div className="profiles-pair">
          <Field label={text.escalateTo} error={channelError}>
            <Select
              value={escalation.channel}
              options={
                channels.some(({ value }) => value === escalation.channel)
                  ? channels
                  : [...channels, { value: escalation.channel, label: text.chooseChannel }]
              }
              onChange={(channel) => put({ channel })}
            />
          </Field>
          <Field label={text.escalateAfter} error={afterError}>
            <Select
              value={escalation.after}
              options={withOwn(text.delays, escalation.after)}
              onChange={(after) => put({ after })}
            />
          </Field>
          <Field label={text.escalateFrom} error={urgencyError}>
            <UrgencySelect
              value={escalation.urgency}
              none={null}
              onChange={(urgency) => urgency !== null && put({ urgency })}
            />
          </Field>
        </div>
      )}
    </div>
  )
}
