import './policy.css'
import { Field } from '../kit/field.tsx'
import { Input, optionsOf, Select, Switch, withOwn } from '../kit/input.tsx'
import { strings } from './strings.ts'

const text = strings.policy
const urgencyOptions = optionsOf(text.urgencies)

export type QuietTimes = { from: string; to: string }
type Errors = { from?: string | undefined; to?: string | undefined }
const usualQuiet: QuietTimes = { from: '22:00', to: '07:00' }

type QuietProps = {
  label: string
  hint: string
  value: QuietTimes | null
  errors: Errors
  onChange: (value: QuietTimes | null) => void
}

export function QuietFields({ label, hint, value, errors, onChange }: QuietProps) {
  return (
    <div className="kit-stack">
      <Switch label={label} hint={hint} checked={value !== null} onChange={(on) => onChange(on ? usualQuiet : null)} />
      {value !== null && (
        <div className="policy-times">
          <Field label={text.from} error={errors.from}>
            <Input type="time" required value={value.from} onChange={(from) => onChange({ ...value, from })} />
          </Field>
          <Field label={text.to} error={errors.to}>
            <Input type="time" required value={value.to} onChange={(to) => onChange({ ...value, to })} />
          </Field>
        </div>
      )}
    </div>
  )
}

/** "Urgent or higher"; null for none. */
export function urgencyName(value: number | null): string | null {
  if (value === null) return null
  const usual = urgencyOptions.find((option) => option.value === String(value))
  return text.orHigher(usual?.label ?? String(value))
}

type UrgencyProps = {
  value: number | null
  /** Label of the option for no value; null if a value is required. */
  none: string | null
  onChange: (value: number | null) => void
}

/** A minimum urgency: one of the usual ones, or another value that was set elsewhere. */
export function UrgencySelect({ value, none, onChange }: UrgencyProps) {
  const chosen = value === null ? '' : String(value)
  const options = urgencyOptions.map((option) => ({ ...option, label: text.orHigher(option.label) }))
  const all = [...(none === null ? [] : [{ value: '', label: none }]), ...options]
  return (
    <Select
      value={chosen}
      options={withOwn(all, chosen)}
      onChange={(next) => onChange(next === '' ? null : Number(next))}
    />
  )
}

type CountProps = { value: number | null; placeholder?: string; onChange: (value: number | null) => void }

export function CountInput({ value, placeholder, onChange }: CountProps) {
  return (
    <Input
      type="number"
      min={1}
      step={1}
      inputMode="numeric"
      placeholder={placeholder}
      value={value ?? ''}
      onChange={(next) => onChange(next === '' ? null : Number(next))}
    />
  )
}
