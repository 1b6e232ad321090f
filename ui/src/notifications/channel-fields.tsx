import type { Channel } from '../api/types.ts'
import { Field } from '../kit/field.tsx'
import { Input, Select, Switch, TextArea, withOwn } from '../kit/input.tsx'
import { sentenceOf } from '../kit/strings.ts'
import { fieldError, formError } from '../settings/form-errors.ts'
import { type ChannelField, keptSecrets, type Values } from './channel-values.ts'
import { strings } from './strings.ts'
import { useProfiles } from './use-channels.ts'

const text = strings.form

type Props = {
  fields: readonly ChannelField[]
  /** Null for a new channel. */
  channel: Channel | null
  name: string
  values: Values
  error: Error | null
  onName: (name: string) => void
  onChange: (values: Values) => void
}

const placeOf = ({ name }: ChannelField): string => `settings.${name}`

/** The error about the settings as a whole, or about something without a field. */
export function otherError(error: Error | null, fields: readonly ChannelField[]): string | undefined {
  const shown = ['name', ...fields.filter(({ type }) => type !== 'flag').map(placeOf)]
  return fieldError(error, 'settings') ?? formError(error, shown)
}

/** The name of the channel, then the settings of its kind. */
export function ChannelFields({ fields, channel, name, values, error, onName, onChange }: Props) {
  const kept = keptSecrets(fields, channel)
  return (
    <>
      <Field label={text.name} hint={text.nameHint} error={fieldError(error, 'name')}>
        <Input maxLength={100} required value={name} onChange={onName} />
      </Field>
      {fields.map((field) => {
        const value = values[field.name] ?? ''
        const put = (next: string | boolean) => onChange({ ...values, [field.name]: next })
        if (field.type === 'flag') {
          const hint = field.hint === undefined ? {} : { hint: field.hint }
          return <Switch key={field.name} label={field.label} {...hint} checked={value === true} onChange={put} />
        }
        if (field.name === 'profile') {
          return (
            <Field
              key={field.name}
              label={field.label}
              hint={text.profileHint}
              error={fieldError(error, placeOf(field))}
            >
              <ProfileSelect value={String(value)} onChange={put} />
            </Field>
          )
        }
        const isKept = kept.has(field.name)
        const isRequired = field.isRequired === true && !isKept
        const usualHint = field.hint ?? (field.type === 'lines' ? text.oneEach : undefined)
        return (
          <Field
            key={field.name}
            label={isRequired || isKept || field.usual !== undefined ? field.label : text.optional(field.label)}
            hint={isKept ? text.kept : usualHint}
            error={fieldError(error, placeOf(field))}
          >
            <ValueInput field={field} value={String(value)} isRequired={isRequired} onChange={put} />
          </Field>
        )
      })}
    </>
  )
}

function ProfileSelect({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const profiles = useProfiles() ?? []
  const options = [
    { value: '', label: sentenceOf(strings.channels.wholeInbox) },
    ...profiles.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return <Select value={value} options={withOwn(options, value)} onChange={onChange} />
}

const choiceNames = new Map(Object.entries(text.choices))
const choiceName = (choice: string): string => choiceNames.get(choice) ?? sentenceOf(choice)

type InputProps = { field: ChannelField; value: string; isRequired: boolean; onChange: (value: string) => void }

function ValueInput({ field, value, isRequired, onChange }: InputProps) {
  const common = { value, onChange, required: isRequired }
  switch (field.type) {
    case 'choice': {
      const choices = (field.choices ?? []).map((choice) => ({ value: choice, label: choiceName(choice) }))
      const usual = isRequired || field.usual !== undefined ? [] : [{ value: '', label: text.usualChoice }]
      return <Select {...common} options={[...usual, ...choices]} />
    }
    case 'long':
      return <TextArea className="mono" rows={5} spellCheck={false} {...common} />
    case 'lines':
      return <TextArea className="mono channels-lines" rows={3} spellCheck={false} {...common} />
    case 'secret':
      return <Input type="password" autoComplete="off" {...common} />
    case 'number':
      return <Input type="number" step="any" {...common} />
    case 'url':
    case 'email':
      return <Input type={field.type} autoComplete="off" spellCheck={false} {...common} />
    default:
      return <Input autoComplete="off" spellCheck={false} {...common} />
  }
}
